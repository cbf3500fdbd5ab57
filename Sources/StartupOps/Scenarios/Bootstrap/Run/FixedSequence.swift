import Sequencer

/// The parts of something that is made in one order, always the same.
protocol SequencePart: Sendable, Hashable, CaseIterable, CustomStringConvertible where AllCases == [Self] {
    /// What the whole is called.
    static var sequence: String { get }
    /// Why it comes after the part before it.
    var reason: String { get }
}

/// Decides whether a part may be made now: only the next one may, and each once.
struct FixedSequence<Part: SequencePart> {
    /// The parts that were begun, in order.
    private(set) var begun: [Part] = []

    /// - Throws: ``RegistryError`` naming this part and the one that has to come before it, with the reason.
    mutating func begin(_ part: Part) throws(RegistryError) {
        let parts = Part.allCases
        if begun.contains(part) {
            throw problem(.repeated, part, nil, "\(part) was made before: \(Part.sequence) is made once")
        }
        // Begun are the first parts, without a gap; so what is missing before this one is at least the one right before it.
        guard let place = parts.firstIndex(of: part), place == begun.count else {
            let previous = parts[max(0, (parts.firstIndex(of: part) ?? 0) - 1)]
            throw problem(.misordered, part, previous, "\(part) must come after \(previous): \(part.reason)")
        }
        begun.append(part)
    }

    /// - Throws: ``RegistryError`` naming the first part that is missing at the end.
    func end() throws(RegistryError) {
        guard begun.count < Part.allCases.count else { return }
        let missing = Part.allCases[begun.count]
        throw problem(.missing, missing, begun.last, "\(Part.sequence) is not complete: \(missing) is missing")
    }

    private func problem(_ code: RegistryProblem.Code, _ part: Part, _ other: Part?, _ text: String) -> RegistryError {
        RegistryError(
            problems: [RegistryProblem(code: code, registration: part.description, other: other?.description, description: text)]
        )
    }
}

/// One line of the trace of a fixed sequence: what was done, and what came of it.
public struct BootstrapTraceEntry: Sendable, Hashable, CustomStringConvertible {
    /// The part.
    public let part: String
    /// What came of it.
    public let note: String

    /// `network: GraphQL and REST at api.example.com`.
    public var description: String { "\(part): \(note)" }
}

/// Makes the parts of a sequence, and records each in the launch and in a trace.
final class SequenceTrace<Part: SequencePart>: Sendable {
    private let state = Locked((sequence: FixedSequence<Part>(), entries: [BootstrapTraceEntry]()))

    /// The parts that were made, in order.
    var entries: [BootstrapTraceEntry] { state.withLock { $0.entries } }

    /// Makes a part, when it is its turn.
    ///
    /// - Parameter body: returns what came of it, for the trace.
    @MainActor
    func make(_ part: Part, in launch: Launch, _ body: @MainActor () async throws -> String) async throws {
        try begin(part)
        record(part, try await body(), launch)
    }

    /// Records a part that is made elsewhere, when it is its turn.
    func make(_ part: Part, in launch: Launch, note: String) throws {
        try begin(part)
        record(part, note, launch)
    }

    /// - Throws: ``RegistryError`` when a part is missing.
    func end() throws { try state.withLock { $0.sequence }.end() }

    private func begin(_ part: Part) throws {
        let result = state.withLock { state in
            Result { () throws(RegistryError) in try state.sequence.begin(part) }
        }
        try result.get()
    }

    private func record(_ part: Part, _ note: String, _ launch: Launch) {
        let entry = BootstrapTraceEntry(part: part.description, note: note)
        let place = state.withLock { state in
            state.entries.append(entry)
            return state.entries.count
        }
        launch.note("\(Part.sequence) \(place)/\(Part.allCases.count) \(entry)")
    }
}
