import Sequencer

/// Keeps which kind of onboarding a launch went by where it could not wait for the configuration, so that a later answer can be compared.
final class OnboardingDecision: Sendable {
    private let decided = Locked<OnboardingType?>(nil)

    /// Nil as long as nothing had to be decided early.
    var onboarding: OnboardingType? {
        get { decided.withLock { $0 } }
        set { decided.withLock { $0 = newValue } }
    }
}

extension Launch {
    /// Notes that the configuration of this launch came too late: somebody was already received with another kind of onboarding than it says.
    ///
    /// Only what the server has said now can be late: every other source was known before the launch.
    func noteLateOnboarding(_ decided: OnboardingType, _ loaded: LoadedConfiguration) {
        guard loaded.source == .remote, let fetched = loaded.configuration.onboarding, fetched != decided else { return }
        note(
            "the launch was decided with \(decided.rawValue) onboarding, before the configuration came that says \(fetched.rawValue): "
                + "\(fetched.rawValue) counts from the next launch"
        )
    }
}
