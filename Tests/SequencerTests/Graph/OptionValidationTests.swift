import TestSupport
import Testing

@testable import Sequencer

@Suite("Validation of options", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OptionValidationTests {
    private func complaints(_ options: StepOption...) -> [String] {
        var graph = OperationGraph("graph")
        graph.insert("login", options: options, dependencies: [], valueType: Void.self, work: .nothing)
        #expect(graph.problems.allSatisfy { $0.code == .invalidOption && $0.positions == [0] })
        return graph.complaints
    }

    @Test("fault G13: a timeout is more than nothing and at most a day")
    func timeout() {
        #expect(complaints(.timeout(.nanoseconds(1))) == [] && complaints(.timeout(.seconds(86_400))) == [])
        #expect(complaints(.timeout(.zero)) == ["login: a timeout must be more than 0 and at most 24 hours, and is 0.0 seconds"])
        #expect(complaints(.timeout(.seconds(-3))) == ["login: a timeout must be more than 0 and at most 24 hours, and is -3.0 seconds"])
        #expect(
            complaints(.timeout(.seconds(86_401))) == ["login: a timeout must be more than 0 and at most 24 hours, and is 86401.0 seconds"]
        )
        #expect(complaints(.timeout(.seconds(Int64.max))).count == 1)
        #expect(complaints(.timeout(.seconds(Int64.min))).count == 1)
        #expect(complaints(.timeout(.seconds(1e19))).count == 1)
    }

    @Test("fault O46: a milestone cannot be put off until it has ended itself; other steps can", .timeLimit(.minutes(30)))
    func deferrableMilestone() {
        #expect(
            complaints(.milestone, .deferrable)
                == ["login: a milestone cannot be deferrable: put off until the milestone has ended, it would wait for itself"]
        )
        #expect(complaints(.deferrable, .milestone).count == 1)
        // One mistake, said once.
        #expect(complaints(.milestone, .initialDisplay, .deferrable).count == 1)
        #expect(complaints(.deferrable) == [] && complaints(.milestone) == [])
    }

    @Test("an expected duration is nothing to a day")
    func expected() {
        #expect(complaints(.expected(.zero)) == [])
        #expect(complaints(.expected(.seconds(86_400))) == [])
        #expect(
            complaints(.expected(.milliseconds(-1))) == ["login: an expected duration must be 0 to 24 hours, and is -0.001 seconds"]
        )
        #expect(complaints(.expected(.seconds(1e19))).count == 1)
    }

    @Test(
        "retry makes 1 to 100 attempts",
        arguments: [(1, true), (100, true), (0, false), (101, false), (-1, false), (.max, false), (.min, false)]
    )
    func attempts(attempts: Int, isValid: Bool) {
        #expect(complaints(.retry(attempts: attempts)) == (isValid ? [] : ["login: retry needs 1 to 100 attempts, and has \(attempts)"]))
    }

    @Test(
        "a multiplier is 1 to 1000",
        arguments: [(1.0, true), (1000, true), (0.99, false), (0, false), (-2, false), (1001, false), (.nan, false), (.infinity, false)]
    )
    func multiplier(multiplier: Double, isValid: Bool) {
        let policy = RetryPolicy(attempts: 2, multiplier: multiplier)
        #expect(complaints(.retry(policy)) == (isValid ? [] : ["login: a retry's multiplier must be 1 to 1000, and is \(multiplier)"]))
    }

    @Test("jitter is 0 to 1", arguments: [(0.0, true), (1, true), (1.5, false), (-0.1, false), (.nan, false), (-.infinity, false)])
    func jitter(jitter: Double, isValid: Bool) {
        let policy = RetryPolicy(attempts: 2, jitter: jitter)
        #expect(complaints(.retry(policy)) == (isValid ? [] : ["login: a retry's jitter must be 0 to 1, and is \(jitter)"]))
    }

    @Test("pauses are nothing to a day")
    func backoff() {
        #expect(complaints(.retry(RetryPolicy(attempts: 2, backoff: .zero, maximumBackoff: .zero))) == [])
        #expect(complaints(.retry(RetryPolicy(attempts: 2, backoff: .seconds(86_400), maximumBackoff: .seconds(86_400)))) == [])
        #expect(
            complaints(.retry(RetryPolicy(attempts: 2, backoff: .seconds(-1)))) == [
                "login: a retry's backoff must be 0 to 24 hours, and is -1.0 seconds, at most 5.0 seconds"
            ]
        )
        #expect(complaints(.retry(RetryPolicy(attempts: 2, backoff: .seconds(86_401)))).count == 1)
        #expect(complaints(.retry(RetryPolicy(attempts: 2, maximumBackoff: .seconds(-1)))).count == 1)
        #expect(complaints(.retry(RetryPolicy(attempts: 2, maximumBackoff: .seconds(86_401)))).count == 1)
    }

    @Test("all that is wrong with one step is reported")
    func several() {
        let retry = RetryPolicy(attempts: 0, backoff: .seconds(-1), multiplier: .nan, jitter: 2)
        #expect(complaints(.timeout(.zero), .expected(.seconds(-1)), .retry(retry)).count == 6)
    }

    @Test("exclusive resources add up; of options in layers, the last counts")
    func repeatedOptions() {
        var graph = OperationGraph("graph")
        graph.join("login", .layers([.timeout(.zero), .timeout(.seconds(1))]), .exclusive("ui", "network"), .exclusive("ui", "disk"))
        #expect(graph.complaints == [])
        #expect(complaints(.layers([.timeout(.seconds(1)), .all([.title("a"), .title("b")])])).count == 1)
        #expect(graph.nodes.first?.policy?.value.exclusive == [.userInterface, "network", "disk"])
    }

    @Test("there is one milestone at most")
    func milestones() throws {
        var graph = OperationGraph("graph")
        graph.join("splash")
        graph.join("main-app", .milestone)
        #expect(try graph.validated().milestone == "main-app")
        graph.join("login", .milestone)
        graph.join("tutorial", .milestone)
        #expect(
            graph.problems == [
                GraphProblem(
                    .severalMilestones,
                    positions: [1, 2],
                    "'main-app' and 'login' are both marked as milestone; there can be one"
                ),
                GraphProblem(
                    .severalMilestones,
                    positions: [1, 3],
                    "'main-app' and 'tutorial' are both marked as milestone; there can be one"
                ),
            ]
        )
    }

    @Test(
        "a budget of no number, or of infinitely many seconds, is refused when the launch starts",
        arguments: [Double.nan, .infinity, -.infinity, 1e30]
    )
    func strangeBudgets(seconds: Double) {
        var graph = OperationGraph("strange")
        graph.add("only") {}
        let error = #expect(throws: GraphError.self) { try graph.start(budget: .seconds(seconds)) }
        #expect(error?.problems.map(\.code) == [.invalidOption])
    }
}
