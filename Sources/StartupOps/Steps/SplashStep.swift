import Sequencer

/// Shows the splash.
@MainActor
public protocol SplashPresenter: Sendable {
    /// Shows it, and returns when it is visible.
    func showSplash() async
    /// Returns when it has ended by itself, its video or its animation over, or when its task is cancelled. A splash
    /// that stands still has ended at once.
    func splashEnded() async
    /// Plays the splash's video, and returns when it is over or when its task is cancelled. Asked for where
    /// ``SettingKey/showsSplashVideo`` is set.
    func playSplashVideo() async
}

extension SplashPresenter {
    /// Returns at once, as a splash without a video.
    public func playSplashVideo() async {}
}

/// Shows the splash for its minimum time, and until its video and its animation have ended.
///
/// It is over at once when the app goes to the background: the user who comes back does not want to see the rest.
struct SplashOperation: Sendable {
    /// How long it is shown at most, unless the app sets another timeout.
    static let longest = Duration.milliseconds(2500)

    let environment: StartupEnvironment

    /// Shows the splash, and returns when it may go.
    @MainActor
    func run(in step: StepContext) async throws {
        guard let presenter = environment.presenters.splash else { return endAll(by: "an app without a splash") }
        let minimum = environment.splashMinimum
        // One that hangs leaves time for the rest. An app that has set a longer timeout wants it.
        if let left = step.timeWithinBudget, let time = step.remainingTime, time <= Self.longest {
            step.limitTime(to: max(left - .milliseconds(400), minimum + .milliseconds(200)))
        }
        // Before it is shown: the app may go to the background while it appears.
        let events = environment.lifecycle.events()
        try await environment.stage.present(by: step.operation, stays: true) {
            await presenter.showSplash()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    // Both at once: the splash and its video end in any order.
                    async let video: Void = play(presenter)
                    async let splash: Void = watch(presenter)
                    // The minimum time first, then the rest of both.
                    try await step.sleep(for: minimum)
                    _ = await (video, splash)
                }
                group.addTask {
                    if await events.first(where: { $0 == .didEnterBackground }) == nil {
                        // No event will come any more: only the splash itself can end it.
                        return try await Task.sleep(for: .seconds(86_400))
                    }
                    step.note("the app went to the background: the rest of the splash was left out")
                    endAll(by: "going to the background")
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func play(_ presenter: any SplashPresenter) async {
        if environment.settings[.showsSplashVideo] { await presenter.playSplashVideo() }
        end(.splashVideoDone, by: "its end")
    }

    private func watch(_ presenter: any SplashPresenter) async {
        await presenter.splashEnded()
        end(.splashControllerEnded, by: "its end")
    }

    /// Meets a condition, unless the splash was cut off: then it has not ended by itself.
    private func end(_ condition: ConditionName, by source: String) {
        // Cut off by the timeout, it has not ended; the gate then gets a bypass.
        if !Task.isCancelled { environment.firstScreen?.meet(condition, by: source) }
    }

    private func endAll(by source: String) {
        for condition in [ConditionName.splashVideoDone, .splashControllerEnded] { end(condition, by: source) }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The splash, for its minimum time; it is left after 2.5 s, and sooner where the rest of the launch would not keep
    /// the budget, unless the app sets a longer timeout.
    public static var splash: Self {
        Self(
            "splash",
            "Show the splash",
            expected: .milliseconds(400),
            // A splash that never ends must not keep the app from starting, nor from keeping its budget.
            options: .timeout(SplashOperation.longest),
            .onFailure(.continue)
        ) { try await SplashOperation(environment: $0).run(in: $1) }
    }
}
