import Sequencer

/// The state of a launch as its events and questions tell it: a value, whose time is that of the last event.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct FollowedLaunch {
    private let graph: ValidatedGraph
    private let way: ExpectedWay
    private let isPersons: Set<String>
    private var isEnded: [Bool]
    private var endedOfWay = 0
    /// The operations whose dependencies have ended, and that have not started.
    private var ready: Set<Int> = []
    /// Since when those run that have started, by operation.
    private var starts: [Int: Duration] = [:]
    private var time = Duration.zero
    private var isStopped = false
    /// The identifiers of those that run, in the order in which they started.
    private(set) var running: [String] = []
    private(set) var waits: [LaunchModel.Wait] = []

    init(_ graph: ValidatedGraph) {
        self.graph = graph
        way = ExpectedWay(graph)
        isPersons = graph.graph.personSteps
        isEnded = Array(repeating: false, count: graph.count)
    }

    var fraction: Double { way.count == 0 ? 0 : Double(endedOfWay) / Double(way.count) }

    /// The longest way from an operation that could run, or does, to the end.
    ///
    /// - Complexity: O(ready and running operations).
    var remaining: Duration? {
        if !way.isExpected || isStopped || endedOfWay == way.count { return nil }
        if waits.contains(where: { graph.position(of: $0.operation).map { way.isNeeded[$0] } ?? false }) { return nil }
        var longest: Duration?
        for node in ready where way.isNeeded[node] { longest = max(longest ?? .zero, way.expected[node] + way.rest[node]) }
        for (node, start) in starts where way.isNeeded[node] {
            longest = max(longest ?? .zero, max(.zero, start + way.expected[node] - time) + way.rest[node])
        }
        return longest
    }

    mutating func apply(_ event: LaunchEvent) {
        // Events of several threads may come late: the time never goes back.
        time = max(time, event.time)
        switch event.kind {
        case .ready(let id): if let node = open(id) { ready.insert(node) }
        case .started(let id, _): start(id, at: event.time)
        case .ended(let id, _): end(id)
        case .stopped: isStopped = true
        case .launchEnded: endAll()
        case .launchStarted, .retrying, .dropped: break
        }
    }

    /// An operation begins to ask the user, or no longer does.
    mutating func ask(_ id: String, isAsking: Bool) {
        let wait = LaunchModel.Wait.person(operation: id)
        if !isAsking {
            waits.removeAll { $0 == wait }
        } else if open(id) != nil, !waits.contains(wait) {
            waits.append(wait)
        }
    }

    private mutating func start(_ id: String, at start: Duration) {
        // Not another attempt.
        guard let node = open(id), starts.updateValue(start, forKey: node) == nil else { return }
        ready.remove(node)
        running.append(id)
        if isPersons.contains(id) {
            ask(id, isAsking: true)
        } else if let event = graph.eventName(node) {
            waits.append(.event(event, operation: id))
        }
    }

    private mutating func end(_ id: String) {
        guard let node = open(id) else { return }
        isEnded[node] = true
        if way.isNeeded[node] { endedOfWay += 1 }
        ready.remove(node)
        if starts.removeValue(forKey: node) != nil { running.removeAll { $0 == id } }
        waits.removeAll { $0.operation == id }
    }

    /// The launch has ended, and so have all operations: events of some of them may have been dropped.
    private mutating func endAll() {
        isEnded = isEnded.map { _ in true }
        endedOfWay = way.count
        (ready, starts, running, waits) = ([], [:], [], [])
    }

    /// The position of an operation that has not ended.
    private func open(_ id: String) -> Int? { graph.position(of: id).flatMap { isEnded[$0] ? nil : $0 } }
}

/// The operations that the milestone needs, each with the longest way from its end to that of the milestone by expected
/// durations; all operations without a milestone.
private struct ExpectedWay {
    let isNeeded: [Bool]
    let rest: [Duration]
    let expected: [Duration]
    /// Whether anything is expected of any of them.
    let isExpected: Bool
    let count: Int

    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph) {
        let expected = (0..<graph.count).map { node in
            let policy = graph.policy(node)
            // Deferrable operations hold nothing up.
            return policy.isExpectedOfPerson || policy.isDeferrable ? .zero : policy.expected ?? .zero
        }
        let isNeeded = graph.milestoneIndex.map(graph.leading(to:)) ?? Array(repeating: true, count: graph.count)
        let ways = graph.remaining { isNeeded[$0] ? expected[$0].nanoseconds : 0 }
        rest = zip(ways, expected).map { .nanoseconds($0 - $1.nanoseconds) }
        isExpected = zip(isNeeded, expected).contains { $0 && $1 > .zero }
        count = isNeeded.count { $0 }
        (self.isNeeded, self.expected) = (isNeeded, expected)
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension LaunchModel.Wait {
    /// The operation that waits.
    var operation: String {
        switch self {
        case .person(let operation), .event(_, let operation): operation
        }
    }
}
