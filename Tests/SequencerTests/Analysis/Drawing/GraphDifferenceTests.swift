import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("The difference of two graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphDifferenceTests {
    private func graph(_ steps: KeyValuePairs<String, [String]>) throws -> ValidatedGraph {
        var graph = OperationGraph("graph")
        for (id, dependencies) in steps { graph.join(id, after: dependencies) }
        return try graph.validated()
    }

    @Test("operations and dependencies that came and went")
    func changes() throws {
        let old = try graph(["splash": [], "login": ["splash"], "tutorial": ["login"], "main-app": ["tutorial", "login"]])
        let new = try graph(["splash": [], "consent": [], "login": [], "main-app": ["splash", "login", "consent"]])
        let difference = new.difference(from: old)
        #expect(difference.addedSteps == ["consent"])
        #expect(difference.removedSteps == ["tutorial"])
        #expect(difference.addedEdges == ["main-app after splash"])
        #expect(difference.removedEdges == ["login after splash"])
        #expect(!difference.isEmpty)
        #expect(
            difference.description == """
                - tutorial
                + consent
                - login after splash
                + main-app after splash
                """
        )
    }
}
