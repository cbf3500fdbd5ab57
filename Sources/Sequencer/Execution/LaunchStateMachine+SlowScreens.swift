/// Screens of slow operations: one timer begins a screen, another one tells it to end, and a third stops waiting for it.
extension LaunchStateMachine {
    /// The screen of one operation. It stays known when it has gone, because it is shown once.
    struct ShownScreen: Equatable {
        enum State: Equatable {
            case shown
            /// The operation has ended: it is told to end then.
            case ending(at: Nanoseconds)
            /// It was told to end, and is not waited for after that.
            case told(limit: Nanoseconds)
            case gone
        }

        let start: Nanoseconds
        var state = State.shown
    }

    /// Something is to be shown, or told to end.
    struct ScreenChange: Equatable {
        let node: Int
        let isShown: Bool
    }

    /// The changes since the last call.
    mutating func takeScreenChanges() -> [ScreenChange] {
        defer { screenChanges = [] }
        return screenChanges
    }

    /// The screen has gone; perhaps after the launch stopped waiting for it.
    mutating func screenWent(_ node: Int, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        screenIsGone(node)
        settle(&actions)
    }

    /// Whether something is shown for an operation, and has not gone.
    func isScreenUp(_ node: Int) -> Bool { screens[node].map { $0.state != .gone } ?? false }

    mutating func setScreenTimer(_ node: Int) {
        guard traits[node].contains(.showsIfSlow), screens[node] == nil, let time = screenTime(of: node) else { return }
        setTimer(.screen, of: node, at: time)
    }

    /// When an operation that has started has taken so long that something is shown; nil while it waits for a person.
    private func screenTime(of node: Int) -> Nanoseconds? {
        graph.policy(node).slowScreen.flatMap { ownTime(of: node, after: $0.limit) }
    }

    func isDue(screenTimer timer: Timer) -> Bool {
        let node = Int(timer.node)
        return switch timer.kind {
        case .screen:
            // The time as it is now: a wait for a person has moved it since the timer was set.
            phase == .running && !isFailureShown && nodes[node].state != .ended && screens[node] == nil
                && screenTime(of: node) == timer.time
        case .screenEnd: screens[node]?.state == .ending(at: timer.time)
        case .screenLimit: screens[node]?.state == .told(limit: timer.time)
        case .timeout, .retry, .grace, .fallback: false
        }
    }

    mutating func fire(screenTimer timer: Timer, _ actions: inout Actions) {
        let node = Int(timer.node)
        switch timer.kind {
        case .screen:
            screens[node] = ShownScreen(start: time)
            screensUp += 1
            change(ScreenChange(node: node, isShown: true), &actions)
        case .screenEnd: tellScreen(node, &actions)
        case .screenLimit: screenIsGone(node)
        case .timeout, .retry, .grace, .fallback: break
        }
    }

    /// An operation has ended: its screen ends when it was shown for long enough.
    mutating func endScreen(_ node: Int) {
        guard let screen = screens[node], screen.state == .shown, let minimum = graph.policy(node).slowScreen?.minimum else { return }
        let end = max(time, screen.start.addingSaturated(minimum.nanoseconds))
        screens[node]?.state = .ending(at: end)
        setTimer(.screenEnd, of: node, at: end)
    }

    /// The launch stops: nothing is shown any longer.
    mutating func tellScreens(_ actions: inout Actions) {
        // Sorted: the order of a dictionary differs between processes, and runs in virtual time must not.
        for node in screens.keys.sorted() { tellScreen(node, &actions) }
    }

    /// The launch stops waiting for screens.
    mutating func forgetScreens() {
        for node in screens.keys { screenIsGone(node) }
    }

    private mutating func tellScreen(_ node: Int, _ actions: inout Actions) {
        switch screens[node]?.state {
        case .shown?, .ending?:
            // A screen that does not go must not keep the launch from ending: it has as long as an operation that is told to cancel.
            let limit = time.addingSaturated(settings.grace)
            screens[node]?.state = .told(limit: limit)
            setTimer(.screenLimit, of: node, at: limit)
            change(ScreenChange(node: node, isShown: false), &actions)
        case .told?, .gone?, nil: break
        }
    }

    private mutating func screenIsGone(_ node: Int) {
        guard isScreenUp(node) else { return }
        screens[node]?.state = .gone
        screensUp -= 1
    }

    private mutating func change(_ change: ScreenChange, _ actions: inout Actions) {
        screenChanges.append(change)
        actions.changesScreens = true
    }
}
