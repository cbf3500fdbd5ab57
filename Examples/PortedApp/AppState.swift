//  The app's life, as a value: it decides, and `LaunchCoordinator` acts.
//
//  started ── launching ──┬── foreground ── background(hasLaunched: true) ── foreground
//                         ├── stopped ──── launching (the button)
//                         └── background(hasLaunched: false) ── launching

/// Where the app is, between its launches and beside them.
nonisolated struct AppState: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The process is there, and nobody has seen the app: it was started for a task, or a scene is still to come.
        case started
        /// The user waits for the first screen.
        case launching
        /// The first screen was shown, and the app can be seen.
        case foreground
        /// The app can be seen, with a screen that has taken over: of an update or of a failure.
        case stopped
        /// The app cannot be seen.
        case background(hasLaunched: Bool)
    }

    private(set) var phase = Phase.started
    /// Whether a launch runs, be it one that was cancelled. There is one at a time.
    private(set) var isRunning = false
    /// What begins when that has ended.
    private var next: AppAction?

    var isInFront: Bool {
        switch phase {
        case .launching, .foreground, .stopped: true
        case .started, .background: false
        }
    }

    /// Goes to the next phase. Being told again of what is known changes nothing.
    ///
    /// - Returns: what is to be done, in this order.
    mutating func apply(_ event: AppEvent) -> [AppAction] {
        switch (phase, event) {
        case (.started, .willEnterForeground), (.background(hasLaunched: false), .willEnterForeground):
            phase = .launching
            return [.cancelRefresh] + begin(.launch)
        case (.background(hasLaunched: true), .willEnterForeground):
            phase = .foreground
            return [.cancelRefresh, .resume]
        case (.launching, .didEnterBackground), (.stopped, .didEnterBackground):
            (phase, next) = (.background(hasLaunched: false), nil)
            return cancel()
        case (.foreground, .didEnterBackground):
            phase = .background(hasLaunched: true)
            return cancel()
        case (.launching, .homeShown) where next == nil: phase = .foreground
        case (_, .launchEnded(let isCompleted)):
            isRunning = false
            if let action = next {
                next = nil
                return begin(action)
            }
            if phase == .launching { phase = isCompleted ? .foreground : .stopped }
        case (.foreground, .takenOver):
            phase = .stopped
            return cancel()
        case (.stopped, .retry):
            phase = .launching
            return begin(.retry)
        case (.foreground, .entryPointReceived): return [.deliver]
        default: break
        }
        return []
    }

    /// A launch that was cancelled ends within its grace period; another one begins after it.
    private mutating func begin(_ action: AppAction) -> [AppAction] {
        if isRunning {
            next = action
            return []
        }
        isRunning = true
        return [action]
    }

    private func cancel() -> [AppAction] { isRunning ? [.cancelLaunch] : [] }
}

/// What happens to the app.
nonisolated enum AppEvent: Hashable, Sendable {
    case willEnterForeground
    case didEnterBackground
    /// The milestone of the launch.
    case homeShown
    case launchEnded(isCompleted: Bool)
    /// A push, a link or a shortcut is in the mailbox.
    case entryPointReceived
    /// A later check wants the screen: an update is required.
    case takenOver
    /// The user touches the button of the failure's screen.
    case retry
}

/// What the coordinator does.
nonisolated enum AppAction: Hashable, Sendable {
    case launch
    /// Launches, without what has succeeded before.
    case retry
    case cancelLaunch
    case resume
    case deliver
    case cancelRefresh
}
