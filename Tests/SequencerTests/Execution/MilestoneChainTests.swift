import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// A chain to the milestone with one feature, and steps that nobody waits for, which want what it uses.
///
/// ```
/// first ──▶ feature ──▶ last ──▶ home (the milestone, on the main thread, which it leaves while it is suspended)
/// other-0 ... other-5, on lanes and on the main thread
/// ```
/// What is contested is "db", which all but `home` need, and so do the others; or the main thread, or the only lane, where the others need
/// nothing else.
struct MilestoneChain {
    enum Contested: Sendable { case resource, main, lane }

    enum Feature: String, CaseIterable, Sendable {
        case value, failure, retry, timeout, computedFallback, valueFallback, condition, event, main, suspendedMain
        case resource, hold, person, join, scope, initialDisplay
    }

    struct Failure: Error {}

    let feature: Feature
    /// How long each step of the chain takes.
    var time = Duration.milliseconds(50)
    var contested = Contested.resource
    var hasOthers = true
    /// Of each step of the chain, and of the others; nil for no expectation.
    var expected: Duration?
    var othersExpected: Duration?
    /// Nil in real time, in which only the order matters: they then end at once.
    var othersTime: Duration? = .milliseconds(300)

    var lanes: Int? { contested == .lane ? 1 : nil }

    func graph() throws -> OperationGraph {
        var graph = OperationGraph("chain")
        let (time, othersTime) = (time, othersTime)
        let resource: [StepOption] = contested == .resource ? [.exclusive("db")] : []
        let expectation = StepOption.all(expected.map { [.expected($0)] } ?? [])
        let needed = StepOption.all(resource + [expectation])
        graph.add("first", needed) { step in try await step.sleep(for: time) }
        try addFeature(needed, expectation, to: &graph)
        graph.add("last", needed, after: "feature") { step in try await step.sleep(for: time) }
        graph.add("home", .milestone, expectation, after: "last", on: .main) { step in try await step.sleep(for: time) }
        guard hasOthers else { return graph }
        for number in 0..<6 {
            let options = StepOption.all(resource + (othersExpected.map { [.expected($0)] } ?? []))
            let body: @Sendable (StepContext) async throws -> Void = { step in
                if let othersTime { try await step.compute(for: othersTime) }
            }
            if isOnMain(number) {
                graph.add("other-\(number)", options, on: .main) { step in try await body(step) }
            } else {
                graph.add("other-\(number)", options) { step in try await body(step) }
            }
        }
        return graph
    }

    /// Whether that one of the others is on the main thread.
    func isOnMain(_ number: Int) -> Bool { contested == .resource ? number % 2 == 0 : contested == .main }

    private func addFeature(_ needed: StepOption, _ expectation: StepOption, to graph: inout OperationGraph) throws {
        let (time, isReal) = (time, othersTime == nil)
        func add(_ options: StepOption..., body: @escaping @Sendable (StepContext) async throws -> Void) {
            graph.add("feature", needed, .all(options), after: "first") { step in try await body(step) }
        }
        switch feature {
        case .value:
            let value = graph.add("value", needed, after: "first") { step in
                try await step.sleep(for: time)
                return 7
            }
            graph.add("feature", needed, using: .context, value) { step, _ in try await step.sleep(for: time) }
        case .failure:
            add(.onFailure(.continue)) { step in
                try await step.sleep(for: time)
                throw Failure()
            }
        case .retry:
            add(.retry(attempts: 3, backoff: time, jitter: 0)) { step in
                try await step.sleep(for: time)
                if step.attempt < 3 { throw Failure() }
            }
        case .timeout:
            add(.timeout(time * 2), .onFailure(.continue)) { step in try await step.sleep(for: .seconds(60)) }
        case .computedFallback:
            graph.add("feature", needed, after: "first") { (step: StepContext) async throws -> Int in
                try await step.sleep(for: time)
                throw Failure()
            } fallback: { _, _ in
                // In real time the others have a moment in which they could begin.
                if isReal { Thread.sleep(forTimeInterval: 0.05) }
                return 7
            }
        case .valueFallback:
            graph.add("feature", needed, after: "first", fallback: 7) { (step: StepContext) async throws -> Int in
                try await step.sleep(for: time)
                throw Failure()
            }
        case .condition: add(.when { true }) { step in try await step.sleep(for: time) }
        case .event:
            let event = ExternalEvent<Int>("event")
            graph.add("brings", after: "first") { step in
                try await step.sleep(for: time)
                event.fulfill(7)
            }
            graph.wait(for: event, id: "feature", expectation, after: "first")
        case .main:
            graph.add("feature", needed, after: "first", on: .main) { step in try await step.compute(for: time) }
        case .suspendedMain:
            graph.add("feature", needed, after: "first", on: .main) { step in
                try await step.sleep(for: time)
                try await step.sleep(for: time)
            }
        case .resource: add(.exclusive("cache")) { step in try await step.sleep(for: time) }
        case .hold:
            add { step in try await step.sleep(for: time) }
            try graph.hold("lock", over: "feature") { () -> Int in
                7
            } release: { _ in
            }
        case .person:
            add { step in try await step.waitForPerson { try await step.sleep(for: time) } }
        case .join: graph.join("feature", after: "first")
        case .scope:
            var account = OperationGraph("account")
            account.add("fetch") { step in try await step.sleep(for: time) }
            let graphOfAccount = account
            add { step in _ = try await step.addScope("account", graphOfAccount).end() }
        case .initialDisplay: add(.initialDisplay) { step in try await step.sleep(for: time) }
        }
    }
}

