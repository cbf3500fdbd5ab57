import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Changing a graph: addDependency, remove, replace", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RewiringTests {
    private let options = LaunchOptions(clock: VirtualClock(), seed: 1)

    /// `splash → tutorial → main-app`, and `login` beside the tutorial.
    private func launch() -> OperationGraph {
        var graph = OperationGraph("launch")
        let splash = graph.join("splash")
        let tutorial = graph.join("tutorial", after: splash)
        let login = graph.join("login", after: splash)
        graph.join("main-app", after: tutorial, login)
        return graph
    }

    @Test("addDependency joins handles, identifiers and arrays of them")
    func addDependency() throws {
        var graph = OperationGraph("graph")
        let (a, b, c, d) = (graph.join("a"), graph.join("b"), graph.join("c"), graph.join("d"))
        graph.addDependency(a, to: b)
        graph.addDependency("b", to: [c, d])
        graph.addDependency(["a", "b"], to: "d")
        #expect(try graph.validated().edges == ["b after a", "c after b", "d after a", "d after b"])
    }

    @Test("a step whose value is read cannot just go; one of the same name may come in its place")
    func removeWhatIsRead() async throws {
        var graph = OperationGraph("graph")
        let splash = graph.join("splash")
        let country = graph.add("country", after: splash) { "CH" }
        let login = graph.add("login", using: country) { "login \($0)" }
        graph.add("banner", using: country.optional) { _ in }
        graph.join("main-app", after: country)
        graph.remove("country")
        #expect(
            graph.complaints == [
                "login reads 'country', which is not in the graph", "banner waits for 'country', which is not in the graph",
            ]
        )
        graph.add("country") { "IT" }
        #expect(
            try graph.validated().edges == [
                "login after splash", "login after country", "banner after splash", "banner after country", "main-app after splash",
            ]
        )
        let launch = try await graph.run(options: options)
        #expect(try launch[login] == "login IT")
    }

    @Test("replace needs two steps that are there, and says which one is not")
    func replaceNothing() throws {
        var graph = launch()
        try graph.replace("tutorial", with: "tutorial")
        #expect { try graph.replace("tutorial", with: "logn") } throws: { error in
            "\(error)".contains("'logn'") && "\(error)".contains("'login'")
        }
        #expect { try graph.replace("missing", with: "tutorial") } throws: { "\($0)".contains("'missing'") }
        #expect(graph.identifiers == ["splash", "tutorial", "login", "main-app"])
    }

    @Test("readers of a replaced step read the value of the step in its place")
    func replaceWhatIsRead() async throws {
        var graph = OperationGraph("graph")
        let country = graph.add("country") { "CH" }
        let login = graph.add("login", using: country) { "login \($0)" }
        let stored = graph.add("stored-country") { "IT" }
        try graph.replace("country", with: "stored-country")
        // Named after it is gone, by its handle or its identifier, it still means the step in its place.
        let late = graph.add("late", using: country) { "late \($0)" }
        graph.join("main-app", after: "country")
        #expect(
            try graph.validated().edges == ["login after stored-country", "late after stored-country", "main-app after stored-country"]
        )

        graph.add("asked-country") { "FR" }
        try graph.replace("stored-country", with: "asked-country")
        let launch = try await graph.run(options: options)
        #expect(try launch[login] == "login FR")
        #expect(try launch[late] == "late FR")
        #expect(try launch[country] == "FR")
        #expect(try launch[stored] == "FR")
    }

    @Test("a replaced step that is added again is not read by accident")
    func replaceAndAddAgain() throws {
        var graph = OperationGraph("graph")
        let country = graph.add("country") { "CH" }
        let login = graph.add("login", using: country) { $0 }
        graph.add("stored-country") { "IT" }
        try graph.replace("country", with: "stored-country")
        graph.add("country") { "FR" }
        #expect(graph.complaints == ["login reads from 'country', and does not wait for it; add the dependency"])
        graph.addDependency("country", to: login)
        #expect(try graph.validated().edges == ["login after stored-country", "login after country"])
    }

    @Test("fault G11: a step that takes the place of the step whose value it reads is refused, for it would wait for itself")
    func replacedByItsReader() throws {
        var graph = OperationGraph("replaced")
        let first = graph.add("first") { 1 }
        graph.add("second", using: first) { $0 + 1 }
        graph.add("third", using: first) { $0 + 2 }
        try graph.replace("first", with: "second")
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        #expect(error?.problems.map(\.code) == [.selfDependency], "\(error.map(String.init(describing:)) ?? "")")
    }
}
