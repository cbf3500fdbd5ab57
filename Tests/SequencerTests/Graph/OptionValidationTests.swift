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

    /// Two attempts, with a pause of half a second that may grow to five.
    private func retry(
        backoff: Duration = .milliseconds(500),
        maximumBackoff: Duration = .seconds(5),
        multiplier: Double = 2,
        jitter: Double = 0
    ) -> StepOption {
        var policy = RetryPolicy(attempts: 2)
        (policy.backoff, policy.maximumBackoff) = (backoff, maximumBackoff)
        (policy.multiplier, policy.jitter) = (multiplier, jitter)
        return .retry(policy)
    }

    @Test("fault G13: options have their ranges, and what is out of one is refused with its value")
    func ranges() {
        let day = Duration.seconds(86_400)
        let allowed: [StepOption] = [
            .timeout(.nanoseconds(1)), .timeout(day), .expected(.zero), .expected(day), .retry(attempts: 1),
            .retry(attempts: 100), retry(backoff: .zero, maximumBackoff: .zero), retry(backoff: day, maximumBackoff: day),
            retry(multiplier: 1), retry(multiplier: 1000), retry(jitter: 0), retry(jitter: 1),
        ]
        for option in allowed { #expect(complaints(option) == []) }
        for seconds in [0, -3, 86_401, .max, .min] {
            let timeout = Duration.seconds(seconds)
            let sentence = "login: a timeout must be more than 0 and at most 24 hours, and is \(timeout)"
            #expect(complaints(.timeout(timeout)) == [sentence])
        }
        for time in [Duration.milliseconds(-1), .seconds(1e19)] {
            #expect(complaints(.expected(time)) == ["login: an expected duration must be 0 to 24 hours, and is \(time)"])
        }
        for attempts in [0, 101, -1, .max, .min] {
            #expect(complaints(.retry(attempts: attempts)) == ["login: retry needs 1 to 100 attempts, and has \(attempts)"])
        }
        for multiplier in [0.99, 0, -2, 1001, .nan, .infinity] {
            let sentence = "login: a retry's multiplier must be 1 to 1000, and is \(multiplier)"
            #expect(complaints(retry(multiplier: multiplier)) == [sentence])
        }
        for jitter in [1.5, -0.1, .nan, -.infinity] {
            #expect(complaints(retry(jitter: jitter)) == ["login: a retry's jitter must be 0 to 1, and is \(jitter)"])
        }
        for (backoff, maximum) in [(-1, 5), (86_401, 5), (1, -1), (1, 86_401)] {
            let sentence = "a retry's backoff must be 0 to 24 hours, and is \(backoff).0 seconds, at most \(maximum).0 seconds"
            #expect(complaints(retry(backoff: .seconds(backoff), maximumBackoff: .seconds(maximum))) == ["login: " + sentence])
        }
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
