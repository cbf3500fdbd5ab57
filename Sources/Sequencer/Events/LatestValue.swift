/// Something from outside that may change: a device token that comes at each start, a registration that fails and
/// succeeds later, whether there is a network.
///
/// ```swift
/// let deviceToken = LatestValue<String>("device-token")
/// // In the app delegate, from any thread:
/// deviceToken.set(token)
/// deviceToken.fail("the push service was not reached")
///
/// // A step that needs one:
/// let token = graph.wait(for: deviceToken, .timeout(.seconds(5)), .onFailure(.continue))
/// // Code that follows it:
/// for await token in deviceToken.changes { await accounts.register(try? token.get()) }
/// ```
///
/// It keeps the latest value, or the latest failure, and nothing else. What happens once is an ``ExternalEvent``. Every
/// method can be called from any thread.
public final class LatestValue<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var latest: Result<Value, any Error>?
        /// How often it has changed.
        var count = 0
        /// Comes with the next change.
        var change: ExternalEvent<Void>
        var available: ExternalEvent<Value>
        /// Whether that has come, or comes now.
        var isAvailable = false
    }

    /// The name, also of the steps that wait for it.
    public let name: String
    private let state: Locked<State>

    /// Without a value.
    ///
    /// - Parameter name: see ``ExternalEvent/init(_:)``.
    public init(_ name: String) {
        self.name = name
        state = Locked(State(change: ExternalEvent(name), available: ExternalEvent(name)))
    }

    /// The latest value, or the latest failure; nil until there is either.
    public var latest: Result<Value, any Error>? { state.withLock { $0.latest } }

    /// The event that there is a value: it has come with the latest one, or comes with the next. A failure does not
    /// settle it, and after a failure it comes with the next value.
    ///
    /// Take it when the graph is made, for `graph.wait(for: latest)`: the step keeps the value
    /// that it came with.
    public var available: ExternalEvent<Value> { state.withLock { $0.available } }

    /// Sets the value. Steps that wait for one go on, and observers hear of it.
    public func set(_ value: Value) { change(to: .success(value), isAvailable: true).fulfill(value) }

    /// Says that there is no value for now.
    ///
    /// - Parameter reason: see ``ExternalEvent/fail(_:)``.
    public func fail(_ reason: String) {
        _ = change(to: .failure(ExternalEventError.failed(name, reason)), isAvailable: false)
    }

    /// - Returns: the event that there is a value.
    private func change(to result: Result<Value, any Error>, isAvailable: Bool) -> ExternalEvent<Value> {
        // What it replaces is freed without the lock, as are objects of the app.
        let (old, change, available) = state.withLock { state in
            let old = (state.latest, state.available)
            if state.isAvailable { state.available = ExternalEvent(name) }
            (state.latest, state.isAvailable) = (result, isAvailable)
            state.count += 1
            return (old, exchange(&state.change, with: ExternalEvent(name)), state.available)
        }
        change.fulfill()
        return withExtendedLifetime(old) { available }
    }

    /// The latest value or failure at once, if there is one, then each change: until the task is cancelled.
    ///
    /// Nothing is queued: who is slow gets the latest, and not those between. Each loop has all of it.
    public var changes: Changes { Changes(source: self) }

    /// See ``LatestValue/changes``.
    public struct Changes: AsyncSequence, Sendable {
        fileprivate let source: LatestValue

        /// Begins with the latest value.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// See ``LatestValue/changes``.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let source: LatestValue
            fileprivate var count = 0

            /// The next change; nil when the task is cancelled, and in virtual time when nothing is left that could
            /// bring one.
            nonisolated(nonsending) public mutating func next() async -> Result<Value, any Error>? {
                while true {
                    let (latest, count, change) = source.state.withLock { ($0.latest, $0.count, $0.change) }
                    if count > self.count {
                        self.count = count
                        return latest
                    }
                    guard (try? await change.value) != nil else { return nil }
                }
            }
        }
    }
}
