import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Critical path and slack", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CriticalPathTests {
    private func graph(_ steps: [(id: String, milliseconds: Int?, after: [String])]) throws -> ValidatedGraph {
        var graph = OperationGraph("graph")
        for step in steps {
            let options: [StepOption] = step.milliseconds.map { [.expected(.milliseconds($0))] } ?? []
            graph.insert(
                step.id,
                options: options,
                dependencies: step.after,
                valueType: Void.self,
                work: .synchronous { _ in () }
            )
        }
        return try graph.validated()
    }

    @Test("without expectations the path with the most operations; it takes no time and leaves no slack")
    func nothingExpected() throws {
        let launch = try graph([("a", nil, []), ("b", nil, []), ("c", nil, ["b"]), ("d", nil, ["c", "a"])])
        #expect(launch.criticalPath == ["b", "c", "d"])
        #expect(launch.criticalPathDuration == .zero)
        #expect(try launch.slack(of: "a") == .zero)
    }

    @Test("of equally long paths, the one of the operations that were added first")
    func ties() throws {
        #expect(try graph([("a", 5, []), ("b", 5, [])]).criticalPath == ["a"])
        #expect(try graph([("a", 5, []), ("b", 1, ["a"]), ("c", 1, ["a"]), ("d", 1, ["b", "c"])]).criticalPath == ["a", "b", "d"])
        var late = OperationGraph("late")
        for id in ["a", "b", "c"] { late.join(id, .expected(.milliseconds(1))) }
        late.addDependency("a", to: "c")
        late.addDependency("a", to: "b")
        #expect(try late.validated().criticalPath == ["a", "b"])
    }

    @Test("the longest durations that are allowed do not overflow, nor do longer sums than can be counted")
    func saturation() throws {
        let day = 86_400_000
        let steps = (0..<120_000).map { (id: "s\($0)", milliseconds: Optional(day), after: $0 == 0 ? [] : ["s\($0 - 1)"]) }
        let long = try graph(steps)
        #expect(long.criticalPathDuration == .nanoseconds(Int64.max))
        #expect(long.criticalPath.count == long.count)
        _ = try long.slack(of: "s60000")
    }

    @Test("the path to the milestone, without the time in which a person is waited for: as much as the plan counts")
    func budgetedPath() async throws {
        var graph = OperationGraph("graph")
        #expect(try graph.validated().budgetedPath.path == [])
        let splash = graph.add("splash", .expected(.milliseconds(400))) {}
        let update = graph.add("force-update", .expected(.milliseconds(500))) {}
        let login = graph.add("login", .interactive, .expected(.seconds(10)), after: splash) {}
        graph.add("main-app", .milestone, .expected(.milliseconds(50)), after: login, update) {}
        graph.add("cleanup", .expected(.seconds(9)), after: "main-app") {}
        graph.add("survey", .interactive, .expected(.seconds(1)), after: "main-app") {}
        let valid = try graph.validated()
        #expect(valid.budgetedPath.path == ["splash", "login", "main-app"])
        // The update check goes on while the login waits.
        #expect(valid.budgetedPath.duration == .milliseconds(450))
        #expect(try await valid.plan().report.budget.measured == .milliseconds(450))
        #expect(valid.criticalPath == ["splash", "login", "main-app"])
        #expect(valid.criticalPathDuration == .milliseconds(10_450))
        // What the milestone does not need may end with it; what comes after it is late by any time.
        #expect(try valid.slack(of: "force-update") == .milliseconds(9_900) && valid.slack(of: "cleanup") == .zero)
    }

    @Test("operations that could ask a person at the same time")
    func overlappingInteractions() throws {
        var graph = OperationGraph("graph")
        graph.join("consent", .interactive)
        graph.join("login", .interactive, .exclusive(.userInterface))
        graph.join("tutorial", .interactive, .exclusive(.userInterface))
        graph.join("speaker", .interactive, after: "consent")
        graph.join("splash", after: "consent")
        #expect(
            try graph.validated().overlappingInteractions(maximum: .max).pairs.map { [$0, $1] } == [
                ["consent", "login"], ["consent", "tutorial"], ["login", "speaker"], ["tutorial", "speaker"],
            ]
        )
        let first = try graph.validated().overlappingInteractions(maximum: 3)
        #expect(first.pairs.map { $0.1 } == ["login", "tutorial", "speaker"] && first.count == 4)
        #expect(try graph.validated().overlappingInteractions(maximum: 0).count == 4)
    }

    @Test("of random graphs, larger than one pass looks at: the pairs of which neither waits for the other", arguments: 0..<6)
    func overlappingInteractionsOfRandomGraphs(seed: UInt64) throws {
        let random = RandomGraph(seed: seed, operations: seed == 0 ? 1_200...1_200 : 1...80)
        let model = GraphModel(random)
        let graph = try random.graph { $0.isMultiple(of: 3) ? [.interactive, .exclusive(.userInterface)] : [.interactive] }.validated()
        var pairs: [[String]] = []
        for left in 0..<random.count {
            for right in left + 1..<max(random.count, left + 1) where !model.ancestors[left][right] && !model.ancestors[right][left] {
                if !(left.isMultiple(of: 3) && right.isMultiple(of: 3)) { pairs.append([random.id(left), random.id(right)]) }
            }
        }
        #expect(graph.overlappingInteractions(maximum: .max).pairs.map { [$0, $1] } == pairs)
    }
}
