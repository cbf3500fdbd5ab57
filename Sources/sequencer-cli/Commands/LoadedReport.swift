import Foundation
import Sequencer
import StartupOps

/// What became of a launch: of one that was saved, or of a scenario, which is run in virtual time for it.
enum LoadedReport {
    /// - Parameter name: a saved report, a built-in scenario, a scenario file, or `-`.
    static func load(_ name: String) async throws -> ReportDocument {
        if Scenario.named(name) != nil { return try await run(try LoadedScenario.load(name, clock: .virtual)) }
        let isFile = name == "-" || name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name)
        // Says which scenarios there are.
        guard isFile else { return try await run(try LoadedScenario.load(name, clock: .virtual)) }
        let bytes = try readInput(name)
        let file = inputName(name)
        let lines = SourceLines(bytes)
        let value: JSONValue
        do throws(JSONError) {
            value = try parseJSON(bytes)
        } catch {
            throw ScenarioError(file: file, position: lines.position(of: error.offset), path: "", message: error.message)
        }
        let root = ScenarioField(value: value, path: .root)
        if case .string("sequencer.report/1")? = root.child("schema")?.value.content {
            do throws(ScenarioFault) {
                return try parseReport(root)
            } catch {
                throw ScenarioError(
                    file: file,
                    position: lines.position(of: error.offset),
                    path: error.path.description,
                    message: error.message
                )
            }
        }
        return try await run(LoadedScenario(try parseScenario(bytes, file: file), from: file, clock: .virtual))
    }

    private static func run(_ scenario: LoadedScenario) async throws -> ReportDocument {
        let graph = try scenario.validated()
        let budget = Budget(scenario.budget ?? RunCommand.defaultBudget)
        let options = LaunchOptions(
            lanes: scenario.lanes,
            plan: try scenario.lanes.map { try graph.plan(PlanOptions(lanes: $0)) },
            deadline: scenario.deadline ?? RunCommand.defaultDeadline,
            clock: VirtualClock(),
            seed: 0
        )
        return ReportDocument(try await Sequencer(scenario.graph, budget: budget, options: options).run())
    }
}
