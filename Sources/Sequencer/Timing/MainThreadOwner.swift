/// The launch that holds the main thread back, so that it can be chosen when it goes on: one of a process at a time.
enum MainThreadOwner {
    private struct State: Sendable {
        var isTaken = false
        var waiting = FirstInFirstOut<UnsafeContinuation<Void, Never>>()
    }

    private static let state = Locked(State())

    static func take() async {
        await withUnsafeContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    static func giveBack() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.popFirst()
        }
        next?.resume()
    }
}