@Suite("A chain to the milestone, beside what nobody waits for", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MilestoneChainTests {
    /// The chain's steps take 50 ms, and the others 300.
    private func check(
        _ feature: MilestoneChain.Feature,
        _ contested: MilestoneChain.Contested,
        _ expected: Duration?,
        _ others: Duration?
    ) async throws {
        var chain = MilestoneChain(feature: feature, contested: contested, expected: expected, othersExpected: others)
        var ends: [Duration] = []
        for hasOthers in [false, true] {
            chain.hasOthers = hasOthers
            let report = try await chain.graph().run(options: .virtual(lanes: chain.lanes)).report
            #expect(report.outcome == .completed)
            ends.append(try #require(report["home"]?.end))
        }
        #expect(ends[1] <= ends[0] * 21 / 20, "expected: \(String(describing: expected)), of the others: \(String(describing: others))")
    }

    private static let expectations: [(Duration?, Duration?)] = [
        (nil, nil), (nil, .milliseconds(300)), (.milliseconds(50), nil), (.milliseconds(50), .milliseconds(300)),
    ]

    @Test("six others delay the milestone by no more than a twentieth, whatever is expected", arguments: MilestoneChain.Feature.allCases)
    func others(feature: MilestoneChain.Feature) async throws {
        for (expected, others) in Self.expectations { try await check(feature, .resource, expected, others) }
    }

    @Test(
        "nor do others on the main thread, which the chain's last step alone needs, or on the only lane, where all is expected",
        arguments: MilestoneChain.Feature.allCases,
        [.main, .lane] as [MilestoneChain.Contested]
    )
    func distant(feature: MilestoneChain.Feature, contested: MilestoneChain.Contested) async throws {
        try await check(feature, contested, .milliseconds(50), .milliseconds(300))
    }

    /// ```
    /// load (fails at 50, pauses until 250, ends at 300) ──▶ home      other (3,000), short (100), on the only lane
    /// ```
    @Test("the only lane is kept while what the milestone needs pauses, whatever is expected; one that is back before has it meanwhile")
    func pause() async throws {
        for expected in [nil, .seconds(3)] as [Duration?] {
            for isLoadExpected in [false, true] {
                var graph = OperationGraph("pause")
                let load = StepOption.all(isLoadExpected ? [.expected(.milliseconds(50))] : [])
                graph.add("load", load, .retry(attempts: 2, backoff: .milliseconds(200), jitter: 0)) { step in
                    try await step.sleep(for: .milliseconds(50))
                    if step.attempt == 1 { throw MilestoneChain.Failure() }
                }
                graph.add("home", .milestone, after: "load", on: .main) {}
                let other = StepOption.all(expected.map { [.expected($0)] } ?? [])
                graph.add("other", other) { step in try await step.sleep(for: .seconds(3)) }
                graph.add("short", .expected(.milliseconds(100))) { step in try await step.sleep(for: .milliseconds(100)) }
                let report = try await graph.run(options: .virtual(lanes: 1)).report
                #expect(report["home"]?.end == .milliseconds(300) && report["short"]?.start == .milliseconds(50))
                #expect(report["other"]?.start == .milliseconds(300))
            }
        }
    }

    /// ```
    /// load (a person until 2,000, then 50) ──▶ read (50) ──▶ home      late (ready at 2,010, 900), on the main thread
    /// ```
    @Test("what the milestone needs is awaited again when a person has answered it")
    func answered() async throws {
        var graph = OperationGraph("answered")
        graph.add("load", .expected(.milliseconds(50))) { step in
            try await step.waitForPerson { try await step.sleep(for: .seconds(2)) }
            try await step.sleep(for: .milliseconds(50))
        }
        graph.add("read", .expected(.milliseconds(50)), after: "load") { step in try await step.sleep(for: .milliseconds(50)) }
        graph.add("home", .milestone, after: "read", on: .main) {}
        graph.add("wakes") { step in try await step.sleep(for: .milliseconds(2_010)) }
        graph.add("late", .expected(.milliseconds(900)), after: "wakes", on: .main) { step in
            try await step.compute(for: .milliseconds(900))
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["home"]?.end == .milliseconds(2_100) && report["late"]?.start == .milliseconds(2_100))
    }

    /// ```
    /// load ──▶ home      other, the only one beside them, on the main thread
    /// ```
    @Test("one that the milestone waits for unseen starts after a second in which nothing has ended")
    func unseen() async throws {
        var graph = OperationGraph("unseen")
        graph.add("load") { step in try await step.sleep(for: .milliseconds(200)) }
        graph.add("home", .milestone, after: "load", on: .main) { step in try await step.sleep(for: .seconds(5)) }
        graph.add("other", on: .main) { step in try await step.compute(for: .milliseconds(10)) }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["other"]?.start == .milliseconds(1_200))
        #expect(report["home"]?.end == .milliseconds(5_200))
    }

    @Test("nobody waits while a person is asked, and everybody afterwards")
    func person() async throws {
        var graph = OperationGraph("person")
        graph.add("home", .milestone, on: .main) { step in
            try await step.waitForPerson { try await step.sleep(for: .milliseconds(100)) }
            try await step.sleep(for: .milliseconds(100))
        }
        graph.add("early", on: .main) { step in try await step.compute(for: .milliseconds(20)) }
        graph.add("wakes") { step in try await step.sleep(for: .milliseconds(150)) }
        graph.add("late", after: "wakes", on: .main) { step in try await step.compute(for: .milliseconds(300)) }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["early"]?.start == .zero)
        #expect(report["home"]?.end == .milliseconds(200) && report["late"]?.start == .milliseconds(200))
    }
}

