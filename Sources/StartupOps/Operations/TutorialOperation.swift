import Sequencer

/// Shows the tutorial.
@MainActor
public protocol TutorialPresenter: Sendable {
    /// Returns when the person has seen the last page, or has skipped the rest.
    func showTutorial(_ pages: [TutorialPage]) async
}

/// Shows the tutorial on the first launch, and on the first one after an update of the app.
///
/// That it was seen is recorded after it was shown, never before: who is interrupted sees it again. After a downgrade it is not shown.
public struct TutorialOperation: Sendable {
    private let state: LaunchState
    private let configurations: ConfigurationStore
    private let version: SemanticVersion
    private let presenter: (any TutorialPresenter)?
    private let stage: Stage

    /// An operation that shows the tutorial by `presenter`.
    ///
    /// - Parameters:
    ///   - state: remembers the version in which the tutorial was seen.
    ///   - configurations: has the pages, where the scenario does not wait for the configuration.
    ///   - version: the running app's.
    ///   - presenter: nil when the app has no tutorial: the operation then has nothing to do.
    public init(
        state: LaunchState,
        configurations: ConfigurationStore,
        version: SemanticVersion,
        presenter: (any TutorialPresenter)?,
        stage: Stage
    ) {
        self.state = state
        self.configurations = configurations
        self.version = version
        self.presenter = presenter
        self.stage = stage
    }

    /// Whether there is something new to show: the tutorial was never seen, or only in a lower version.
    public static func isDue(in version: SemanticVersion, seen: SemanticVersion?) -> Bool {
        seen.map { $0 < version } ?? true
    }

    /// Shows the tutorial when it is due; returns at once otherwise.
    @MainActor
    public func run(_ configuration: AppConfiguration?, in launch: Launch) async throws {
        guard let presenter else { return }
        switch state.tutorialVersionSeen {
        case .absent: break
        // What is no version says nothing: the tutorial is shown, and that puts it right.
        case .value(let seen): guard Self.isDue(in: version, seen: SemanticVersion(seen)) else { return }
        case .unavailable(let error):
            launch.note("whether the tutorial was seen cannot be told now, so it was not shown: \(error)")
            return
        }
        let pages = (configuration ?? configurations.lastKnown.configuration).tutorialPages
        guard !pages.isEmpty else { return }
        try await stage.ask(in: launch) { await presenter.showTutorial(pages) }
        try launch.checkCancellation()
        do {
            try state.recordTutorialSeen(version: version.description)
        } catch {
            launch.note("that the tutorial was seen could not be recorded, so it will be shown again: \(error)")
        }
    }
}
