import Sequencer

/// The screen of an app: one operation at a time has it, and after a takeover no other ever again.
///
/// Operations present through it, each in its turn, in the order in which they asked. The update screen takes the stage
/// over: an operation that waits for a turn is refused, and so is every later operation.
///
/// Screens of the app's own come through it as well, those of its steps, of its events and of links that it follows
/// outside of a launch: so they do not come over the update. ``isTakenOverBy`` says whether there is one.
///
/// ```swift
/// let choice = try await environment.stage.present(by: "news") { await news.show() }
/// ```
@MainActor
public final class Stage {
    private var owner: String?
    /// Counts the turns: a screen that comes back late must not pass on the turn of another one.
    private var turns = 0
    /// The operation whose screen stayed after its presentation. It lies under the screen of the owner.
    private var background: String?
    private let takeover = Locked<String?>(nil)
    /// The event that an operation has taken the stage over, with the operation: it comes before that shows anything.
    ///
    /// ```swift
    /// environment.stage.takenOver.whenSettled(.atOnce) { _ in player.stop() }
    /// ```
    ///
    /// It comes once, or never: await it in a task of its own.
    public nonisolated let takenOver = ExternalEvent<String>("takeover")
    private let turn = Turn()

    /// How long a screen may take to go away when its task was cancelled: as long as a launch waits for a step by
    /// default. Its turn passes on after that, or a screen that hangs would keep every other one away.
    nonisolated static let patience = Duration.milliseconds(250)

    /// An empty stage.
    nonisolated init() {}

    /// The operation that has taken the stage over, for good; nil before a takeover.
    /// Any thread may ask.
    public nonisolated var isTakenOverBy: String? { takeover.withLock { $0 } }

    /// The operation whose screen is on top: the one that has taken the stage over, or else presents, or else has left
    /// its screen; nil before the first.
    var top: String? { isTakenOverBy ?? owner ?? background }

    /// How many wait for their turn.
    var queueLength: Int { turn.queueLength }

    /// Presents when it is this operation's turn. A screen that is still there 250 ms after its task was cancelled
    /// loses its turn: the next one is presented over it.
    ///
    /// - Parameters:
    ///   - operation: the identifier of the step, or any other name of what presents.
    ///   - stays: whether its screen stays until another one takes its place, as the splash and the main screen do.
    ///   - body: presents, and returns when the screen is free again.
    /// - Throws: ``PresentationRefused`` after a takeover, `CancellationError` when the task is cancelled while it
    ///     waits, and what `body` throws.
    public func present<Result: Sendable>(
        by operation: String,
        stays: Bool = false,
        _ body: @MainActor () async throws -> Result
    ) async throws -> Result {
        let turn = try await takeTurn(operation)
        // Before it is presented: it lies under all that comes.
        if stays { background = operation }
        return try await use(turn, body)
    }

    /// Presents a question when it is this operation's turn. The time from then until the user answers does not
    /// count.
    ///
    /// - Parameters:
    ///   - launch: the context of the step that asks.
    ///   - question: throws when the user has left it without an answer.
    /// - Throws: as ``present(by:stays:_:)`` does, but ``DismissedByPerson`` where `question` throws.
    public func ask<Answer: Sendable>(
        in launch: StepContext,
        _ question: @MainActor @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let operation = launch.operation
        // Waiting for the screen is not the step's time: somebody else has it.
        let turn = try await launch.waitForTurn {
            try await launch.waiting(for: "the screen") { try await takeTurn(operation) }
        }
        return try await use(turn) {
            // In this order: told before it is asked, so that a death in between is the user's (P34).
            try await launch.waitForPerson {
                do {
                    return try await question()
                } catch {
                    // After a cancellation, the question throws as well: then the user did not dismiss it.
                    try launch.checkCancellation()
                    throw DismissedByPerson(operation: operation)
                }
            }
        }
    }

    /// Takes the stage over, at once and for good, also from an operation that presents. Nothing is presented or
    /// delivered after that.
    ///
    /// So does a check of the app's own:
    ///
    /// ```swift
    /// step.abort(.forceUpdate) { await stage.takeOver(by: "license") { await screen.show() } }
    /// ```
    ///
    /// The first takeover counts: one by another operation is refused, and shows nothing.
    ///
    /// - Parameters:
    ///   - operation: the identifier of the step, or any other name of what takes it over.
    ///   - body: presents.
    public func takeOver(by operation: String, _ body: @MainActor () async -> Void) async {
        if let owner = isTakenOverBy, owner != operation { return }
        takeover.withLock { $0 = operation }
        takenOver.fulfill(operation)
        // Waiting operations get the turn; `takeTurn(_:)` then refuses them.
        turn.passToAll()
        await body()
    }

    /// The operation owns the stage when this returns.
    ///
    /// - Returns: the number of its turn.
    private func takeTurn(_ operation: String) async throws -> Int {
        if isTakenOverBy == nil, !turn.takeIfFree() { try await turn.wait() }
        if let owner = isTakenOverBy { throw PresentationRefused(operation: operation, takenOverBy: owner) }
        owner = operation
        turns += 1
        // A task that is cancelled with the turn in hand has to pass it on.
        if Task.isCancelled {
            pass(turns)
            throw CancellationError()
        }
        return turns
    }

    /// Uses a turn until `body` has ended, but no longer than ``patience`` after a cancellation.
    private func use<Result: Sendable>(
        _ turn: Int,
        _ body: @MainActor () async throws -> Result
    ) async throws -> Result {
        // Also after an error, or nobody would ever get the screen.
        defer { pass(turn) }
        return try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            // In real time, and no part of the step: it must not wait for the screen that hangs.
            Task.detached { [weak self] in
                try? await Task.sleep(for: Self.patience)
                await self?.pass(turn)
            }
        }
    }

    private func pass(_ number: Int) {
        guard number == turns, owner != nil else { return }
        owner = nil
        turn.pass()
    }
}

/// An operation wanted to present after another one had taken the screen over.
public struct PresentationRefused: DescribedError, Sendable, Hashable {
    /// The operation that wanted to present.
    public let operation: String
    /// The operation that has the screen, for good.
    public let takenOverBy: String

    /// The message, in one sentence.
    public var description: String { "\(operation) may not present: \(takenOverBy) has taken over the screen" }
}

/// An operation needs the user, and nothing was given that could ask them.
struct MissingPresenterError: DescribedError, Sendable, Hashable {
    /// The operation.
    let operation: String
    /// The question for the user.
    let question: String

    /// The message, in one sentence.
    var description: String {
        "there is no presenter for \(operation), and it needs a person: \(question); give one to StartupPresenters"
    }
}

/// The user left a screen without giving an answer.
public struct DismissedByPerson: DescribedError, Sendable, Hashable {
    /// The operation whose screen it was.
    let operation: String

    /// The message, in one sentence.
    public var description: String { "the person dismissed \(operation)" }

    /// The journal's word for it: a launch that the user left does not count as a bad one.
    static let journalReason = "dismissed"
}
