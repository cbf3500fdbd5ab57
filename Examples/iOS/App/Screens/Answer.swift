/// What a person is asked for, and the operation that waits for it.
///
/// The first answer counts. When the operation is cancelled, by a takeover, say, it goes on at once: no question outlives who asked it.
@MainActor
final class Answer<Value: Sendable> {
    private var value: Value?
    private var readers: [CheckedContinuation<Value, Never>] = []

    /// Answers. Later answers change nothing.
    func give(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        for reader in readers { reader.resume(returning: value) }
        readers = []
    }

    /// Waits for the answer.
    ///
    /// - Parameter substitute: the answer when the task is cancelled.
    func get(whenCancelled substitute: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                if let value { reader.resume(returning: value) } else { readers.append(reader) }
            }
        } onCancel: {
            Task { @MainActor in self.give(substitute) }
        }
    }
}
