import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps

/// `explore`: looks for a dependency that nobody declared.
struct ExploreCommand: LaunchingCommand {
    static let name = "explore"
    static let summary = "Run a launch in many orders, to find an operation that needs another one without waiting for it."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario { $0.scenario = $1 },
        .integer("orders", "N", in: 1...100_000, help: "Run N orders (default: as many as show a missing dependency with 99%).") {
            $0.orders = $1
        },
        .integer("depth", "N", in: 1...10, help: "Find failures that need N pairs in the wrong order (default: 1).") { $0.depth = $1 },
        .integer("seed", "N", in: 0...1_000_000_000, help: "Draw other orders; the same N gives the same orders (default: 0).") {
            $0.seed = $1
        },
        .word("clock", "CLOCK", ClockMode.self, help: "wall (default for files: does their work) or virtual (simulates it).") {
            $0.wantedClock = $1
        },
        .trust { $0.isTrusted = true },
    ]
    static let resultOptions = CommonArguments.workingOptions
    static let examples: KeyValuePairs = [
        "explore launch.json": "Run the programs of a file in many orders, one at a time.",
        "explore launch.json --orders 20 --seed 7": "Run fewer orders, and others.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "In all orders each operation ended the same way. Budget and deadline do not count: operations run one at a time here.",
        "1": "An operation needs another one that it does not wait for: both are named. "
            + "Or one ends otherwise when the order is repeated, or the launch fails in every order.",
    ]
    static let signals: KeyValuePairs = ["SIGHUP, SIGINT, SIGQUIT, SIGTERM": "End; the second time, at once."]

    /// The deadline of each launch, in place of the scenario's: operations run one at a time here.
    private static let deadline = LaunchOptions.Deadline.seconds(3_600)

    var scenario = ""
    /// Nil for enough.
    var orders: Int?
    var depth = 1
    var seed = 0
    /// Nil for real time, but for the built-in scenarios.
    var wantedClock: ClockMode?
    /// Whether a scenario file runs its programs and sends its requests unasked.
    var isTrusted = false
    var common = CommonArguments()

    private var isBuiltIn: Bool { Scenario.named(scenario) != nil }
    var clock: ClockMode { wantedClock ?? (isBuiltIn ? .virtual : .wall) }

    func check() throws(UsageError) {
        if isBuiltIn, clock == .wall { throw Self.failure("option '--clock': the steps of a built-in scenario are only simulated here") }
    }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        let launch = try PreparedLaunch(RunArguments(scenario: scenario, clock: clock, isTrusted: isTrusted))
        let progress = ProgressLine.begin("explore", reading: scenario, inLines: common.showsProgress)
        var (exploration, failure) = (Exploration?.none, FailsInEveryOrder?.none)
        // Before the question: a signal withdraws it.
        let signal = try await CommandLineTool.launching {
            try await launch.askWhetherToRun()
            do {
                exploration = try await explore(launch.scenario.graph, progress)
            } catch let error as FailsInEveryOrder {
                failure = error
            }
        }
        if let signal { return signal }
        let (name, orders) = (launch.scenario.graph.name, exploration?.orders ?? failure?.orders ?? 0)
        let head: JSONTree = ["scenario": .text(name), "orders": .number(orders), "seed": .number(seed)]
        let findings: JSONTree = [
            "failure": .text(failure?.description), "unsteady": .list(exploration?.unsteady ?? []), "hidden": exploration?.hidden?.json,
        ]
        let isFine = exploration?.findsNothing == true
        var finding = failure?.description ?? exploration?.description ?? ""
        if !isFine {
            finding = page.style.red(finding) + (exploration?.hidden?.message.map { "\n  \(printable($0, limit: 600))" } ?? "")
            finding += "\n  \(failure == nil ? "found" : "run") in \(orders) order\(orders == 1 ? "" : "s"), seed \(seed)"
        }
        let grounds = Grounds.exploration(clock)
        try page.write(
            json: JSONTree.document("sequencer.exploration/1", head + grounds.json + findings),
            text: page.style.bold(printable(name, limit: 80)) + ": \(finding)\n" + page.style.dim("  \(grounds.text)\n")
        )
        return isFine ? .success : .failed
    }

    private func explore(_ graph: OperationGraph, _ progress: ProgressLine?) async throws -> Exploration {
        let options = LaunchOptions(
            deadline: Self.deadline,
            // Nobody answers here, so a simulated user's time ends the launch like any other.
            deadlineCountsInteractiveTime: true,
            clock: clock == .virtual ? VirtualClock() : SuspendingClock(),
            // Only `seed` draws the order; the launch itself must do the same each time.
            seed: 0
        )
        let launches = Locked(0)
        // Beside the orders there is the usual one, twice; a search for two neighbours takes some more.
        let total = orders.map { $0 + 2 } ?? (try? graph.validated()).map { PriorityOrders($0, depth: depth, seed: 0).enough + 2 }
        let seed = UInt64(seed)
        return try await SequencerTestingCore.explore(graph, orders: orders, depth: depth, seed: seed, options: options) { _ in
            launches.withLock { launches in
                launches += 1
                progress?.update(fraction: total.map { Double(launches) / Double($0) }, detail: "launches: \(launches)")
            }
        }
    }
}
