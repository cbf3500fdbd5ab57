import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Leaving steps out of a launch that must reach its milestone.
@Suite("Leaving steps out", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SkippingTests {
    private struct Broken: Error {}

    /// A launch with a step of each kind; every one but the milestone fails the test when it runs.
    private func graph(ran: Locked<[String]>) -> OperationGraph {
        @Sendable func note(_ id: String) { ran.withLock { $0.append(id) } }
        var graph = OperationGraph("regular")
        graph.add("tutorial", .onFailure(.continue)) { note("tutorial") }
        let config = graph.add("config", .retry(attempts: 3), fallback: "bundled") { () -> String in
            note("config")
            return "remote"
        }
        let login = graph.add("login", .substitute("guest")) { () -> String in
            note("login")
            return "person"
        }
        let speaker = graph.add("speaker", .onFailure(.continue)) { () -> String in
            note("speaker")
            return "kitchen"
        }
        graph.add("news", .onFailure(.skipDependents)) { note("news") }
        graph.add("news-badge", after: "news") { note("news-badge") }
        graph.add("license") { note("license") }
        graph.add("entitlements", .onFailure(.continue)) { () -> Int in 1 }
        graph.add("wrong", .substitute(1)) { () -> String in "" }
        graph.add("main", .milestone, using: config, login, speaker.optional, after: "tutorial", "license") { config, login, speaker in
            note("main \(config) \(login) \(speaker ?? "none")")
        }
        return graph
    }

    @Test("A step can be left out when something takes its place, or when the milestone does without it")
    func skippable() throws {
        var graph = graph(ran: Locked([]))
        #expect(graph.skippable() == ["tutorial", "config", "login", "speaker", "news", "entitlements"])
        #expect(graph.milestone == "main")
        // Whose value the milestone reads, directly or not, is needed, whatever its policy.
        let price = graph.add("price", .onFailure(.continue)) { 7 }
        let offer = graph.add("offer", using: price) { $0 }
        graph.addDependency(offer, to: "main")
        graph.addDependency("news", to: "main")
        #expect(graph.skippable() == ["tutorial", "config", "login", "speaker", "entitlements"])
    }

    @Test("a step that brings about an event is not left out where the wait for that would fail the launch", arguments: [false, true])
    func eventSource(isRequired: Bool) throws {
        var graph = OperationGraph("event")
        let known = ExternalEvent<Int>("known")
        graph.add("tell", .onFailure(.continue), .fulfills(known)) { 2 }
        let wait = graph.wait(for: known, .onFailure(isRequired ? .required : .continue))
        graph.add("main", .milestone, after: wait) {}
        #expect(graph.skippable() == (isRequired ? [] : ["tell", "known"]))
    }

    @Test("What is left out does not run; what takes its place does, and the report says why")
    func skipped() async throws {
        let ran = Locked<[String]>([])
        var graph = graph(ran: ran)
        for id in graph.skippable() { try graph.skip(id, because: "they crashed") }
        try graph.note("a safe launch", on: "main")
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .completed)
        #expect(ran.withLock { $0 } == ["license", "main bundled guest none"])
        #expect(report["tutorial"]?.outcome == .skipped && report["tutorial"]?.message == "left out: they crashed")
        #expect(report["config"]?.outcome == .fellBack && report["config"]?.attempts == 1)
        #expect(report["login"]?.message == "left out: they crashed; its fallback was used")
        #expect(report["news"]?.outcome == .failed && report["news-badge"]?.outcome == .skipped)
        #expect(report["main"]?.notes == ["a safe launch"])
    }

    @Test("A step that is needed can be left out too: its launch fails, and says so")
    func needed() async throws {
        var graph = graph(ran: Locked([]))
        try graph.skip("license", because: "they crashed")
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .failed(operation: "license", message: "left out: they crashed"))
        #expect(throws: GraphError.self) { try graph.skip("tutoriel", because: "") }
        #expect(throws: GraphError.self) { try graph.note("", on: "tutoriel") }
    }

    @Test("fault O62: an operation whose step ends without it holds up none that waits for it by addDependency", arguments: [1, nil])
    func waitedForByOperations(lanes: Int?) async throws {
        let ran = Journal()
        let box = LaunchBox()
        var graph = OperationGraph("left out")
        /// Two operations that wait for one that does not run.
        func wait(for operation: Operation, _ id: String) {
            for number in 1...2 {
                let waits = BlockOperation { ran.note(id) }
                waits.addDependency(operation)
                graph.add(waits, id: "after-\(id)-\(number)")
            }
        }
        final class Unexpected: ConcurrentOperation, @unchecked Sendable {
            // @unchecked: without state.
            override func main() { Issue.record("it was left out") }
        }
        let before = BlockOperation { Issue.record("it was left out") }
        let (skipped, conditional) = (BlockOperation { Issue.record("it was left out") }, Unexpected())
        let (broken, cancelled) = (BlockOperation { Issue.record("it was left out") }, BlockOperation { Issue.record("it was left out") })
        skipped.addDependency(before)
        graph.add(before, id: "before", .when { false })
        graph.add(skipped, id: "skipped", .onFailure(.continue))
        graph.add(conditional, id: "conditional", .when { false })
        graph.add(broken, id: "broken", .onFailure(.continue))
        let canceller = graph.add("canceller") { _ in try await box.launch().cancel("cancelled") }
        graph.add(cancelled, id: "cancelled", .onFailure(.continue), after: canceller, graph.wait("later", 100))
        wait(for: skipped, "skipped")
        wait(for: conditional, "conditional")
        wait(for: broken, "broken")
        wait(for: cancelled, "cancelled")
        try graph.skip("skipped", because: "it crashed")
        try graph.inject(.fail, into: "broken")
        let report = try await box.run(graph, options: .virtual(lanes: lanes, deadline: .seconds(30))).report
        #expect(report.outcome == .completed && report.makespan == .milliseconds(100))
        #expect(report.operationAnomalies.isEmpty)
        #expect(ran.all.sorted() == ["broken", "broken", "cancelled", "cancelled", "conditional", "conditional", "skipped", "skipped"])
        #expect([skipped, conditional, broken, cancelled].allSatisfy { $0.isFinished && $0.isCancelled })
    }

    @Test("Who asks for it is called before each attempt, before anything of its work, and never on the main thread")
    func beforeEachAttempt() async throws {
        let calls = Locked<[String]>([])
        @Sendable func call(_ text: String) { calls.withLock { $0.append(text) } }
        var graph = OperationGraph("regular")
        let first = graph.add("first", .retry(attempts: 2)) { (launch: StepContext) in
            call("first \(launch.attempt)")
            if launch.attempt == 1 { throw Broken() }
        }
        let second = graph.add("second", after: first, on: .main) { call("second") }
        let third = graph.add("third", after: second) { () async in call("third") }
        let fourth = graph.add(BlockOperation { call("fourth") }, id: "fourth", after: third)
        graph.addOperation("fifth", after: fourth, on: .main) { _ in BlockOperation { call("fifth") } }
        graph.beforeEachAttempt { call("before \($0.operation) \($0.attempt)") }
        _ = try await graph.run(options: LaunchOptions(clock: VirtualClock()))
        #expect(
            calls.withLock { $0 } == [
                "before first 1", "first 1", "before first 2", "first 2", "second", "before third 1", "third", "fourth", "fifth",
            ]
        )
    }

    @Test("A note is on the step that it was meant for, whatever was added, removed or replaced since the one before")
    func positions() async throws {
        var graph = OperationGraph("noted")
        for id in ["a", "b", "c", "d"] { graph.add(id) {} }
        try graph.note("first", on: "d")
        graph.remove("a")
        try graph.note("second", on: "d")
        #expect(throws: GraphError.self) { try graph.note("none", on: "a") }
        graph.add("a") {}
        try graph.note("again", on: "a")
        graph.add("e") {}
        try graph.replace("b", with: "e")
        #expect(throws: GraphError.self) { try graph.note("none", on: "b") }
        try graph.note("in its place", on: "e")
        graph.remove("c")
        graph.add("c") {}
        try graph.note("new", on: "c")
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        let notes = Dictionary(uniqueKeysWithValues: report.operations.map { ($0.id, $0.notes) })
        #expect(notes == ["d": ["first", "second"], "a": ["again"], "e": ["in its place"], "c": ["new"]])
    }
}
