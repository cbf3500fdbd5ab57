import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// Values and errors, as a log or an alert of an app shows them.
@Suite("Public API: descriptions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DescriptionTests {
    private func failure<Result>(_ body: () throws -> Result) -> (any Error)? {
        do {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("an error's localizedDescription, which an alert shows, is its description")
    func errors() async throws {
        var graph = OperationGraph("errors")
        let step = graph.add("step", .onFailure(.continue)) { 1 }
        try graph.inject(.fail, into: "step")
        let launch = try await graph.run(options: virtual())
        let report = launch.report
        let history = LaunchHistoryFile(URL(fileURLWithPath: "/there-is-none-\(UUID().uuidString)/history.json"))
        let thrown = [
            failure { try graph.validated().ancestors(of: "stp") },
            failure { try launch[step] },
            (failure { try launch[step] } as? OperationError)?.underlying,
            failure { try report.otlp() },
            failure { try history.record(report) },
            failure { try APIEnvironment(graphQL: "") },
            failure { try DeepLinkRouter(origins: [], routes: []).link("") },
            failure { try PushPayloadParser(categories: []).payload(from: Data()) },
            failure { try ShortcutItems([ShortcutItem("play")]).item(ofType: "pay") },
        ]
        let made: [any Error] = [
            StorageError(.locked, "session", "the device was not unlocked yet"),
            NetworkError(.timedOut, request: "GET api.example.com/v1/profile", "no answer within 2 s"),
            SessionRejected("invalid_grant"),
            AccountError(.invalidCredentials, "the address or the password is wrong"),
            DeviceError(.unreachable, "speaker kitchen", "there is none"),
            SDKError.superseded("client"),
        ]
        #expect(!thrown.contains { $0 == nil })
        for error in thrown.compactMap({ $0 }) + made {
            #expect(error.localizedDescription == "\(error)")
            // Words, and not the fields of a value.
            #expect(!"\(error)".contains("Error("))
        }
    }

    private func graph() -> OperationGraph {
        var graph = OperationGraph("regular")
        let retry = StepOption.retry(attempts: 2, backoff: .milliseconds(50), jitter: 0)
        let login = graph.add("login", retry, .expected(.milliseconds(610))) { launch in
            try await launch.sleep(for: .milliseconds(280))
            if launch.attempt == 1 { throw Trouble() }
        }
        let main = graph.add("main", .milestone, .expected(.milliseconds(390)), after: login) { launch in
            try await launch.sleep(for: .milliseconds(390))
        }
        graph.add("sync", .expected(.milliseconds(500)), after: main) { launch in try await launch.sleep(for: .milliseconds(500)) }
        return graph
    }

    @Test("the events of a launch are printed as one would tell them")
    func events() async throws {
        let (events, observe) = AsyncStream.makeStream(of: LaunchEvent.self)
        var options = virtual()
        options.observers.append { observe.yield($0) }
        _ = try await graph().start(options: options).end()
        observe.finish()
        let told: [String] = await events.reduce(into: []) { $0.append("\($1)") }
        #expect(
            told == [
                "0 ms: the launch started", "0 ms: login is ready", "0 ms: login started",
                "280 ms: login failed at attempt 1 and is tried again", "330 ms: login started, attempt 2", "610 ms: login succeeded",
                "610 ms: main is ready", "610 ms: main started", "1 s: main succeeded", "1 s: sync is ready", "1 s: sync started",
                "1.5 s: sync succeeded", "1.5 s: the launch ended",
            ]
        )
        let others: [LaunchEvent.Kind] = [.ended("a", .timedOut), .ended("b", .fellBack), .stopped, .dropped(1), .dropped(2)]
        #expect(
            others.map(\.description) == [
                "a timed out", "b fell back", "the launch starts nothing more", "1 event is missing", "2 events are missing",
            ]
        )
    }

    @Test("the line of a report names the operations that did not do their work, and not those that were not wanted")
    func trouble() async throws {
        var graph = graph()
        graph.add("config", fallback: 1) { () throws -> Int in throw Trouble() }
        let tips = graph.add("tips", .onFailure(.skipDependents)) { throw Trouble() }
        graph.add("badge", after: tips) {}
        graph.add("tutorial", .when { false }) {}
        let report = try await graph.run(budget: .seconds(3), options: virtual()).report
        #expect("\(report)" == "regular: completed; 1 s of 3 s, pass; fell back: config; failed: tips; skipped: badge")
    }

    @Test("a report and its parts, a plan and a history are one line each")
    func reports() async throws {
        let graph = graph()
        let report = try await graph.run(budget: .seconds(3), options: virtual()).report
        #expect("\(report)" == "regular: completed; 1 s of 3 s, pass" && "\(report.budget)" == "1 s of 3 s, pass")
        #expect(
            report.operations.map(\.description) == [
                "login succeeded after 610 ms", "main succeeded after 390 ms", "sync succeeded after 500 ms",
            ]
        )
        #expect(report.afterMilestone?.description == "1 operation after the milestone at 1 s: completed")
        let outcomes: [LaunchReport.Outcome] = [
            .completed, .cancelled, .failed(operation: "login", message: "no\nnetwork"), .aborted(by: "update", reason: .forceUpdate),
        ]
        #expect(
            outcomes.map(\.description) == [
                "completed", "cancelled", "failed at login: no\\nnetwork", "aborted by update (force-update)",
            ]
        )
        let plan = try await graph.plan(PlanOptions(lanes: 1))
        #expect("\(plan)" == "regular: planned to take 1.5 s on 1 lane; milestone after 1 s")
        #expect(plan.operations.first?.description == "login succeeded after 610 ms")
        var history = LaunchHistory()
        #expect("\(history)" == "0 operations in 0 scenarios")
        history.record(report)
        #expect("\(history)" == "3 operations in 1 scenario")
    }

    @Test("what a graph is made of is printed by its name, a budget in words, a problem as its message")
    func parts() throws {
        var graph = OperationGraph("parts")
        let step = graph.add("config") { 1 }
        let budgets = [
            Budget(.seconds(3)), Budget(.seconds(1.2), fromProcessStart: true), Budget(.milliseconds(500), isEnforced: false),
        ]
        #expect(budgets.map(\.description) == ["3 s", "1.2 s from the start of the process", "500 ms, only measured"])
        let named: [any CustomStringConvertible] = [step, step.optional, FailurePolicy.continue, ExclusiveResource.userInterface]
        #expect(named.map(\.description) == ["config", "config", "continue", "ui"])
        #expect("\(Anomaly.Kind.endedLate)" == "endedLate")
        #expect("\(AccountError.Code.noSession)" == "noSession")
        #expect("\(CachePolicy.fetchIgnoringCache), \(TokenRequirement.optional)" == "fetchIgnoringCache, optional")
        #expect(Set(CachePolicy.allCases).count == 4)
        graph.add("config") {}
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        let problem = try #require(error?.problems.first)
        #expect("\(problem)".contains("'config'") && "\(problem.code)" == "duplicateIdentifier")
    }
}
