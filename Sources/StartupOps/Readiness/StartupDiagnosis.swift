import Sequencer

/// Finds the causes of a wrong start from its facts, for a person who sees a symptom and wants to know where to look. ``Bootstrap/findings`` collects
/// the facts.
struct StartupDiagnosis: Sendable {
    /// The onboarding that decided whether a guest stays logged in, and what the configuration said of it later.
    struct OnboardingChoice: Sendable, Hashable {
        let chosen: OnboardingType
        var configured: OnboardingType
    }

    /// The registration that makes images visible.
    static let imageCodec = "image-codec"

    /// The problems of the registrations.
    var registrations: [RegistryProblem] = []
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

    /// The findings, each the symptom that a person sees and then its cause, with what to do.
    func findings() -> [String] {
        var (findings, codec): ([String], [String]) = ([], [])
        for problem in registrations {
            // People see a missing codec as empty images: a symptom of its own.
            let isOfCodec = [problem.registration, problem.other].contains(Self.imageCodec)
            if isOfCodec { codec.append("\(problem)") } else { findings.append("set-up is missing or misordered: \(problem)") }
        }
        for gate in gates where !gate.isOpen { findings.append("the app stays on its splash: \(gate.diagnosis)") }
        if let logoutReason {
            let remedy = logoutRemedy.map { "; \($0)" } ?? ""
            findings.append("the person is logged out: the session was ended because \(logoutReason)\(remedy)")
        }
        if waitingPushes > 0 {
            let which = waitingPushes == 1 ? "it is" : "\(waitingPushes) are"
            findings.append(
                "a push notification leads nowhere: \(which) kept for the app, to be taken after the main screen: "
                    + "give the presenters an entryPoint, or call deliver(to:) of the mailbox"
            )
        }
        if lacksImageCodec {
            codec.append(
                "\(Self.imageCodec) was not registered, so images that the system cannot decode are not shown; "
                    + "register one before the coordinator starts, or a value that says that none is needed"
            )
        }
        findings += codec.map { "images stay empty: \($0)" }
        if let onboarding, onboarding.chosen != onboarding.configured {
            findings.append(
                "the onboarding is not the one that was configured: \(onboarding.chosen) counted when the coordinator started, "
                    + "\(onboarding.configured) is configured: the configuration came after the choice, and counts from the next launch; "
                    + "an app with one kind of onboarding sets that in its settings, too"
            )
        }
        return findings
    }
}
