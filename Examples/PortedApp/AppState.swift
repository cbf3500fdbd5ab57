//  The app's life, as a value: it decides, and `LaunchCoordinator` acts.
//
//  started ── launching ──┬── foreground ── background(hasLaunched: true) ── foreground
//                         ├── stopped ──── launching (the button)
//                         └── background(hasLaunched: false) ── launching
//
//  The launch is cancelled in the background, unless it asks; what was cut off after the home is done on return.

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
    /// Whether it was cancelled, and is about to end.
    private var isCancelled = false
    /// What begins when that has ended.
    private var next: AppAction?
    /// Whether a question is on the screen, for which the user may have to leave the app: a code that comes by mail.
    var isAsking = false

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
            return [.cancelRefresh, .resume, .deliver] + begin(.retry)
        case (.launching, .didEnterBackground), (.stopped, .didEnterBackground):
            phase = .background(hasLaunched: false)
            return isAsking ? [] : cancel()
        case (.foreground, .didEnterBackground):
            phase = .background(hasLaunched: true)
            return [.cancelResume] + cancel()
        // A launch whose question was answered elsewhere goes on.
        case (.background, .homeShown) where !isCancelled: phase = .background(hasLaunched: true)
        // A check that had its answer just then: its screen is there.
        case (.background, .takenOver): phase = .background(hasLaunched: false)
        case (.launching, .homeShown) where next == nil: phase = .foreground
        case (_, .launchEnded(let isCompleted)):
            (isRunning, isCancelled) = (false, false)
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
        case (.foreground, .loggedOut):
            phase = .launching
            return [.cancelResume] + cancel() + begin(.launch)
        case (.foreground, .entryPointReceived): return [.deliver]
        default: break
        }
        return []
    }

    /// A launch that runs goes on. One that was cancelled ends within its grace period; another one begins after it.
    private mutating func begin(_ action: AppAction) -> [AppAction] {
        if isRunning {
            next = isCancelled ? action : nil
            return []
        }
        isRunning = true
        return [action]
    }

    private mutating func cancel() -> [AppAction] {
        (isCancelled, next) = (isRunning, nil)
        return isRunning ? [.cancelLaunch] : []
    }
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
    case loggedOut
}

/// What the coordinator does.
nonisolated enum AppAction: Hashable, Sendable {
    case launch
    /// Launches, without what has succeeded before.
    case retry
    case cancelLaunch
    case resume
    case cancelResume
    case deliver
    case cancelRefresh
}
