import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTestingCore
import StartupOps

/// A scenario to work on, from wherever it came.
struct LoadedScenario {
    /// The time for a launch when neither the scenario nor the command line says one.
    static let defaultBudget = Duration.seconds(3)

    var graph: OperationGraph
    /// The file it was read from, and the place of each operation in it; nil for a built-in scenario.
    private(set) var file: (name: String, document: ScenarioDocument)?

    var lanes: Int? { file?.document.lanes }

    /// Loads a built-in scenario by its name, or else a scenario file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - clock: decides what work in files becomes.
    ///   - facts: those that have other values than the file says.
    ///   - build: makes the graph of a built-in scenario; its steps are simulated unless said otherwise.
    static func load(
        _ name: String,
        clock: ClockMode,
        facts: [FactArgument] = [],
        build: (Scenario) throws -> OperationGraph = { $0.graph(.simulated()) }
    ) throws -> LoadedScenario {
        if let scenario = Scenario.named(name) {
            try checkNoFacts(facts)
            return LoadedScenario(graph: try build(scenario))
        }
        let file = inputName(name)
        var document = try parseScenario(try bytes(of: name), file: file)
        // Before the graph is made of it: conditions are decided there.
        try document.set(facts, file: file)
        return LoadedScenario(document, from: file, clock: clock)
    }

    /// Which of the built-in scenarios it is follows from facts; none has any itself.
    static func checkNoFacts(_ facts: [FactArgument]) throws(ToolError) {
        if !facts.isEmpty { throw ToolError(.usage, "option '--fact' is for scenario files; a built-in scenario has no facts") }
    }

    /// Loads a scenario past its mistakes: those of the file, and the cycles of the graph that is made of what could be
    /// read.
    ///
    /// - Throws: when there is nothing to read.
    static func inspect(
        _ name: String,
        facts: [FactArgument],
        limit: Int
    ) throws -> (scenario: LoadedScenario, mistakes: [ScenarioError]) {
        if Scenario.named(name) != nil { return (try load(name, clock: .virtual, facts: facts), []) }
        let file = inputName(name)
        var (document, mistakes) = try inspectScenario(try bytes(of: name), file: file, limit: limit)
        // Facts that could not be read would only earn a second complaint.
        if mistakes.isEmpty { try document.set(facts, file: file) }
        let scenario = LoadedScenario(document, from: file, clock: .virtual)
        do {
            _ = try scenario.graph.validated()
        } catch {
            // The others are known, by their places in the file.
            mistakes += error.problems.filter { $0.code == .cycle }.prefix(limit - mistakes.count).compactMap(scenario.mistake)
        }
        return (scenario, mistakes)
    }

    static func bytes(of name: String) throws -> [UInt8] {
        // A word that names no file was more likely meant as a scenario's name; a link that leads nowhere has that
        // name.
        let isWord = name != "-" && !name.contains("/") && !name.contains(".")
        var status = stat()
        if isWord, lstat(name, &status) != 0 {
            let names = Scenario.builtIn.map(\.name)
            throw ToolError(.noInput, "there is no scenario and no file \(quoted(name)); \(suggestion(for: name, in: names))")
        }
        return try readInput(name)
    }

    init(graph: OperationGraph) { self.graph = graph }

    /// The scenario of a file.
    init(_ document: ScenarioDocument, from file: String, clock: ClockMode) {
        graph = document.graph(clock: clock)
        self.file = (file, document)
    }

    /// The budget that a launch is given: the command line's, the scenario's own, or the default one.
    func budget(_ argument: Duration?, fromProcessStart: Bool = false) -> Budget {
        let limit = argument ?? file?.document.budget ?? Self.defaultBudget
        return Budget(limit, initialDisplay: file?.document.initialDisplayBudget, fromProcessStart: fromProcessStart)
    }

    /// The deadline that a launch is given: the command line's, the scenario's own, or the default one.
    func deadline(_ argument: LaunchOptions.Deadline?) -> LaunchOptions.Deadline {
        argument ?? file?.document.deadline.map { .after($0) } ?? .automatic
    }

