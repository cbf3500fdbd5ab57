import Sequencer

/// Says what is wrong with a start, from what is known of it: for a person who sees a symptom and wants to know where to look.
///
/// ```swift
/// var diagnosis = StartupDiagnosis()
/// diagnosis.registrations = registry.problems
/// diagnosis.gates = [firstScreen]
/// for finding in diagnosis.findings() { print(finding) }
/// ```
public struct StartupDiagnosis: Sendable {
    /// What a person sees.
    public enum Symptom: String, Sendable, Hashable, CaseIterable {
        /// Something was not set up, or too late.
        case missingSetup = "set-up is missing or misordered"
        /// The first screen does not come.
        case stuckOnSplash = "the app stays on its splash"
        /// The session was ended.
        case unexpectedLogout = "the person is logged out"
        /// A push notification was not processed.
        case pushUnhandled = "a push notification leads nowhere"
        /// What makes images visible was not registered in its order.
        case missingCodec = "images stay empty"
        /// Another onboarding than the configured one was shown.
        case wrongOnboarding = "the onboarding is not the one that was configured"
    }

    /// A symptom and where it comes from.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// What a person sees.
        public let symptom: Symptom
        /// Where it comes from, and what to do.
        public let cause: String

        /// Both, in one line.
        public var description: String { "\(symptom.rawValue): \(cause)" }
    }

    /// A push notification that waits.
    public struct PendingPush: Sendable, Hashable {
        /// What it waits for.
        public let waitsFor: String

        /// A push that waits for something: "the main screen".
        public init(waitsFor: String) { self.waitsFor = waitsFor }
    }

    /// An onboarding that was chosen, and what the configuration said of it later.
    public struct OnboardingChoice: Sendable, Hashable {
        /// The one that was chosen.
        public let chosen: OnboardingType
        /// The one that the configuration asks for.
        public let configured: OnboardingType
        /// Whether the first screen waited for the configuration of the first start.
        public let waited: Bool

        /// A choice.
        public init(chosen: OnboardingType, configured: OnboardingType, waited: Bool) {
            self.chosen = chosen
            self.configured = configured
            self.waited = waited
        }
    }

    /// What is wrong with the registrations.
    public var registrations: [RegistryProblem] = []
    /// The name of the registration that makes images visible.
    public var imageCodec = "image-codec"
    /// The gates that the launch passes.
    public var gates: [ReadinessGate] = []
    /// Why the session ended in this launch; nil when it did not.
    public var logoutReason: String?
    /// The notifications that have not been processed.
    public var pendingPushes: [PendingPush] = []
    /// The onboarding; nil when none was chosen.
    public var onboarding: OnboardingChoice?

    /// Nothing is known yet.
    public init() {}

    /// What there is to say, symptom by symptom.
    public func findings() -> [Finding] {
        let codec = registrations.filter { $0.registration == imageCodec || $0.other == imageCodec }
        let others = registrations.filter { $0.registration != imageCodec && $0.other != imageCodec }
        var findings = others.map { Finding(symptom: .missingSetup, cause: $0.description) }
        findings += gates.filter { !$0.isOpen }.map { Finding(symptom: .stuckOnSplash, cause: $0.diagnosis) }
        if let logoutReason { findings.append(Finding(symptom: .unexpectedLogout, cause: "the session was ended because \(logoutReason)")) }
        findings += pendingPushes.map { push in
            Finding(symptom: .pushUnhandled, cause: "it is kept, and is processed after \(push.waitsFor), which has not come yet")
        }
        findings += codec.map { Finding(symptom: .missingCodec, cause: $0.description) }
        if let onboarding, onboarding.chosen != onboarding.configured {
            let why =
                onboarding.waited
                ? "the configuration has changed since"
                : "the configuration came after the choice; let the first start wait for it"
            findings.append(
                Finding(symptom: .wrongOnboarding, cause: "\(onboarding.chosen) was shown, \(onboarding.configured) is configured: \(why)")
            )
        }
        return findings
    }
}
