import Sequencer
import StartupStorage

/// Shows the onboarding over the main screen, until the user has dismissed it.
///
/// The dismissal is recorded after it was shown, never before: an interrupted user sees it again. So does a guest after
/// a user was logged in.
struct OnboardingOperation: Sendable {
    let environment: StartupEnvironment

    /// Shows it where it was not dismissed before; returns at once otherwise. The state is read and written off the
    /// main thread.
    func run(in step: StepContext) async throws {
        guard let presenter = environment.presenters.main else { return }
        let state = environment.state
        switch state.dismissedOnboarding {
        case .absent: break
        case .value: return step.note("the onboarding was not shown: it was dismissed in an earlier launch")
        case .unavailable(let error):
            return step.note("whether the onboarding was dismissed cannot be told now, so it was not shown: \(error)")
        }
        try await environment.stage.ask(in: step) { try await presenter.showOnboarding() }
        // An interrupted user has not dismissed it.
        try step.checkCancellation()
        step.attempt(orNote: "that the onboarding was dismissed could not be recorded, so it will be shown again") {
            try state.recordDismissedOnboarding()
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The onboarding, over the main screen. It is for guests, with a new session or a stored one, of an app whose
    /// onboarding is ``OnboardingType/dismissable``, who have not dismissed it before; in any other launch this step
    /// does nothing. It goes by the work of ``mainApp``: an app that replaces that shows the onboarding itself.
    public static var onboarding: Self {
        Self("onboarding", "Show the onboarding", expected: .milliseconds(250)) { environment, step in
            guard environment.memory.state.withLock({ $0.isOnboardingDue }) else { return }
            try await OnboardingOperation(environment: environment).run(in: step)
        }
    }
}
