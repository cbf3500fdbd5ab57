import Sequencer

/// The parts of something that is made once, in one order: each is noted in the report of the launch, and told to the crash loggers.
final class PartTrace: Sendable {
    /// A part and its result: `network: GraphQL and REST at api.example.com`.
    struct Entry: Sendable, Hashable, CustomStringConvertible {
        let part: String
        let note: String

        var description: String { "\(part): \(note)" }
    }

    private let state = Locked((begun: Set<String>(), entries: [Entry]()))
    private let sequence: String
    private let count: Int
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: is told each line that the launch is.
    init(_ sequence: String, of count: Int, tell: @escaping @Sendable (String) -> Void) {
        (self.sequence, self.count, self.tell) = (sequence, count, tell)
    }

    /// The parts that were made, in order.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// Makes a part.
    ///
    /// - Parameter body: returns the result, for the trace.
    /// - Throws: ``RegistryError`` for a part that was begun before: one that has failed must not be made a second time.
    @MainActor
    func make(_ part: String, in launch: StepContext, _ body: @MainActor () async throws -> String) async throws {
        guard begin(part) else {
            let text = "\(part) was made before: \(sequence) is made once"
            throw RegistryError(problems: [RegistryProblem(.repeated, part, text)])
        }
        record(part, try await body(), launch)
    }

    /// Notes a part that is made elsewhere, the first time.
    func note(_ part: String, _ note: String, in launch: StepContext) {
        if begin(part) { record(part, note, launch) }
    }

    private func begin(_ part: String) -> Bool { state.withLock { $0.begun.insert(part).inserted } }

    private func record(_ part: String, _ note: String, _ launch: StepContext) {
        let line = state.withLock { state in
            state.entries.append(Entry(part: part, note: note))
            return "\(sequence) \(state.entries.count)/\(count) \(part): \(note)"
        }
        launch.note(line)
        tell(line)
    }
}