    /// The mistake at its place in the file.
    private func mistake(_ problem: GraphProblem) -> ScenarioError? {
        guard let file, let position = problem.positions.first else { return nil }
        let place = file.document.operations[position].position
        return ScenarioError(file: file.name, position: place, path: "operations[\(position)].after", message: problem.description)
    }

    /// The graph, checked; errors name their place in the file.
    func validated() throws -> ValidatedGraph {
        do {
            return try graph.validated()
        } catch {
            if let placed = error.problems.first.flatMap(mistake) { throw placed }
            throw error
        }
    }

    /// Makes an operation misbehave.
    mutating func inject(_ injection: Injection) throws(ValueError) {
        let update = StartupStep.forceUpdate.id
        if injection.fault == nil, injection.operation != update {
            throw ValueError("only '\(update)' can be required, not \(quoted(injection.operation))")
        }
        // The built-in step has been told what to find; a step from a file has no built-in verdict.
        guard let fault = injection.fault ?? (file == nil ? nil : .abort(.forceUpdate)) else { return }
        do throws(GraphError) {
            try graph.inject(fault, into: injection.operation)
        } catch {
            throw ValueError(error.problems.first?.description ?? error.description)
        }
    }
}

extension ScenarioDocument {
    /// Gives facts other values than the file does.
    ///
    /// - Throws: a ``ToolError`` for a fact that the file does not have, or a value that the fact cannot have.
    mutating func set(_ arguments: [FactArgument], file: String) throws(ToolError) {
        for argument in arguments {
            func mistake(_ text: String) -> ToolError { ToolError(.usage, "option '--fact': \(text)") }
            if facts.isEmpty { throw mistake("\(file) has no facts") }
            guard let values = facts[argument.name] else {
                throw mistake(unknownWord(argument.name, called: "fact", among: facts.keys.sorted()))
            }
            guard values.contains(argument.value) else {
                throw mistake(unknownWord(argument.value, called: "value of \(quoted(argument.name))", among: values))
            }
            facts[argument.name] = [argument.value] + values.filter { $0 != argument.value }
        }
    }
}

/// A launch as the command line asks for it: its scenario, with the faults in it, and the app that is launched.
struct PreparedLaunch {
    var scenario: LoadedScenario
    /// The app of a built-in scenario in real time; nil where steps are simulated: in virtual time nothing real can
    /// happen.
    let app: SampleApp?
    private let arguments: RunArguments

    /// - Parameters:
    ///   - screens: asks the user; nil when defaults answer.
    ///   - device: nil for a launch that writes nothing down.
    init(_ arguments: RunArguments, screens: TerminalScreens? = nil, on device: JournaledDevice? = nil) throws {
        self.arguments = arguments
        if arguments.isBuiltIn { try LoadedScenario.checkNoFacts(arguments.facts) }
        let app = arguments.launchesApp ? try SampleApp(arguments, screens: screens, on: device) : nil
        self.app = app
        let simulated = StartupSteps.simulated(requiresUpdate: arguments.injections.contains(where: \.requiresUpdate))
        func graph(_ scenario: Scenario) -> OperationGraph {
            app?.environment.graph(scenario) ?? scenario.graph(simulated)
        }
        scenario =
            try arguments.scenario.map {
                try LoadedScenario.load($0, clock: arguments.clock, facts: arguments.facts, build: graph)
            } ?? LoadedScenario(graph: graph(Scenario(for: app?.environment.facts() ?? .firstLaunch)))
        // The engine checks every graph. A file is checked before anything is done for its launch, and mistakes are
        // told with their places.
        if scenario.file != nil { _ = try scenario.validated() }
        for injection in arguments.injections { try arguments.value(of: "inject") { try scenario.inject(injection) } }
    }

    /// The launch of a scenario without its app.
    init(_ scenario: LoadedScenario, _ arguments: RunArguments) {
        (self.scenario, self.arguments, app) = (scenario, arguments, nil)
    }