/// The same in real time: nothing of the others begins in the chain's way.
@Suite("A chain to the milestone, in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealMilestoneChainTests {
    @Test("no other begins on the main thread, or with the resource, while the chain needs it", arguments: MilestoneChain.Feature.allCases)
    func others(feature: MilestoneChain.Feature) async throws {
        for expected in [nil, .milliseconds(5)] as [Duration?] {
            try await check(MilestoneChain(feature: feature, time: .milliseconds(5), expected: expected, othersTime: nil))
        }
    }

    private func check(_ chain: MilestoneChain) async throws {
        var options = LaunchOptions.patient
        options.lanes = chain.lanes
        let report = try await chain.graph().run(options: options).report
        #expect(report.outcome == .completed)
        let (first, last, home) = (report["first"], report["last"], report["home"])
        let begin = try #require(first?.start)
        for number in 0..<6 {
            let start = try #require(report["other-\(number)"]?.start)
            // The resource, or the lane, is needed until the last of the chain has ended; the main thread until the milestone has.
            let end = try #require(chain.isOnMain(number) ? home?.end : last?.end)
            // On a machine that is busy for so long, others start after a second in which nothing has ended.
            let isPatient = report.operations.allSatisfy { $0.end >= start || $0.end <= start - .seconds(1) }
            #expect(start < begin || start >= end || isPatient && start - begin >= .seconds(1), "other-\(number)")
        }
    }

    @Test("a milestone on the main thread that waits unseen for another step there gets it")
    func unseen() async throws {
        let gate = Gate()
        var graph = OperationGraph("unseen")
        graph.add("home", .milestone, on: .main) { await gate.wait() }
        graph.add("other", on: .main) { gate.open() }
        #expect(try await graph.run(options: .patient).report.outcome == .completed)
    }
}
