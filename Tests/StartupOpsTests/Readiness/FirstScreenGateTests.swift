import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// The gate before the first screen, and gates that are fed by streams.
@Suite("The first-screen gate", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FirstScreenGateTests {
    /// A gate of somebody who is known; unless said otherwise, nothing is waited for but the configuration.
    private func gate(
        video: Bool = false,
        splash: Bool = false,
        waitsForFlags: Bool = false,
        isLoggedIn: Bool = false,
        elapsed: (@Sendable () -> Duration)? = nil
    ) -> ReadinessGate {
        let gate = ReadinessGate.firstScreen(showsSplashVideo: video, hasSplashController: splash, elapsed: elapsed)
        gate.bypassInitialFlags(unlessWaiting: waitsForFlags, isLoggedIn: isLoggedIn)
        gate.meet(.userKnown)
        return gate
    }

    @Test("B44: five conditions, each with who sets it, its default and the time it was set")
    func conditions() {
        let now = Locked(Duration.zero)
        let gate = ReadinessGate.firstScreen(showsSplashVideo: true, hasSplashController: true) { now.withLock { $0 } }
        #expect(gate.conditions.map(\.condition.name) == Self.names)
        #expect(gate.conditions.map(\.isMet) == [false, false, false, false, false])
        #expect(gate.conditions.map(\.condition.setBy).allSatisfy { !$0.isEmpty })
        for (second, name) in Self.names.enumerated() {
            now.withLock { $0 = .seconds(second + 1) }
            #expect(gate.meet(name) == (second == 4 ? .opened : .made))
        }
        now.withLock { $0 = .seconds(10) }
        #expect(gate.conditions.map(\.age) == [.seconds(9), .seconds(8), .seconds(7), .seconds(6), .seconds(5)])
        #expect(gate.diagnosis == "first-screen opened after 5 s")
    }

    private static let names: [ConditionName] = [
        .splashVideoDone, .splashControllerEnded, .configurationPresent, .initialFlagsRefreshed, .userKnown,
    ]

    @Test("B44, B48: it opens with the last of its five conditions, in each of the 120 orders, and once")
    func orders() {
        for order in everyOrder(Self.names) {
            let gate = ReadinessGate.firstScreen(showsSplashVideo: true, hasSplashController: true)
            #expect(order.map { gate.meet($0) } == [.made, .made, .made, .made, .opened])
            #expect(gate.meet(order[0]) == .tooLate)
        }
    }

    @Test("what has ended without meeting its condition is bypassed, by name; what was met keeps its source")
    func endedWithout() {
        let gate = self.gate(video: true, splash: true, waitsForFlags: true)
        gate.meet(.splashControllerEnded, by: "its end")
        #expect(gate.bypassUnmet([.splashVideoDone, .splashControllerEnded]) == [.splashVideoDone])
        #expect(gate.conditions.prefix(2).map(\.source) == ["a bypass, for its step has ended without it", "its end"])
        #expect(gate.bypassUnmet([.splashVideoDone]) == [])
    }

    @Test("B14, B49: a wait passes by the launch's clock, and says meanwhile and at its end what is missing", arguments: [true, false])
    func waitInALaunch(opens: Bool) async throws {
        let gate = self.gate(waitsForFlags: true) { .seconds(2) }
        gate.meet(.configurationPresent)
        var graph = OperationGraph("waiting")
        graph.add("first-screen") { launch in try await gate.wait(for: .seconds(3), in: launch) }
        graph.add("fetch-flags") { launch in
            try await launch.sleep(for: .seconds(1))
            if opens { gate.meet(.initialFlagsRefreshed) }
        }
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
        #expect(report["first-screen"]?.duration == .seconds(opens ? 1 : 3))
        let message =
            "first-screen did not open within 3 s; waiting for: initialFlagsRefreshed (set by fetch-flags, unmet for 2 s: onboarding is chosen by "
            + "them)"
        #expect(report.outcome == (opens ? .completed : .failed(operation: "first-screen", message: message)))
    }

    @Test("B38: without a splash video its condition is met from the beginning; with one it is not")
    func splashVideo() {
        #expect(gate().meet(.configurationPresent) == .opened)
        #expect(gate(video: true).meet(.configurationPresent) == .made)
    }

    @Test("B39: without a splash controller its condition is met; with one, the stream of its end meets it")
    func splashController() async throws {
        let gate = self.gate(splash: true)
        let (ended, controller) = AsyncStream.makeStream(of: Void.self)
        gate.follow(.splashControllerEnded, ended) { true }
        #expect(gate.meet(.configurationPresent) == .made)
        controller.yield()
        try await gate.wait(by: .after(.seconds(300)))
    }

    @Test(
        "B45: the server's answer, the cache or the default meets the configuration, and the gate says which",
        arguments: [
            "the server", "the cache", "the default",
        ]
    )
    func configuration(source: String) {
        let gate = self.gate()
        #expect(gate.meet(.configurationPresent, by: source) == .opened)
        #expect(gate.conditions.first { $0.condition.name == .configurationPresent }?.source == source)
    }

    @Test(
        "B14, B46: the flags are bypassed when the app does not wait for them, or someone is logged in",
        arguments: [
            (false, false, true), (false, true, true), (true, false, false), (true, true, true),
        ]
    )
    func flags(waits: Bool, isLoggedIn: Bool, isBypassed: Bool) {
        let gate = self.gate(waitsForFlags: waits, isLoggedIn: isLoggedIn)
        #expect(gate.meet(.configurationPresent) == (isBypassed ? .opened : .made))
        if !isBypassed { #expect(gate.meet(.initialFlagsRefreshed) == .opened) }
    }

    private enum Authorisation { case notDetermined, denied, authorised }

    @Test("B32: an initialisation waits for the authorisation status to be decided, on a stream")
    func authorisation() async throws {
        let (answers, order) = (Locked<[Authorisation]>([.notDetermined, .denied]), Locked<[String]>([]))
        // Each is asked for when the gate has heard of the one before.
        let statuses = AsyncStream<Authorisation>(unfolding: {
            guard let next = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
            order.withLock { $0.append("\(next)") }
            return next
        })
        let gate = ReadinessGate("attribution", [GateCondition("authorisation", setBy: "tracking prompt", because: "the SDK asks once")])
        let initialisation = Task {
            try await gate.wait(by: .after(.seconds(300)))
            order.withLock { $0.append("initialised") }
        }
        gate.follow("authorisation", statuses) { $0 != .notDetermined }
        try await initialisation.value
        #expect(order.withLock { $0 } == ["notDetermined", "denied", "initialised"])
    }

    @Test("B32, B49: a stream that ends without an answer is named in the diagnosis")
    func ended() async {
        let (statuses, system) = AsyncStream.makeStream(of: Authorisation.self)
        let gate = ReadinessGate("attribution", [GateCondition("authorisation", setBy: "tracking prompt", because: "the SDK asks once")])
        let reader = gate.follow("authorisation", statuses) { $0 == .authorised }
        system.yield(.denied)
        system.finish()
        await reader.value
        #expect(gate.diagnosis.contains("unmet for "))
        #expect(gate.diagnosis.hasSuffix("the SDK asks once; what it was fed by has ended)"))
    }

    @Test("B49: a splash that never ends fails the launch's operation with the conditions in its message")
    func inALaunch() async throws {
        let gate = self.gate(video: true)
        var graph = OperationGraph("stuck")
        graph.add("first-screen", .timeout(.seconds(300))) { launch in
            try await gate.wait(by: launch.deadline.limited(to: .milliseconds(5)))
        }
        let report = try await graph.run(budget: .seconds(3)).report
        guard case .failed(let operation, let message) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(operation == "first-screen")
        #expect(message.contains("splashVideoDone (set by splash video, unmet for"))
        #expect(message.contains("configurationPresent (set by fetch-config, unmet for"))
    }
}
