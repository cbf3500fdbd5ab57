import Sequencer

/// The screen of a launch: one operation at a time has it, and after a takeover no other ever again.
///
/// Operations present through it, each in its turn, in the order in which they asked. The update screen takes the stage over: who waits for
/// a turn is refused, and so is whoever comes later, however late; each refusal is kept.
///
/// ```swift
/// let choice = try await stage.present(by: "login") { await presenter.askForLogin() }
/// ```
@MainActor
public final class Stage {
    private struct Waiter {
        let ticket: Int
        let turn: CheckedContinuation<Bool, Never>
    }

    private var owner: String?
    private var waiters: [Waiter] = []
    private var tickets = 0
    private var takeover: String?
    /// Who wanted to present after the takeover, in order.
    public private(set) var refusals: [PresentationRefused] = []

    private let onQuestion: @Sendable (_ operation: String, _ isAnswered: Bool) -> Void

    /// An empty stage.
    ///
    /// - Parameter onQuestion: told of each question to the person, before it is asked and when it has been answered.
    public nonisolated init(onQuestion: @escaping @Sendable (_ operation: String, _ isAnswered: Bool) -> Void = { _, _ in }) {
        self.onQuestion = onQuestion
    }

    /// Who has taken the stage over; nil as long as nobody has.
    public var isTakenOverBy: String? { takeover }

    /// Presents when it is this operation's turn.
    ///
    /// - Throws: ``PresentationRefused`` after a takeover, `CancellationError` when the task is cancelled while it waits, and what `body` throws.
    public func present<Result: Sendable>(by operation: String, _ body: @MainActor () async throws -> Result) async throws -> Result {
        if takeover == nil, owner != nil { try await waitForTurn() }
        if let takeover { throw refuse(operation, takeover) }
        owner = operation
        defer {
            owner = nil
            passTurn()
        }
        // Only now: who is cancelled with the turn in hand still has to pass it on.
        try Task.checkCancellation()
        return try await body()
    }

    /// Presents, when it is this operation's turn, what waits for a person's answer; the time until then does not count.
    ///
    /// - Throws: as ``present(by:_:)`` does.
    nonisolated(nonsending) public func ask<Answer: Sendable>(
        in launch: Launch,
        _ question: @MainActor @Sendable () async -> Answer
    ) async throws -> Answer {
        let operation = launch.operation
        return try await launch.waitForPerson {
            try await present(by: operation) {
                onQuestion(operation, false)
                defer { onQuestion(operation, true) }
                return await question()
            }
        }
    }

    /// Takes the stage over, at once and for good: whoever has it is covered.
    public func takeOver(by operation: String, _ body: @MainActor () async -> Void) async {
        takeover = operation
        let refused = waiters
        waiters = []
        for waiter in refused { waiter.turn.resume(returning: true) }
        await body()
    }

    private func refuse(_ operation: String, _ takeover: String) -> PresentationRefused {
        let refusal = PresentationRefused(operation: operation, takenOverBy: takeover)
        refusals.append(refusal)
        return refusal
    }

    /// Who gets the turn owns the stage before anyone else can ask for it.
    private func passTurn() {
        guard takeover == nil, !waiters.isEmpty else { return }
        owner = "next"
        waiters.removeFirst().turn.resume(returning: true)
    }

    private func waitForTurn() async throws {
        tickets += 1
        let ticket = tickets
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else if takeover != nil {
                    continuation.resume(returning: true)
                } else if owner == nil {
                    // On the way here this may have been suspended: whoever had the stage has left since, and nobody would pass the turn.
                    owner = "next"
                    continuation.resume(returning: true)
                } else {
                    waiters.append(Waiter(ticket: ticket, turn: continuation))
                }
            }
        } onCancel: {
            Task { @MainActor in self.withdraw(ticket) }
        }
        if !hasTurn { throw CancellationError() }
        if Task.isCancelled, takeover == nil {
            owner = nil
            passTurn()
            throw CancellationError()
        }
    }

    private func withdraw(_ ticket: Int) {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiters.remove(at: index).turn.resume(returning: false)
    }
}

/// An operation wanted to present after another one had taken the screen over.
public struct PresentationRefused: Error, Sendable, Hashable, CustomStringConvertible {
    /// Who wanted to present.
    public let operation: String
    /// Who has the screen, for good.
    public let takenOverBy: String

    /// One sentence.
    public var description: String { "\(operation) may not present: \(takenOverBy) has taken over the screen" }
}

/// An operation needs a person, and nothing was given that could ask one.
public struct MissingPresenterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation.
    public let operation: String
    /// What the person would have been asked.
    public let question: String

    /// One sentence.
    public var description: String {
        "there is no presenter for \(operation), and it needs a person: \(question); give one to StartupPresenters"
    }
}

/// The person left a screen without giving an answer.
public struct DismissedByPerson: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation whose screen it was.
    public let operation: String

    /// One sentence.
    public var description: String { "the person dismissed \(operation)" }
}
