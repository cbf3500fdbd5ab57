import Sequencer

/// Tells any number of readers of values, in the order in which they came, whoever delivers them.
///
/// A value is put in line with `enqueue(_:)`, which calls nobody and may so be used under a lock, and is given to the readers by `deliver()`.
/// Of two threads that deliver, one does it all, so that no reader ever sees an older value after a newer one.
final class ValueBroadcast<Value: Sendable>: Sendable {
    private enum Delivery {
        case value(Value)
        case reader(Int, AsyncStream<Value>.Continuation)
        case noReader(Int)
    }

    private struct State {
        var line: [Delivery] = []
        var readers: [Int: AsyncStream<Value>.Continuation] = [:]
        var latest: Value?
        var isDelivering = false
        var asked = 0
    }

    private let state: Locked<State>
    private let replaysLatest: Bool

    /// - Parameter latest: what a reader is told first, as long as nothing newer has come; nil when readers only hear of what comes.
    init(latest: Value? = nil) {
        state = Locked(State(latest: latest))
        replaysLatest = latest != nil
    }

    func enqueue(_ value: Value) { state.withLock { $0.line.append(.value(value)) } }

    func send(_ value: Value) {
        enqueue(value)
        deliver()
    }

    func deliver() {
        let isDelivering = state.withLock { state in
            defer { state.isDelivering = true }
            return state.isDelivering
        }
        if isDelivering { return }
        while let deliver = state.withLock({ next(&$0) }) { deliver() }
    }

    /// The latest value, where it is replayed, and those that come.
    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = state.withLock { state in
            state.asked += 1
            state.line.append(.reader(state.asked, continuation))
            return state.asked
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.line.append(.noReader(number)) }
            self?.deliver()
        }
        deliver()
        return stream
    }

    private func next(_ state: inout State) -> (() -> Void)? {
        guard !state.line.isEmpty else {
            state.isDelivering = false
            return nil
        }
        switch state.line.removeFirst() {
        case .value(let value):
            state.latest = value
            let readers = Array(state.readers.values)
            return { for reader in readers { reader.yield(value) } }
        case .reader(let number, let reader):
            state.readers[number] = reader
            guard replaysLatest, let latest = state.latest else { return {} }
            return { reader.yield(latest) }
        case .noReader(let number):
            state.readers[number] = nil
            return {}
        }
    }

    deinit {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.finish() }
    }
}
