import Sequencer

/// Shows the tutorial.
@MainActor
public protocol TutorialPresenter: Sendable {
    /// Returns when the user has seen the last page, or has skipped the rest. When it throws, the user has left
    /// before that, and the next launch shows it again.
    func showTutorial(_ pages: [TutorialPage]) async throws
}

/// Shows the tutorial on the first launch, and on the first one after an update of the app.
///
/// It is recorded as seen after it was shown, never before: an interrupted user sees it again. After a downgrade it is
/// not shown.
struct TutorialOperation: Sendable {
    let environment: StartupEnvironment
    /// Whether the user has asked for it: it is shown, new or not.
    private var isAskedFor: Bool { environment.memory.isAskedFor }

    /// Shows the tutorial when it is due; returns at once otherwise.
    @MainActor
    func run(_ configuration: AppConfiguration?, in step: StepContext) async throws {
        let (state, version) = (environment.state, environment.app.version)
        // An app without one has nothing to do; asked for by the user, nothing may pass in silence.
        if !isAskedFor, environment.presenters.tutorial == nil || !isDue(step) { return }
        let presenter = try step.need(environment.presenters.tutorial, "to read the tutorial")
        // The last known pages, where the scenario does not wait for new ones.
        let pages = (configuration ?? environment.configurations.lastKnown.configuration).tutorialPages
        guard !pages.isEmpty else { return }
        try await environment.stage.ask(in: step) { try await presenter.showTutorial(pages) }
        // Cut off, it was not read to its end.
        try step.checkCancellation()
        step.attempt(orNote: "that the tutorial was seen could not be recorded, so it will be shown again") {
            try state.recordTutorialSeen(version: version)
        }
    }

    private func isDue(_ step: StepContext) -> Bool {
        if case .unavailable(let error) = environment.state.tutorialVersionSeen {
            step.note("whether the tutorial was seen cannot be told now, so it was not shown: \(error)")
        }
        return !environment.hasSeenTutorial
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration?) async throws -> Void {
    /// The tutorial, when there is something new to show. The configuration is nil where the scenario does not wait for
    /// it.
    public static var tutorial: Self {
        Self("tutorial", "Show the tutorial", expected: .milliseconds(250), options: .onFailure(.continue), .asksNothing) {
            try await TutorialOperation(environment: $0).run($2?.configuration, in: $1)
        }
    }
}
