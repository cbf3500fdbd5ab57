import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// The gate before the first screen, and gates that are fed by streams.
@Suite("The first-screen gate", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FirstScreenGateTests {
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
