import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Steps whose ends settle an event.
@Suite("Events from outside: steps that bring them about", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PromisedEventTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "no network"
    }

    private func reason<Value>(_ event: ExternalEvent<Value>) -> String? {
        guard case .failure(let error)? = event.result else { return nil }
        return "\(error)"
    }

    @Test("a step's value, or its fallback's, fulfils the event when the step ends, and a wait in another launch goes on at that moment")
    func value() async throws {
        let (session, country, ready) = (ExternalEvent<String>("session"), ExternalEvent<String>("country"), ExternalEvent<Void>("ready"))
        var graph = OperationGraph("launch")
        let login = graph.add("log-in", .fulfills(session)) { launch in
            try await launch.sleep(for: .seconds(2))
            return "Anna"
        }
        graph.add("country", .fulfills(country), fallback: "FR") { throw Failure() }
        graph.join("ready", .fulfills(ready), after: login)
        var other = OperationGraph("other")
        let waits = other.wait(for: session)
        let clock = VirtualClock()
        let options = LaunchOptions(deadline: .never, clock: clock)
        let (first, second) = try clock.hold { (try graph.start(options: options), try other.start(options: options)) }
        let report = await second.end().report
        #expect(report.outcome == .completed && report.makespan == .seconds(2))
        #expect(try second.value(of: waits) == "Anna")
        #expect(await first.end().report.outcome == .completed)
        #expect(try country.result?.get() == "FR")
        #expect(ready.result != nil && reason(ready) == nil)
    }

    @Test("a step that ends without a value fails the event, and says why")
    func endings() async throws {
        let events = ["fails", "late", "skipped", "behind"].map { ExternalEvent<String>($0) }
        var graph = OperationGraph("endings")
        let fails = graph.add("fails", .fulfills(events[0]), .onFailure(.skipDependents)) { () throws -> String in throw Failure() }
        graph.add("late", .fulfills(events[1]), .timeout(.seconds(1)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(9))
            return "late"
        }
        graph.add("skipped", .fulfills(events[2]), .when { false }) { "never" }
        graph.add("behind", .fulfills(events[3]), after: fails) { "never" }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed)
        #expect(
            events.map(reason) == [
                "the event 'fails' failed: fails failed: no network", "the event 'late' failed: late timed out",
                "the event 'skipped' failed: skipped was skipped", "the event 'behind' failed: behind was skipped",
            ]
        )
    }

    @Test("an abort fails what can no longer come, in whatever launch it is waited for; what has come stays")
    func abort() async throws {
        let (session, window, shown) = (ExternalEvent<String>("session"), ExternalEvent<String>("window"), ExternalEvent<String>("shown"))
        var graph = OperationGraph("aborted")
        graph.add("window", .fulfills(window)) { "main" }
        let login = graph.add("log-in", .fulfills(session)) { launch in
            try await launch.sleep(for: .seconds(9))
            return "Anna"
        }
        graph.add("show", .fulfills(shown), after: login) { "home" }
        graph.add("update") { launch in
            try await launch.sleep(for: .seconds(1))
            launch.abort(.forceUpdate)
        }
        var other = OperationGraph("other")
        other.wait(for: session)
        let clock = VirtualClock()
        let options = LaunchOptions(clock: clock)
        let (first, second) = try clock.hold { (try graph.start(options: options), try other.start(options: options)) }
        #expect(await first.end().report.outcome == .aborted(by: "update", reason: .forceUpdate))
        let report = await second.end().report
        #expect(report.outcome == .failed(operation: "session", message: "the event 'session' failed: log-in was cancelled"))
        #expect(report.makespan == .seconds(1))
        #expect(reason(shown) == "the event 'shown' failed: show was cancelled")
        #expect(try window.result?.get() == "main")
    }

    @Test("attempts that fail settle nothing; the last one does, once, also where the step waits for an event itself")
    func attempts() async throws {
        let (source, relay, repeated) = (ExternalEvent<Int>("source"), ExternalEvent<Int>("relay"), ExternalEvent<Int>("repeated"))
        let attempts = Journal()
        var graph = OperationGraph("attempts")
        graph.wait(for: source, .fulfills(relay))
        graph.add("repeated", .fulfills(repeated), .retry(attempts: 3, backoff: .seconds(1), jitter: 0)) { step in
            attempts.note("\(step.attempt) \(repeated.result == nil)")
            if step.attempt < 3 { throw Failure() }
            source.fulfill(7)
            return step.attempt
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed && attempts.all == ["1 true", "2 true", "3 true"])
        #expect(try relay.result?.get() == 7)
        #expect(try repeated.result?.get() == 3)
    }

    @Test("two steps of a graph cannot fulfil one event: the first that ended without a value would fail it")
    func two() {
        let session = ExternalEvent<String>("session")
        var graph = OperationGraph("launch")
        graph.add("restore", .fulfills(session), .when { false }) { "Anna" }
        graph.add("log-in", .fulfills(session)) { "Bert" }
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        #expect(error?.problems.map(\.code) == [.invalidOption])
        #expect(error?.description.contains("'restore' and 'log-in' both fulfil the event 'session'") == true)
    }
}
