import Sequencer
import StartupNetworking

extension SDKLifecycle {
    /// A feature's module, made the first time it is asked for and kept until the SDK is reconfigured or reset.
    ///
    /// - Throws: ``SDKError`` with ``SDKError/Code/notInitialized``, naming who asked; and what `make` throws.
    public func module<Module: Sendable>(
        _ type: Module.Type = Module.self,
        for accessor: String = #function,
        make: (any SDKSession) throws -> Module
    ) throws -> Module {
        let (generation, key) = (try current(accessor), ObjectIdentifier(type))
        // The lock is not kept while `make` runs: it is the app's code, and may ask for another module.
        if let module = generation.modules[key] as? Module { return module }
        let made = try make(generation.session)
        return try state.withLock { state in
            // Made of a session that is over: it must not be kept.
            guard state.current?.number == generation.number else { throw Self.superseded(accessor) }
            // Two may have made one at the same time: the first one stays.
            if let module = state.current?.modules[key] as? Module { return module }
            state.current?.modules[key] = made
            return made
        }
    }

    /// Does something with the session that is current now.
    ///
    /// When the SDK is reconfigured or reset meanwhile, the work is cancelled, this throws at once, and the result of
    /// the work is discarded.
    ///
    /// - Throws: an ``SDKError`` that names the caller, before the set-up and, as ``SDKError/Code/superseded``, after
    ///     another one; and the errors of `body`.
    public func perform<Value: Sendable>(
        for accessor: String = #function,
        _ body: @escaping @Sendable (any SDKSession) async throws -> Value
    ) async throws -> Value {
        let generation = try current(accessor)
        let answer = OneShot<Value>()
        // A separate task, so that the caller is answered at once when the session ends.
        let task = Task {
            do {
                answer.give(.success(try await body(generation.session)))
            } catch {
                answer.give(.failure(error))
            }
        }
        let superseded: @Sendable () -> Void = {
            // The answer first, then the cancel: the work's own error must not come before it.
            answer.give(.failure(Self.superseded(accessor)))
            task.cancel()
        }
        let number: Int? = state.withLock { state in
            guard state.current?.number == generation.number else { return nil }
            state.requests += 1
            state.current?.requests[state.requests] = superseded
            return state.requests
        }
        // It ended between the two looks; the work has begun already.
        if number == nil { superseded() }
        defer { if let number { state.withLock { _ = $0.current?.requests.removeValue(forKey: number) } } }
        let value = try await withTaskCancellationHandler {
            try await answer.value
        } onCancel: {
            task.cancel()
        }
        // The answer may arrive just before the end of its generation, and be read just after it.
        guard state.withLock({ $0.current?.number == generation.number }) else { throw Self.superseded(accessor) }
        return value
    }

    /// How long a step may take that waits until it is ready. The restore ends by its own deadline; this is for a
    /// restore that ignores it.
    var timeoutUntilReady: Duration { options.restoreTimeout + .seconds(1) }

    /// Returns when it is ready, and notes how the parts of the restore have ended. After a reconfiguration meanwhile,
    /// that is the restore of the new session.
    ///
    /// - Throws: ``SDKError`` when it is not initialised, and at once when it is so no more.
    func waitUntilReady(in step: StepContext) async throws {
        // From before the look at the session: its end must not be missed.
        let ends = restoreEnds.stream()
        _ = try current(step.operation)
        try await step.waiting(for: "the restore of an earlier session") {
            if isReadyNow { return }
            for await isReady in ends {
                // Looked at again: an event may be told late, when another session has been opened.
                if isReady, isReadyNow { break }
                if !isReady, !isInitialized {
                    throw SDKError(
                        .superseded,
                        printable(step.operation, limit: 120),
                        "the SDK was reset, or could not be reconfigured, before an earlier session was restored"
                    )
                }
            }
            try step.checkCancellation()
        }
        let restored = restoreOutcomes.map { "\($0.step) \(ForeignText.shown("\($0.outcome)"))" }
        step.note(restored.isEmpty ? nothingRestored : restored.joined(separator: "; "))
    }

    /// Why nothing was restored, in one sentence.
    private var nothingRestored: String {
        let reason = state.withLock { $0.reasonNotToRestore } ?? Self.noSession
        return reason == Self.noSession ? "there was no session to restore" : "nothing was restored: \(reason)"
    }

    private func current(_ accessor: String) throws(SDKError) -> Generation {
        let (current, failure) = state.withLock { ($0.current, $0.failure) }
        if let current { return current }
        throw SDKError(
            .notInitialized,
            printable(accessor, limit: 120),
            "the SDK is not initialised\(failure.map { " (\($0))" } ?? "")",
            resolution: "call initialize first, and see that it returns true",
            underlying: failure
        )
    }

    private static func superseded(_ accessor: String) -> SDKError {
        SDKError(.superseded, printable(accessor, limit: 120), "the SDK was reconfigured or reset meanwhile; the answer was discarded")
    }
}
