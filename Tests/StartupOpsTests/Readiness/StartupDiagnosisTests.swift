import Sequencer
import StartupOps
import Testing

/// The symptoms that a person sees, and what the diagnosis says of each.
@Suite("Startup diagnosis", .serialized, .timeLimit(.minutes(10)))
struct StartupDiagnosisTests {
    private func findings(_ change: (inout StartupDiagnosis) -> Void) -> [StartupDiagnosis.Finding] {
        var diagnosis = StartupDiagnosis()
        change(&diagnosis)
        return diagnosis.findings()
    }

    private func registry(without missing: String) -> ServiceRegistry {
        let registry = ServiceRegistry(rules: RegistrationRule.bootstrap) { true }
        for rule in RegistrationRule.bootstrap where rule.name != missing { registry.mark(rule.name) }
        return registry
    }

    @Test("B65: a healthy start has no findings")
    func healthy() {
        let gate = ReadinessGate.firstScreen()
        gate.meet(.configurationPresent)
        let found = findings {
            $0.registrations = registry(without: "").problems
            $0.gates = [gate]
            $0.onboarding = .init(chosen: .regular, configured: .regular, waited: false)
        }
        #expect(found.isEmpty)
    }

    @Test("B65: a missing set-up is named")
    func missingSetup() {
        let found = findings { $0.registrations = registry(without: "core-keys").problems }
        #expect(Set(found.map(\.symptom)) == [.missingSetup])
        #expect(found.last?.cause == "core-keys is required and was not registered; register it after client-keys")
    }

    @Test("B65: stuck on the splash: the unmet conditions and who should meet them")
    func stuck() {
        let found = findings { $0.gates = [.firstScreen(elapsed: { .seconds(4) })] }
        #expect(found.map(\.symptom) == [.stuckOnSplash])
        #expect(
            found.first?.cause
                == "first-screen is waiting for: configurationPresent (set by fetch-config, unmet for 4 s: the first screen is chosen by it)"
        )
    }

    @Test("B65: an unexpected logout: why the session was ended")
    func logout() {
        let found = findings { $0.logoutReason = "this is the first launch, and restoring accounts is switched off" }
        #expect(
            found.map(\.description) == [
                "the person is logged out: the session was ended because this is the first launch, and restoring accounts is switched off"
            ]
        )
    }

    @Test("B65: an unhandled push: what it waits for")
    func push() {
        let found = findings { $0.pendingPushes = [.init(waitsFor: "the main screen")] }
        #expect(found.map(\.symptom) == [.pushUnhandled])
        #expect(found.first?.cause == "it is kept, and is processed after the main screen, which has not come yet")
    }

    @Test("B65: a missing codec, and one that is registered too late: images stay empty")
    func codec() {
        let missing = findings { $0.registrations = registry(without: "image-codec").problems }
        #expect(missing.allSatisfy { $0.symptom == .missingCodec })
        #expect(missing.last?.cause == "image-codec is required and was not registered")
        let late = registry(without: "image-codec")
        late.mark("image-codec")
        let found = findings { $0.registrations = late.problems }
        #expect(
            found.map(\.description) == [
                "images stay empty: coordinator must come after image-codec: its first screen shows images, which stay empty without a codec"
            ]
        )
    }

    @Test(
        "B65: a wrong onboarding: which was shown, which is configured, and why",
        arguments: [
            (false, "the configuration came after the choice; let the first start wait for it"),
            (true, "the configuration has changed since"),
        ]
    )
    func onboarding(waited: Bool, why: String) {
        let found = findings { $0.onboarding = .init(chosen: .regular, configured: .none, waited: waited) }
        #expect(found.map(\.symptom) == [.wrongOnboarding])
        #expect(found.first?.cause == "regular was shown, none is configured: \(why)")
    }
}
