import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps

/// `explore`: looks for a dependency that nobody declared, or for a race.
struct ExploreCommand: LaunchingCommand {
    static let name = "explore"
    static let summary = "Run a launch in many orders, to find an operation that needs another one without waiting for it."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario(\.scenario),
        .integer("orders", "N", in: 1...100_000, \.orders)
            .help("Run N orders (default: as many as show a missing dependency with 99%)."),
        .integer("depth", "N", in: 1...10, \.depth)
            .help("Find failures that need N pairs in the wrong order (default: 1)."),
        .integer("interleavings", "N", in: 1...100_000, \.interleavings)
            .help(
                "Look for races instead: run N launches whose operations overlap, and choose wherever one may wait "
                    + "which goes on. All work is simulated, so little can race but timeouts, retries and resources; for "
                    + "races in your own code, call explore(_:interleavings:) in a test."
            ),
        .duration("jitter", \.jitter).help("With --interleavings, all that sleeps wakes up to TIME late."),
        .integer("seed", "N", in: 0...1_000_000_000, \.seed)
            .help("Draw others; the same N finds the same (default: 0)."),
        .word("clock", "CLOCK", \.wantedClock)
            .help("wall (default for files: does their work) or virtual (simulates it)."),
        .trust(\.isTrusted),
    ]
    static let resultOptions = CommonArguments.workingOptions
    static let examples: KeyValuePairs = [
        "explore launch.json": "Run the programs of a file in many orders, one at a time.",
        "explore launch.json --orders 20 --seed 7": "Run fewer orders, and others.",
        "explore launch.json --interleavings 1000 --jitter 20ms":
            "Find a timeout that is too short for a busy machine.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "In all launches each operation ended the same way. Budget and deadline do not count: operations run one "
            + "at a time here, or wake late.",
        "1": "An operation needs another one that it does not wait for: both are named. Or there is a race. "
            + "Or one ends otherwise when the order is repeated, or the launch fails in every order.",
    ]
    static let signals: KeyValuePairs = ["SIGHUP, SIGINT, SIGQUIT, SIGTERM": "End; the second time, at once."]

    var scenario = ""
    /// Nil for enough.
    var orders: Int?
    /// Nil for 1.
    var depth: Int?
    /// Nil for whole operations, one at a time.
    var interleavings: Int?
    /// Nil for never late.
    var jitter: Duration?
    var seed = 0
    /// Nil for real time, but for the built-in scenarios.
    var wantedClock: ClockMode?
    /// Whether a scenario file runs its programs and sends its requests unasked.
    var isTrusted = false
    var common = CommonArguments()

    private var isBuiltIn: Bool { Scenario.named(scenario) != nil }
    var clock: ClockMode { wantedClock ?? (isBuiltIn || interleavings != nil ? .virtual : .wall) }

    func check() throws(UsageError) {
        if interleavings == nil, jitter != nil { throw Self.failure("option '--jitter' is for '--interleavings'") }
        if interleavings != nil, orders ?? depth != nil {
            throw Self.failure("options '--orders' and '--depth' are not for '--interleavings'")
        }
        guard clock == .wall else { return }
        if isBuiltIn { throw Self.failure("option '--clock': the steps of a built-in scenario are only simulated here") }
        if interleavings != nil { throw Self.failure("option '--clock': '--interleavings' only simulates work") }
    }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        let launch = try PreparedLaunch(RunArguments(scenario: scenario, clock: clock, isTrusted: isTrusted))
        let progress = ProgressLine.begin("explore", reading: scenario, inLines: common.showsProgress)
        var (findings, failure) = (Findings?.none, FailsInEveryOrder?.none)
        // Before the question: a signal withdraws it.
        let signal = try await CommandLineTool.launching {
            try await launch.askWhetherToRun()
            do {
                findings = try await search(launch.scenario, progress)
            } catch let error as FailsInEveryOrder {
                failure = error
            }
        }
        if let signal { return signal }
        let (name, count) = (launch.scenario.graph.name, findings?.count ?? failure?.orders ?? 0)
        let head: JSONTree = [
            "scenario": .text(name), "orders": .number(interleavings == nil ? count : 0),
            "interleavings": interleavings.map { _ in .number(count) }, "seed": .number(seed),
        ]
        let isFine = findings?.isFine == true
        var finding = failure?.description ?? findings?.text ?? ""
        if !isFine {
            finding = page.style.red(finding) + (findings?.detail.map { "\n  \(printable($0, limit: 600))" } ?? "")
            let unit = (interleavings == nil ? "order" : "interleaving") + (count == 1 ? "" : "s")
            finding += "\n  \(failure == nil ? "found" : "run") in \(count) \(unit), seed \(seed)"
        }
        let grounds = findings?.grounds ?? (interleavings == nil ? .exploration(clock) : .virtualTime)
        let json = head + grounds.json + (findings?.json ?? ["failure": .text(failure?.description)])
        try page.write(
            json: JSONTree.document("sequencer.exploration/1", json),
            text: page.style.bold(printable(name, limit: 80)) + ": \(finding)\n" + page.style.dim("  \(grounds.text)\n")
        )
        return isFine ? .success : .failed
    }

    private func search(_ scenario: LoadedScenario, _ progress: ProgressLine?) async throws -> Findings {
        let (graph, depth, seed) = (scenario.graph, depth ?? 1, UInt64(seed))
        let options = LaunchOptions(
            // Of orders they are 1.
            lanes: scenario.lanes,
            // In place of the scenario's: here operations run one at a time, or wake late.
            deadline: .seconds(3_600),
            // Nobody answers here, so a simulated user's time ends the launch like any other.
            deadlineCountsInteractiveTime: true,
            // Each interleaving has a virtual clock of its own in place of one that is not.
            clock: clock == .virtual && interleavings == nil ? VirtualClock() : SuspendingClock(),
            // Only the command's seed draws; the launch itself must do the same each time.
            seed: 0
        )
        let launches = Locked(0)
        let total = interleavings ?? orders ?? (try? PriorityOrders(graph.validated(), depth: depth, seed: 0))?.enough
        let log: @Sendable (FinishedLaunch) -> Void = { _ in
            launches.withLock { launches in
                launches += 1
                // Beside these there is the usual one, twice; what is found takes some more.
                let fraction = total.map { Double(launches) / Double($0 + 2) }
                progress?.update(fraction: fraction, detail: "launches: \(launches)")
            }
        }
        guard let runs = interleavings else {
            let found = try await explore(graph, orders: orders, depth: depth, seed: seed, options: options, check: log)
            let json: JSONTree = ["unsteady": .list(found.unsteady), "hidden": found.hidden?.json]
            let (text, detail) = (found.description, found.hidden?.message)
            let (count, isFine, grounds) = (found.orders, found.findsNothing, Grounds.exploration(clock))
            return Findings(count: count, text: text, detail: detail, isFine: isFine, json: json, grounds: grounds)
        }
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else {
            throw Self.failure("option '--interleavings' needs macOS 15, which lets it choose among tasks")
        }
        let lag = jitter.map { .zero...$0 }
        let found = try await explore(graph, interleavings: runs, seed: seed, jitter: lag, options: options, check: log)
        let json: JSONTree = ["unsteady": .list(found.unsteady), "race": found.race?.json]
        let detail = found.race.map { "interleaving \($0.interleaving.hashText)" }
        let (count, isFine) = (found.interleavings, found.findsNothing)
        let notControlled = found.notControlled + ["real work, which was only simulated"]
        let grounds = Grounds(controlled: found.controlled, notControlled: notControlled)
        return Findings(count: count, text: found.finding, detail: detail, isFine: isFine, json: json, grounds: grounds)
    }
}

/// What a search of orders, or of interleavings, came to.
private struct Findings {
    let count: Int
    let text: String
    /// A line below the text: how what was found fails, or its schedule.
    let detail: String?
    let isFine: Bool
    let json: JSONTree
    let grounds: Grounds
}
