@testable import Sequencer

extension OperationGraph {
    /// What is wrong with the graph; nothing when it is valid.
    var problems: [GraphProblem] {
        do {
            _ = try validated()
            return []
        } catch {
            return error.problems
        }
    }

    /// The messages of ``problems``.
    var complaints: [String] { problems.map(\.description) }
}
