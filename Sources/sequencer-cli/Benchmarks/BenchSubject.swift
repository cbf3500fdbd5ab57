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
    /// The launch of a scenario file or of a program; nil where there is a state.
    private let prepared: PreparedLaunch?
    private let program: BenchedProgram?
    /// Of a built-in scenario in real time, which is the launch of another app each time.
    private let state: BenchState?

    /// - Parameter keep: called with the state to remove at the end, before anything is on disk; also when this throws.
    init(_ scenario: String, _ arguments: RunArguments, keep: (BenchState) -> Void) throws {
        var arguments = arguments
        arguments.scenario = scenario
        let state = Scenario.named(scenario) != nil && arguments.clock == .wall ? BenchState(arguments.state) : nil
        // Told before anything is made, so that the caller removes the folder whenever something below throws.
        if let state { keep(state) }
        let launch = try state?.use { try Self.launch(arguments, on: $0) } ?? PreparedLaunch(arguments)
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

    /// Has the user allow the work of a scenario file; see ``PreparedLaunch/askWhetherToRun()``.
    func askWhetherToRun() async throws(ToolError) { try await prepared?.askWhetherToRun() }

    /// Launches once.
    ///
    /// - Returns: its report, and for a program the time from its start to its exit.
    func launch() async throws -> (report: LaunchReport, process: Duration?) {
        if let prepared {
            let report = try await run(prepared.scenario.graph, options)
            return try program?.launch(report) ?? (report, nil)
        }
        guard let launch = try state?.use({ try Self.launch(arguments, on: $0) }) else { throw CancellationError() }
        defer { launch.app?.close() }
        var options = options
        // As `run` does: the report of a measured launch says which version it is of.
        options.version = launch.app?.environment.app.version.description
        return (try await run(launch.scenario.graph, options), nil)
    }

    private static func launch(_ arguments: RunArguments, on state: String) throws -> PreparedLaunch {
        // A copy: the folder of this run must not stay in the arguments of the next one.
        var arguments = arguments
        arguments.state = state
        return try PreparedLaunch(arguments)
    }

    private func run(_ graph: OperationGraph, _ options: LaunchOptions) async throws -> LaunchReport {
        var options = options
        // Each launch has a separate virtual clock.
        if arguments.clock == .virtual { options.clock = VirtualClock() }
        return try await graph.run(budget: budget, options: options).report
    }

    /// Runs a first launch and keeps its state for the measured ones, unless the state was given or the measured launch
    /// is a first one.
    func prepare() async throws {
        guard let state, !state.isGiven, name != Scenario.firstLaunch.name else { return }
        var first = arguments
        first.scenario = Scenario.firstLaunch.name
        // The faults are for the measured launches. A first launch with them might leave no state to begin with.
        first.injections = []
        let launch = try state.use(template: true) { try Self.launch(first, on: $0) }
        defer { launch.app?.close() }
        let report = try await run(launch.scenario.graph, options)
        // The user should know that the runs begin with less than they seem to.
        if report.outcome != .completed, report.outcome != .cancelled {
            message(
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
    /// The number of copies, which names them; nil once all are removed. Code that makes or removes folders holds the
    /// lock: a signal must not find one half made, and leave it; and of two removals at a time, each would find files
    /// missing that the other has removed, and give up.
    private let copies = Locked<Int?>(0)

    /// Makes nothing on disk yet: that begins with the first launch.
    init(_ given: String?) {
        // A unique name: two benches at the same time must not share a folder.
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-bench-\(UUID().uuidString)")
        isGiven = given != nil
        template = given ?? folder.appendingPathComponent("begin").path
    }

    /// Runs `body`, which makes files there, on a new copy of the template, or on the template; nothing is removed
    /// meanwhile.
    ///
    /// - Throws: what `body` throws; a `CancellationError` once everything is removed.
    func use<Result>(template isTemplate: Bool = false, _ body: (String) throws -> Result) throws -> Result {
        try copies.withLock { copies throws(any Error) -> Result in
            guard let number = copies else { throw CancellationError() }
            if isTemplate { return try body(template) }
            copies = number + 1
            return try body(copy(number))
        }
    }

    private func copy(_ number: Int) throws -> String {
        let files = FileManager.default
        let copy = folder.appendingPathComponent("\(number)")
        if number == 0 {
            let begin = folder.appendingPathComponent("begin")
            // Only the user may see what the app stores.
            try files.createDirectory(at: begin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Only one copy is there at a time: a hundred runs must not fill the disk. A launch that still writes to it
        // does no harm.
        try? files.removeItem(at: folder.appendingPathComponent("\(number - 1)"))
        // Nothing there yet is a fresh device.
        if files.fileExists(atPath: template) {
            try files.copyItem(at: URL(fileURLWithPath: template), to: copy)
        } else {
            try files.createDirectory(at: copy, withIntermediateDirectories: false)
        }
        return copy.path
    }

    /// Removes all copies, also from under a launch that still writes to one of them; can be called again, from any
    /// thread.
    func remove() {
        copies.withLock { copies in
            copies = nil
            // More than once, because a launch that continues may put a file into the folder while it is being removed.
            let files = FileManager.default
            for _ in 0..<10 where files.fileExists(atPath: folder.path) { try? files.removeItem(at: folder) }
        }
    }
}