    /// Advice about the state of a new device, if the scenario supposes that of an earlier launch; nil elsewhere.
    var hint: String? {
        let begins = [Scenario.firstLaunch, .restoreAccount, .warmResume, .bootstrap].map(\.name)
        guard let name = arguments.scenario, !begins.contains(name), let facts = app?.environment.facts(),
            facts.account == .none, facts.speaker == .none
        else { return nil }
        let state = arguments.state.map { " --state \(printable($0))" } ?? ""
        return "the state is that of a new device, and \(name) supposes an earlier launch, which leaves an account and a speaker; "
            + "begin with '\(CommandLineTool.name) run first-launch\(state)'"
    }

    var budget: Budget { scenario.budget(arguments.budget, fromProcessStart: arguments.fromProcessStart) }

    /// Has the user allow the work of a scenario file that is somebody else's, before any of it is done.
    func askWhetherToRun() async throws(ToolError) {
        // In virtual time nothing of it is done.
        guard !arguments.isTrusted, arguments.clock == .wall, let name = arguments.scenario, let file = scenario.file else { return }
        try await WorkQuestion(file.document, file: file.name)?.ask(about: name)
    }

    func options() -> LaunchOptions {
        let (wanted, isVirtual) = (arguments.lanes ?? scenario.lanes, arguments.clock == .virtual)
        var options = LaunchOptions(
            // In virtual time a lane takes no thread: the result must not depend on the limits of the machine.
            lanes: isVirtual ? wanted : LaunchThreads.lanes(wanted, for: scenario),
            deadline: scenario.deadline(arguments.deadline),
            deadlineCountsInteractiveTime: !arguments.isInteractive,
            // Suspending: the time in which the machine sleeps is not the launch's (L9).
            clock: isVirtual ? VirtualClock() : SuspendingClock(),
            // In virtual time every run must be the same; in real time two processes must not pause alike before they
            // try again.
            seed: isVirtual ? 0 : .random(in: .min ... .max),
            processors: arguments.processors
        )
        options.measurements = .processorWaits
        return options
    }
}

extension RunArguments {
    /// Makes a value of an option that has been read already; a mistake is one of the command line.
    func value<Value>(of option: String, _ make: () throws -> Value) throws(UsageError) -> Value {
        do { return try make() } catch { throw UsageError("option '--\(option)': \(error)", command: command) }
    }

    /// Whether it is the sample app that is launched, for real: the built-in scenarios in real time.
    var launchesApp: Bool { clock == .wall && isBuiltIn }

    /// Whether the scenario is a built-in one.
    fileprivate var isBuiltIn: Bool { scenario.map { Scenario.named($0) != nil } ?? true }
}

/// The threads that launches of the tool need: there have to be enough before a launch begins. Where the system's
/// libraries find none they try again for ever, with all of their threads at once, and say nothing.
enum LaunchThreads {
    /// More than that are not looked for.
    private static let maximumThreads = 512

    /// As many as the built-in launches have been seen to take at a time, and a few more.
    private static func needed(_ clock: ClockMode) -> Int {
        ProcessInfo.processInfo.activeProcessorCount + (clock == .wall ? 12 : 4)
    }

    static func check(_ clock: ClockMode) throws(ToolError) {
        let needed = needed(clock)
        guard let error = countThreads(upTo: needed).error else { return }
        throw ToolError(.failed, "\(needed) threads are needed, and cannot all be started: \(resourceText(error.code))")
    }

    /// As many lanes as there are threads for, in real time.
    ///
    /// - Parameter wanted: nil for as many as there are operations.
    static func lanes(_ wanted: Int?, for scenario: LoadedScenario) -> Int? {
        guard let operations = scenario.file?.document.operations else { return wanted }
        // Lanes that no operation can use are not looked for: each one tried is a thread that is started.
        let widest = min(wanted ?? .max, operations.count)
        // A command has a process, and a thread that attends to it.
        let each = operations.contains { if case .command = $0.work { true } else { false } } ? 3 : 1
        let own = needed(.wall)
        // The tool's own threads are had in addition, or the launch would begin with as many too few (L62).
        let (count, error) = countThreads(upTo: min(own + widest * each, maximumThreads))
        // A launch with too few threads is slow; one without a lane would never end.
        let lanes = max((count - own) / each, 1)
        guard let error, lanes < widest else { return wanted }
        message("no more than \(lanes) of its operations can run at a time: \(resourceText(error.code))")
        return lanes
    }
}
