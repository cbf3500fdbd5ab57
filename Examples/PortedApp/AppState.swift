//  The app's life, as a value: it decides, and `LaunchCoordinator` acts.
//
//  started ── launching ──┬── foreground ── background(hasLaunched: true) ── foreground
//                         ├── stopped ──┬── launching (the button)
//                         │             └── background(hasLaunched: false) ── launching
//                         └── leaving ──┬── background
//                                       └── returning ── launching

/// Where the app is, between its launches and beside them.
nonisolated enum AppState: Hashable, Sendable {
    /// The process is there, and nobody has seen the app: it was started for a task, or a scene is still to come.
    case started
    /// The user waits for the first screen.
    case launching
    /// The first screen was shown, and the app can be seen.
    case foreground
    /// The app can be seen, with a screen that has taken over: of an update or of a failure.
    case stopped
    /// The user has gone in the middle of a launch, which has still to end.
    case leaving
    /// The user is back before that.
    case returning
    /// The app cannot be seen, and no launch runs.
    case background(hasLaunched: Bool)

    var isInFront: Bool {
        switch self {
        case .launching, .foreground, .stopped, .returning: true
        case .started, .leaving, .background: false
        }
    }

    /// Goes to the next state. Being told again of what is known changes nothing.
    ///
    /// - Returns: what is to be done, in this order.
    mutating func apply(_ event: AppEvent) -> [AppAction] {
        let (next, actions) = after(event)
        self = next
        return actions
    }

    private func after(_ event: AppEvent) -> (AppState, [AppAction]) {
        switch (self, event) {
        case (.started, .willEnterForeground), (.background(hasLaunched: false), .willEnterForeground):
            (.launching, [.cancelRefresh, .launch])
        case (.background(hasLaunched: true), .willEnterForeground): (.foreground, [.cancelRefresh, .resume])
        case (.leaving, .willEnterForeground): (.returning, [])

        case (.launching, .didEnterBackground): (.leaving, [.cancelLaunch])
        case (.returning, .didEnterBackground): (.leaving, [])
        case (.foreground, .didEnterBackground): (.background(hasLaunched: true), [.cancelLaunch])
        case (.stopped, .didEnterBackground): (.background(hasLaunched: false), [])

        case (.launching, .homeShown): (.foreground, [])
        case (.launching, .launchEnded(let isCompleted)): (isCompleted ? .foreground : .stopped, [])
        case (.leaving, .launchEnded(let isCompleted)): (.background(hasLaunched: isCompleted), [])
        case (.returning, .launchEnded(let isCompleted)): isCompleted ? (.foreground, [.resume]) : (.launching, [.launch])

        case (.foreground, .takenOver): (.stopped, [])
        case (.stopped, .retry): (.launching, [.retry])
        case (.foreground, .entryPointReceived): (.foreground, [.deliver])
        default: (self, [])
        }
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
