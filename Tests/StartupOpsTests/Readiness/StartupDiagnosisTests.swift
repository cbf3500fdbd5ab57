import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// The symptoms that a person sees, and what the diagnosis says of each.
@Suite("Startup diagnosis", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StartupDiagnosisTests {
    private func findings(_ change: (inout StartupDiagnosis) -> Void) -> [String] {
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
        for name: ConditionName in [.configurationPresent, .initialFlagsRefreshed, .userKnown] { gate.meet(name) }
        let found = findings {
            $0.registrations = registry(without: "").problems
            $0.gates = [gate]
            $0.onboarding = .init(chosen: .regular, configured: .regular)
        }
        #expect(found.isEmpty)
    }

    @Test("B65: a missing set-up is named")
    func missingSetup() {
        let found = findings { $0.registrations = registry(without: "core-keys").problems }
        #expect(found.allSatisfy { $0.hasPrefix("set-up is missing or misordered: ") })
        #expect(found.last?.hasSuffix(": core-keys is required and was not registered; register it after platform") == true)
    }

    @Test("B65: stuck on the splash: the unmet conditions and who should meet them")
    func stuck() {
        let gate = ReadinessGate.firstScreen(elapsed: { .seconds(4) })
        for name: ConditionName in [.initialFlagsRefreshed, .userKnown] { gate.meet(name) }
        #expect(
            findings { $0.gates = [gate] } == [
                "the app stays on its splash: first-screen is waiting for: "
                    + "configurationPresent (set by fetch-config, unmet for 4 s: the first screen is chosen by it)"
            ]
        )
    }

    @Test("B65: an unexpected logout: why the session was ended")
    func logout() {
        let found = findings { $0.logoutReason = "this is the first launch, and restoring accounts is switched off" }
        #expect(
            found == [
                "the person is logged out: the session was ended because this is the first launch, and restoring accounts is switched off"
            ]
        )
        let remedied = findings {
            $0.logoutReason = "a guest has to log in"
            $0.logoutRemedy = "to keep guests, set the onboarding"
        }
        #expect(
            remedied == [
                "the person is logged out: the session was ended because a guest has to log in; to keep guests, set the onboarding"
            ]
        )
    }

    @Test("B65: an unhandled push: what it waits for", arguments: [(1, "it is"), (2, "2 are")])
    func push(count: Int, which: String) {
        #expect(
            findings { $0.waitingPushes = count } == [
                "a push notification leads nowhere: \(which) kept for the app, to be taken after the main screen: "
                    + "give the presenters an entryPoint, or call deliver(to:) of the mailbox"
            ]
        )
    }

    @Test("B65: a missing codec, and one that is registered too late: images stay empty")
    func codec() {
        let missing = findings {
            $0.registrations = registry(without: "image-codec").problems
            $0.lacksImageCodec = true
        }
        #expect(missing.count == 1)
        #expect(missing[0].hasPrefix("images stay empty: image-codec was not registered, so images that the system cannot decode"))
        let late = registry(without: "image-codec")
        late.mark("image-codec")
        let found = findings { $0.registrations = late.problems }
        #expect(
            found == [
                "images stay empty: coordinator must come after image-codec: its first screen shows images, which stay empty without a codec"
            ]
        )
    }

    @Test("B65: a wrong onboarding: which counted, which is configured")
    func onboarding() {
        let found = findings { $0.onboarding = .init(chosen: .regular, configured: .none) }
        let symptom = "the onboarding is not the one that was configured"
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("\(symptom): regular counted when the coordinator started, none is configured"))
    }
}
