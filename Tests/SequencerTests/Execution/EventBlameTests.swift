import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// A launch that is late since something outside of it came late says what that was.
@Suite("Events from outside: blame", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EventBlameTests {
    /// How a step waits for the window.
    enum Wait: CaseIterable, Sendable {
        case step, otherName, withExpectation, inClosure
    }

    /// Reads a window, which comes after 5 s, and a feed, which takes 600 ms.
    private func graph(_ wait: Wait) -> OperationGraph {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("launch")
        let connected =
            switch wait {
            case .step: graph.wait(for: window)
            case .otherName: graph.wait(for: window, id: "scene")
            case .withExpectation: graph.wait(for: window, .expected(.milliseconds(300)))
            case .inClosure: graph.add("window") { try await window.value }
            }
        let feed = graph.wait("fetch-feed", 600)
        graph.add("main-app", .milestone, using: .context, connected, after: feed) { launch, _ in
            try await launch.sleep(for: .milliseconds(100))
        }
        graph.add("connect", .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(5))
            window.fulfill("main")
        }
        return graph
    }

    @Test("the step that waited is the cause of the overrun, and the verdict names it and its event", arguments: Wait.allCases)
    func causes(wait: Wait) async throws {
        let report = try await graph(wait).run(budget: .seconds(3), options: .virtual()).report
        #expect(report.outcome == .completed && !report.budget.isMet && report.budget.measured == .milliseconds(5_100))
        let step = wait == .otherName ? "scene" : "window"
        #expect(report.budget.causes == [step])
        #expect(report.criticalPath == [step, "main-app"])
        let times =
            switch wait {
            case .step, .inClosure: "5 s"
            case .otherName: "5 s for the event 'window'"
            case .withExpectation: "5 s, 300 ms expected"
            }
        #expect(LaunchShortfall(of: report)?.description == "launch took 5.1 s of 3 s, 2.1 s over: \(step) (\(times))")
        let words = wait == .otherName ? "<bdi>\(Markup.text(times))</bdi>" : times
        #expect(report.html().contains(": <bdi>\(step)</bdi> (\(words))"))
        #expect(report.markdown().contains("Over budget because of `\(step)`."))
    }

    @Test("a person's time is nobody's fault, also where a step waits for it by an event")
    func person() async throws {
        let answer = ExternalEvent<Bool>("answer")
        var graph = OperationGraph("launch")
        let answered = graph.wait(for: answer, .interactive)
        graph.wait("main-app", 100, .milestone, after: answered)
        graph.add("person") { launch in
            try await launch.sleep(for: .seconds(5))
            answer.fulfill(true)
        }
        let report = try await graph.run(budget: .seconds(3), options: .virtual()).report
        #expect(report.budget.isMet && report.budget.measured == .milliseconds(100) && report.budget.interactive == .seconds(5))
        #expect(report.budget.causes == [])
    }
}
