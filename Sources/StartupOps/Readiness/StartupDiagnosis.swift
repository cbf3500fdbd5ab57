import Sequencer

/// Finds the causes of a wrong start from its facts, for a person who sees a symptom and wants to know where to look. ``Bootstrap/findings`` collects
/// the facts.
struct StartupDiagnosis: Sendable {
    /// The symptom, as a person sees it.
    enum Symptom: String, Sendable, Hashable, CaseIterable {
        /// Something was not set up, or too late.
        case missingSetup = "set-up is missing or misordered"
        /// The first screen does not come.
        case stuckOnSplash = "the app stays on its splash"
        /// The session was ended.
        case unexpectedLogout = "the person is logged out"
        /// A push notification was not processed.
        case pushUnhandled = "a push notification leads nowhere"
        /// No image codec was registered, or too late.
        case missingCodec = "images stay empty"
        /// Another onboarding than the configured one was shown.
        case wrongOnboarding = "the onboarding is not the one that was configured"
    }

    /// A symptom and where it comes from.
    struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The symptom, as a person sees it.
        let symptom: Symptom
        /// Where it comes from, and what to do.
        let cause: String

        /// Both, in one line.
        var description: String { "\(symptom.rawValue): \(cause)" }
    }

    /// The onboarding that decided whether a guest stays logged in, and what the configuration said of it later.
    struct OnboardingChoice: Sendable, Hashable {
        let chosen: OnboardingType
        var configured: OnboardingType
    }

    /// The problems of the registrations.
    var registrations: [RegistryProblem] = []
    /// The name of the registration that makes images visible.
    var imageCodec = "image-codec"
    /// Whether the coordinator has started, and nothing was registered for images.
    var lacksImageCodec = false
    /// The gates that the launch passes.
    var gates: [ReadinessGate] = []
    /// Why the session ended in this launch; nil when it did not.
    var logoutReason: String?
    /// The remedy for that; nil if none is known.
    var logoutRemedy: String?
    /// How many notifications have not been processed.
    var waitingPushes = 0
    /// The onboarding; nil when none was chosen.
    var onboarding: OnboardingChoice?

    /// The findings, symptom by symptom.
    func findings() -> [Finding] {
        // People see a missing codec as empty images: a symptom of its own.
        let codec = registrations.filter { $0.registration == imageCodec || $0.other == imageCodec }
        let others = registrations.filter { $0.registration != imageCodec && $0.other != imageCodec }
        var findings = others.map { Finding(symptom: .missingSetup, cause: $0.description) }
        findings += gates.filter { !$0.isOpen }.map { Finding(symptom: .stuckOnSplash, cause: $0.diagnosis) }
        if let logoutReason {
            let remedy = logoutRemedy.map { "; \($0)" } ?? ""
            findings.append(Finding(symptom: .unexpectedLogout, cause: "the session was ended because \(logoutReason)\(remedy)"))
        }
        if waitingPushes > 0 {
            let which = waitingPushes == 1 ? "it is" : "\(waitingPushes) are"
            let cause =
                "\(which) kept for the app, to be taken after the main screen: give the presenters an entryPoint, or call deliver(to:) of the mailbox"
            findings.append(Finding(symptom: .pushUnhandled, cause: cause))
        }
        findings += codec.map { Finding(symptom: .missingCodec, cause: $0.description) }
        if lacksImageCodec {
            let cause =
                "\(imageCodec) was not registered, so images that the system cannot decode are not shown; register one before the coordinator starts, "
                + "or a value that says that none is needed"
            findings.append(Finding(symptom: .missingCodec, cause: cause))
        }
        if let onboarding, onboarding.chosen != onboarding.configured {
            let cause =
                "\(onboarding.chosen) counted when the coordinator started, \(onboarding.configured) is configured: the configuration came after the "
                + "choice, and counts from the next launch; an app with one kind of onboarding sets that in its settings, too"
            findings.append(Finding(symptom: .wrongOnboarding, cause: cause))
        }
        return findings
    }
}
