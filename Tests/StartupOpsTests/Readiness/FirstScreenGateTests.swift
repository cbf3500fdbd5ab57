import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// The gate before the first screen, and gates that are fed by streams.
@Suite("The first-screen gate", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FirstScreenGateTests {
    /// A gate of somebody who is known, in an app that waits for the flags.
    private func gate(shows: Bool, elapsed: (@Sendable () -> Duration)? = nil) -> ReadinessGate {
        let gate = ReadinessGate.firstScreen(showsSplashVideo: shows, hasSplashController: shows, elapsed: elapsed)
        gate.bypassInitialFlags(unlessWaiting: true, isLoggedIn: false)
        gate.meet(.userKnown)
        return gate
    }

    @Test("what has ended without meeting its condition is bypassed, by name; what was met keeps its source")
    func endedWithout() {
        let gate = self.gate(shows: true)
        gate.meet(.splashControllerEnded, by: "its end")
        #expect(gate.bypassUnmet([.splashVideoDone, .splashControllerEnded]) == [.splashVideoDone])
        #expect(gate.conditions.prefix(2).map(\.source) == ["a bypass, for its step has ended without it", "its end"])
        #expect(gate.bypassUnmet([.splashVideoDone]) == [])
    }

    @Test("B14, B49: a wait passes by the launch's clock, and says meanwhile and at its end what is missing", arguments: [true, false])
    func waitInALaunch(opens: Bool) async throws {
        let gate = self.gate(shows: false) { .seconds(2) }
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
}
