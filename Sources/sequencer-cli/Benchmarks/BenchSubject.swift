import Dispatch
import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps

/// A scenario or a program that is launched again and again, each time as if for the first time.
struct BenchSubject {
    let name: String
    let budget: Budget
    private let options: LaunchOptions
    private let arguments: RunArguments
    /// The launch of a scenario file or of a program; nil for a built-in scenario in real time, which is the launch of
    /// another app each time.
    private let prepared: PreparedLaunch?
    private let program: BenchedProgram?
    private let state: BenchState?

    /// - Parameter keep: called with the state to remove at the end, before anything is on disk; also when this throws.
    init(_ scenario: String, _ arguments: RunArguments, keep: (BenchState) -> Void) throws {
        var arguments = arguments
        arguments.scenario = scenario
        let state = Scenario.named(scenario) != nil && arguments.clock == .wall ? BenchState(arguments.state) : nil
        if let state {
            // Told before anything is made, so that the caller removes the folder whenever something below throws.
            keep(state)
            // Under the lock of the removal, here and below: a signal must not find a folder half made, and leave it.
            arguments.state = try state.using { try state.fresh() }
        }
        let launch = try state?.using { try PreparedLaunch(arguments) } ?? PreparedLaunch(arguments)
        // Its graph and its options are enough; the app would keep its tasks and its speaker.
        launch.app?.close()
        self.init(launch, arguments, state: state)
    }

    /// - Parameter name: its name in results.
    init(_ command: ProgramCommand, named name: String, _ arguments: RunArguments) {
        let program = BenchedProgram(command)
        self.init(PreparedLaunch(LoadedScenario(graph: program.graph(name)), arguments), arguments, program: program)
    }

    private init(_ launch: PreparedLaunch, _ arguments: RunArguments, program: BenchedProgram? = nil, state: BenchState? = nil) {
        name = launch.scenario.graph.name
        budget = Budget(launch.budget.limit, initialDisplay: launch.budget.initialDisplay)
        options = launch.options()
        prepared = state == nil ? launch : nil
        (self.arguments, self.program, self.state) = (arguments, program, state)
    }

    /// Has a person allow the work of a scenario file; see ``PreparedLaunch/askWhetherToRun(withdrawnBy:)``.
    func askWhetherToRun(_ cancellable: CancellableLaunch) async throws(ToolError) {
        try await prepared?.askWhetherToRun(withdrawnBy: cancellable.onCancel)
    }

    /// Launches once.
    ///
    /// - Parameters:
    ///   - say: warns a person.
    ///   - cancellable: starts the launch, unless a signal came before.
    /// - Returns: its report, and for a program the time from its start to its exit; nil when it was not started.
    func launch(
        _ cancellable: CancellableLaunch,
        say: (String) -> Void
    ) async throws -> (report: LaunchReport, process: Duration?)? {
        if let prepared {
            guard let report = try await run(cancellable, prepared.scenario.graph, options) else { return nil }
            return try program?.launch(report, say: say) ?? (report, nil)
        }
        let prepare = {
            // A copy: the state folder of this run must not stay in the arguments of the next one.
            var arguments = arguments
            arguments.state = try state?.fresh()
            return try PreparedLaunch(arguments)
        }
        let launch = try state?.using(prepare) ?? prepare()
        defer { launch.app?.close() }
        var options = options
        // As `run` does: the report of a measured launch says which version it is of.
        options.version = launch.app?.environment.app.version.description
        return try await run(cancellable, launch.scenario.graph, options).map { ($0, nil) }
    }

    private func run(
        _ cancellable: CancellableLaunch,
        _ graph: OperationGraph,
        _ options: LaunchOptions
    ) async throws -> LaunchReport? {
        var options = options
        // A virtual clock has a time of its own for each launch.
        if arguments.clock == .virtual { options.clock = VirtualClock() }
        return try await cancellable.start(graph, budget, options)?.end().report
    }

    /// Runs a first launch and keeps its state for the measured ones, unless the state was given or the measured launch
    /// is a first one.
    func prepare(_ cancellable: CancellableLaunch, say: (String) -> Void) async throws {
        guard let state, !state.isGiven, name != Scenario.firstLaunch.name else { return }
        var first = arguments
        first.scenario = Scenario.firstLaunch.name
        // The faults are for the measured launches. A first launch with them might leave no state to begin with.
        first.injections = []
        first.state = state.template
        let launch = try state.using { try PreparedLaunch(first) }
        defer { launch.app?.close() }
        let report = try await run(cancellable, launch.scenario.graph, options)
        // A person should know that the runs begin with less than they seem to.
        if let report, report.outcome != .completed, report.outcome != .cancelled {
            say(
                "the first launch, which was to prepare those of \(printable(name)), \(report.outcome.name); they begin with what it has left"
            )
        }
    }
}

/// The stored state that each run begins with: copies of one folder, so that no run finds traces of another.
final class BenchState: Sendable {
    /// The folder that every run begins with.
    let template: String
    /// Whether the template is somebody's: it is only read.
    let isGiven: Bool
    private let folder: URL
    private let progress = Locked((isRemoved: false, copies: 0))
    private let removals = DispatchQueue(label: "sequencer-cli.bench-state")

    /// Makes nothing on disk yet: that begins with the first ``fresh()``.
    init(_ given: String?) {
        // A name of its own: two benches at the same time must not share a folder.
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-bench-\(UUID().uuidString)")
        let begin = folder.appendingPathComponent("begin")
        isGiven = given != nil
        template = given ?? begin.path
    }

    /// A folder like the template; the one before is gone.
    func fresh() throws -> String {
        // Counted under the lock, for the number is the folder's name.
        let number = progress.withLock { progress in
            progress.copies += 1
            return progress.copies
        }
        if number == 1 {
            let begin = folder.appendingPathComponent("begin")
            // Only the user may see what the app stores.
            try FileManager.default.createDirectory(at: begin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Only one copy is there at a time: a hundred runs must not fill the disk. A launch that still writes to it
        // does no harm.
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("\(number - 1)"))
        let copy = folder.appendingPathComponent("\(number)")
        // Nothing there yet is a fresh device.
        if FileManager.default.fileExists(atPath: template) {
            try FileManager.default.copyItem(at: URL(fileURLWithPath: template), to: copy)
        } else {
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        }
        return copy.path
    }

    /// Runs `body`, which makes folders here; nothing is removed meanwhile.
    ///
    /// - Throws: what `body` throws; a `CancellationError` once everything is removed.
    func using<Result>(_ body: () throws -> Result) throws -> Result {
        // On the queue, not under the lock: a copy takes long, and the state is asked meanwhile.
        try removals.sync {
            if progress.withLock({ $0.isRemoved }) { throw CancellationError() }
            return try body()
        }
    }

    /// Removes all copies, also from under a launch that still writes to one of them; can be called again, from any
    /// thread.
    func remove() {
        // Serial: of two removals at a time, each would find files missing that the other has removed, and give up.
        removals.sync {
            progress.withLock { $0.isRemoved = true }
            // Move the folder first: without its parents nobody creates a file again, and a folder that nobody adds to
            // can be removed.
            let grave = folder.deletingLastPathComponent().appendingPathComponent(folder.lastPathComponent + "-removed")
            // More than once, because a launch that goes on may put a file into the folder while it is being removed.
            for _ in 0..<10 {
                try? FileManager.default.moveItem(at: folder, to: grave)
                try? FileManager.default.removeItem(at: grave)
                if ![folder, grave].contains(where: { FileManager.default.fileExists(atPath: $0.path) }) { return }
            }
        }
    }
}
