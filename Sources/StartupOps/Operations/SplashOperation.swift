import Sequencer

/// Shows the splash.
@MainActor
public protocol SplashPresenter: Sendable {
    /// Shows it, and returns when it is visible.
    func showSplash() async
    /// Returns when it has ended by itself, its video or its animation over, or when its task is cancelled. A splash that stands still has
    /// ended at once.
    func splashEnded() async
}

/// Shows the splash for its minimum time, and until its video or its animation has ended.
///
/// It is over at once when the app goes to the background: who comes back does not want to see the rest.
public struct SplashOperation: Sendable {
    private let presenter: (any SplashPresenter)?
    private let minimum: Duration
    private let stage: Stage
    private let lifecycle: AppLifecycle

    /// An operation that shows the splash by `presenter`.
    ///
    /// - Parameters:
    ///   - presenter: nil when the app has no splash of its own: the operation then has nothing to do.
    ///   - minimum: how long the splash is visible at least.
    public init(presenter: (any SplashPresenter)?, minimum: Duration, stage: Stage, lifecycle: AppLifecycle) {
        self.presenter = presenter
        self.minimum = minimum
        self.stage = stage
        self.lifecycle = lifecycle
    }

    /// Shows the splash, and returns when it may go.
    @MainActor
    public func run(in launch: Launch) async throws {
        guard let presenter else { return }
        let events = lifecycle.events()
        let minimum = minimum
        try await stage.present(by: launch.operation) {
            await presenter.showSplash()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    async let ended: Void = presenter.splashEnded()
                    try await launch.sleep(for: minimum)
                    await ended
                }
                group.addTask {
                    for await event in events where event == .didEnterBackground {
                        launch.note("the app went to the background: the rest of the splash was left out")
                        return
                    }
                    // No event will come any more: only the splash itself can end it.
                    try await Task.sleep(for: .seconds(86_400))
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
