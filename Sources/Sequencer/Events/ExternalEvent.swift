/// Something that happens outside of a graph, at most once: a scene connects, a view has appeared, the user has
/// answered.
///
/// The app, a step or another launch fulfils it with a value, or fails it with a reason; the first of these counts,
/// whenever it comes: before a launch, during it, or long after. Steps wait for it as they wait for one another, and
/// any code can await it or add a block:
///
/// ```swift
/// let window = ExternalEvent<String>("window-connected")
///
/// var graph = OperationGraph("launch")
/// let link = graph.add("read-link") { "app://welcome" }
/// let connected = graph.wait(for: window)
/// graph.add("open-link", using: connected, link, on: .main) { window, link in print("\(window) opens \(link)") }
///
/// window.fulfill("main")        // from any thread, in any launch of the process
/// let name = try await window.value
/// ```
///
/// Copies are one event. Every method can be called from any thread: also within an observer, a cancel handler, or a
/// block of the same event. An event happens once: make a new one for each time.
public struct ExternalEvent<Value: Sendable>: Sendable {
    let storage: EventStorage

    /// An event that has not come.
    ///
    /// - Parameter name: the name, also of the steps that wait for it, in drawings and reports too. It must hold no
    ///     secret.
    public init(_ name: String) { storage = EventStorage(name) }

    /// The name.
    public var name: String { storage.name }

    /// The value, or the reason of the failure; nil until the event has happened or failed.
    public var result: Result<Value, any Error>? { storage.result.map { Self.typed($0, name) } }

    /// Tells that the event has happened.
    ///
    /// Steps continue first, then tasks, then blocks of ``EventPriority/atOnce``, on this thread. Nothing is called
    /// while a lock is held. Within a call that another event has caused, steps continue when that call has returned,
    /// and so do blocks within a block: a chain takes no stack.
    ///
    /// - Returns: whether this call had an effect; false if the event has happened or failed before.
    @discardableResult
    public func fulfill(_ value: Value) -> Bool { storage.settle(.success(value)) }

    /// Says that it can no longer come: steps that wait for it fail, and code that awaits it gets an error that names
    /// the event.
    ///
    /// - Parameter reason: completes "the event ... failed: ". It is shown in reports, and must hold no secret.
    /// - Returns: as ``fulfill(_:)``.
    @discardableResult
    public func fail(_ reason: String) -> Bool {
        storage.settle(.failure(ExternalEventError.failed(name, reason)))
    }

    /// Waits for the event, for as long as it takes.
    ///
    /// A step that awaits it keeps its lane; `graph.wait(for: event)` keeps none, and names
    /// the event while it waits.
    ///
    /// - Throws: an error with the event and the reason when it fails; `CancellationError` when the task is cancelled.
    nonisolated(nonsending) public var value: Value {
        get async throws {
            guard let value = try await storage.value() as? Value else { throw Self.foreignValue(name) }
            return value
        }
    }

    /// Calls `body` once, when the event has happened or failed; now, if it already has, or after the block that calls
    /// this. The priority says how soon after that.
    ///
    /// No launch waits for blocks, and they are in no report: work that belongs to a launch is a step. The event keeps
    /// the block until then. When nobody holds the event any more, its blocks are told that it has failed.
    public func whenSettled(_ priority: EventPriority = .soon, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        add(priority) { result in priority.call { body(result) } }
    }

    /// The same, on the main thread.
    public func whenSettled(
        _ priority: EventPriority = .soon,
        on thread: MainThread,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) {
        add(priority) { result in priority.callOnMain { body(result) } }
    }

    private func add(_ priority: EventPriority, _ tell: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        // The name, not the event: the event keeps its blocks, and would keep itself.
        storage.add(storage.takeTicket(), priority.rank) { [name] result in tell(Self.typed(result, name)) }
    }

    private static func typed(_ result: EventResult, _ name: String) -> Result<Value, any Error> {
        switch result {
        case .success(let value as Value): .success(value)
        case .success: .failure(foreignValue(name))
        case .failure(let error): .failure(error)
        }
    }

    /// This is a defect of the library if it is ever seen.
    private static func foreignValue(_ name: String) -> ExternalEventError {
        .failed(name, "its value is of another type")
    }
}

extension ExternalEvent where Value == Void {
    /// Tells that the event has happened.
    ///
    /// - Returns: as ``fulfill(_:)``.
    @discardableResult
    public func fulfill() -> Bool { fulfill(()) }
}

/// An event can no longer come.
struct ExternalEventError: DescribedError {
    let description: String

    init(_ event: String, _ what: String) { description = "the event '\(printable(event))' \(what)" }

    /// - Parameter reason: often the words of a server, without end.
    static func failed(_ event: String, _ reason: String) -> ExternalEventError {
        ExternalEventError(event, "failed: \(printable(reason, limit: 400))")
    }
}
