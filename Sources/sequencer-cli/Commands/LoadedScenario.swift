import Foundation
import Sequencer
import StartupOps

/// A scenario to work on, from wherever it came.
struct LoadedScenario {
    var graph: OperationGraph
    var budget: Duration?
    var lanes: Int?
    var deadline: Duration?
    /// The file it was read from, and the place of each operation in it; nil for a built-in scenario.
    var file: (name: String, document: ScenarioDocument)?

    /// Loads a built-in scenario by its name, or else a scenario file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - clock: decides what work in files becomes.
    ///   - build: makes the graph of a built-in scenario; its steps are simulated unless said otherwise.
    static func load(
        _ name: String,
        clock: ClockMode,
        build: (Scenario) throws -> OperationGraph = { $0.graph(.simulated()) }
    ) throws -> LoadedScenario {
        if let scenario = Scenario.named(name) { return LoadedScenario(graph: try build(scenario)) }
        // A word that names no file was more likely meant as a scenario's name.
        let isWord = name != "-" && !name.contains("/") && !name.contains(".")
        if isWord, !FileManager.default.fileExists(atPath: name) {
            let names = Scenario.all.map(\.name)
            throw ToolError(.noInput, "there is no scenario and no file \(quoted(name)); \(suggestion(for: name, in: names))")
        }
        let bytes = try readInput(name)
        return LoadedScenario(try parseScenario(bytes, file: inputName(name)), from: inputName(name), clock: clock)
    }

    private init(graph: OperationGraph) {
        self.graph = graph
    }

    /// What a scenario file says.
    init(_ document: ScenarioDocument, from file: String, clock: ClockMode) {
        graph = document.graph(clock: clock)
        budget = document.budget
        lanes = document.lanes
        deadline = document.deadline
        self.file = (file, document)
    }

    /// The graph, checked; what is wrong is said with its place in the file.
    func validated() throws -> ValidatedGraph {
        do {
            return try graph.validated()
        } catch {
            guard let file, let problem = error.problems.first, let position = problem.positions.first else { throw error }
            throw ToolError(
                .badData,
                "\(file.name):\(file.document.operations[position].position): operations[\(position)].after: \(problem.message)"
            )
        }
    }
}

/// What ends the tool with a sentence and a code.
struct ToolError: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let description: String

    init(_ exitCode: ExitCode, _ description: String) {
        self.exitCode = exitCode
        self.description = description
    }
}
