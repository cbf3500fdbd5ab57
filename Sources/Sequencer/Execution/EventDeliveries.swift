import Foundation

/// Who watches a launch, and what has not been told to them yet.
///
/// Events are noted under the launch's lock and told without it, by one thread at a time, so that everyone sees them in order and nobody
/// can hold the launch up.
struct EventDeliveries: Sendable {
    typealias Observer = @Sendable (LaunchEvent) -> Void

    var observers: [Observer] = []
    private var pending: [LaunchEvent] = []
    private var isDelivering = false

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ events: [LaunchEvent]) {
        pending += events
    }

    /// The events to tell now; nil when there are none, or when another thread is telling.
    mutating func next(continuing: Bool) -> [LaunchEvent]? {
        if isDelivering && !continuing { return nil }
        isDelivering = !pending.isEmpty
        guard isDelivering else { return nil }
        defer { pending.removeAll() }
        return pending
    }
}

extension LaunchStorage {
    /// Tells the observers what has happened, unless another thread is doing so and will tell this too. Who tells the launch's end gives the report.
    func deliverEvents() {
        var isContinuing = false
        while true {
            let (events, observers) = state.withLock { state in
                let events = state.machine.takeEvents().map { raw in
                    LaunchEvent(raw, in: graph, outcome: raw.node >= 0 ? state.machine.nodes[raw.node].outcome : .succeeded)
                }
                state.deliveries.add(events)
                return (state.deliveries.next(continuing: isContinuing), state.deliveries.observers)
            }
            guard let events else { return }
            isContinuing = true
            for event in events {
                for observer in observers { observer(event) }
            }
            if case .launchEnded? = events.last?.kind { finish() }
        }
    }
}
