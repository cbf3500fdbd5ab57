import Sequencer

/// Shows the tutorial.
@MainActor
public protocol TutorialPresenter: Sendable {
    /// Returns when the person has seen the last page, or has skipped the rest. When it throws, the person has left before that, and the next launch shows it again.
    func showTutorial(_ pages: [TutorialPage]) async throws
}

/// Shows the tutorial on the first launch, and on the first one after an update of the app.
///
/// That it was seen is recorded after it was shown, never before: who is interrupted sees it again. After a downgrade it is not shown.
struct TutorialOperation: Sendable {
    /// Remembers the version in which the tutorial was seen.
    let state: LaunchState
    /// Has the pages, where the scenario does not wait for the configuration.
    let configurations: ConfigurationStore
    /// The running app's.
    let version: SemanticVersion
    /// Nil when the app has no tutorial: the operation then has nothing to do.
    let presenter: (any TutorialPresenter)?
    let stage: Stage
    /// Whether the person has asked for it: it is shown, new or not.
    var isAskedFor = false

    /// Whether there is something new to show: the tutorial was never seen, or only in a lower version.
    static func isDue(in version: SemanticVersion, seen: SemanticVersion?) -> Bool {
        seen.map { $0 < version } ?? true
    }

    /// Shows the tutorial when it is due; returns at once otherwise.
    @MainActor
    func run(_ configuration: AppConfiguration?, in step: StepContext) async throws {
        guard let presenter else {
            // Asked for by a person, nothing may pass in silence.
            if isAskedFor { throw MissingPresenterError(operation: step.operation, question: "to read the tutorial") }
            return
        }
        guard isAskedFor || isDue(step) else { return }
        // The last known pages, where the scenario does not wait for new ones.
        let pages = (configuration ?? configurations.lastKnown.configuration).tutorialPages
        guard !pages.isEmpty else { return }
        try await stage.ask(in: step) { try await presenter.showTutorial(pages) }
        // Cut off, it was not read to its end.
        try step.checkCancellation()
        do {
            try state.recordTutorialSeen(version: version.description)
        } catch {
            step.note("that the tutorial was seen could not be recorded, so it will be shown again: \(error)")
        }
    }

    private func isDue(_ step: StepContext) -> Bool {
        switch state.tutorialVersionSeen {
        case .absent: return true
        // A text that cannot be read as a version counts as none: the tutorial is shown, and its version recorded.
        case .value(let seen): return Self.isDue(in: version, seen: SemanticVersion(seen))
        case .unavailable(let error):
            step.note("whether the tutorial was seen cannot be told now, so it was not shown: \(error)")
            return false
        }
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration?) async throws -> Void {
    /// The tutorial, when there is something new to show. The configuration is nil where the scenario does not wait for it.
    public static var tutorial: Self {
        Self(
            "tutorial",
            "Show the tutorial",
            isOnMain: true,
            expected: .milliseconds(250),
            options: .onFailure(.continue),
            simulated: { simulated in
                return { step, _ in try await simulated.pass(step) }
            },
            work: { environment, memory in
                let operation = TutorialOperation(
                    state: environment.state,
                    configurations: environment.configurations,
                    version: environment.app.version,
                    presenter: environment.presenters.tutorial,
                    stage: environment.stage,
                    isAskedFor: memory.isAskedFor
                )
                return { step, loaded in try await operation.run(loaded?.configuration, in: step) }
            }
        )
    }
}
