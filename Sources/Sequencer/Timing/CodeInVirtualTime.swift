// Code of an app on a virtual clock, without a launch of its own.
//
// It is a launch in all but name: its body holds time as a step does, and the tasks that it makes, those on actors too,
// wait for their turn as parts of it (`Interleaver`, `EnqueueHook`). Time moves when none of them can run and one or
// more sleep.

/// A wait in virtual time that nothing on the clock can end.
package struct EndlessWait: DescribedError {
    package let description: String
}

extension VirtualScheduler {
    /// Runs `body` in virtual time, which moves meanwhile.
    ///
    /// - Parameter limit: the most virtual time that it may take.
    /// - Returns: its value. Tasks that it leaves have run until they sleep, or wait for something.
    /// - Throws: its error. An ``EndlessWait``, when it waits for something that nothing on the clock can end, or is
    ///     over its limit: it is cancelled then, and not waited for.
    nonisolated(nonsending) package func run<Value: Sendable>(
        limit: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOutermost = state.withLock { $0.interleaver == nil }
        let takesMainThread = EnqueueHook.hasMainActor
        if isOutermost {
            interleave(.putOffs([]), asksMainThread: !takesMainThread, takesMainThread: takesMainThread)
        }
        let code = CodeInVirtualTime<Value>(limit: limit, on: self)
        let link: VirtualLaunchLink = { [weak code] in code }
        let engine = TimeHolder(.engine, of: link, on: self)
        let holder = TimeHolder(.takeover, of: link, on: self, name: "body")
        // Nothing begins before the result can be taken.
        hold()
        let (id, begin) = register(engine, hasMainSteps: !takesMainThread)
        inputEnds(engine)
        change { state in
            state.mayHoldTime(holder)
            state.wake(id, at: begin + limit)
        }
        let task = TimeHolder.$current.withValue(holder) {
            holder.startTask {
                do { code.ends(.success(try await body())) } catch { code.ends(.failure(error)) }
            }
        }
        let result = await withTaskCancellationHandler {
            await waitWithoutHoldingTime(self) { done in
                code.begins(done)
                letGo()
            }
        } onCancel: {
            task.cancel()
        }
        // Also where it has ended, so that it is nowhere else than here.
        task.cancel()
        unregister(id)
        if isOutermost {
            // Code that does not end may keep the main thread.
            if case .failure(is EndlessWait) = result { EnqueueHook.remove(self) } else { _ = await endInterleaving() }
        }
        return try result.get()
    }
}

/// The body, as the clock has it.
private final class CodeInVirtualTime<Value: Sendable>: VirtualLaunch {
    private let limit: Duration
    private let scheduler: VirtualScheduler
    /// Takes the result; nil once it has.
    private let done = Locked<(@Sendable (Result<Value, any Error>) -> Void)?>(nil)

    init(limit: Duration, on scheduler: VirtualScheduler) { (self.limit, self.scheduler) = (limit, scheduler) }

    func begins(_ done: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        self.done.withLock { $0 = done }
        giveUpLast()
    }

    /// The first result counts.
    func ends(_ result: Result<Value, any Error>) { done.withLock { $0.take() }?(result) }

    /// Tasks sleep for ever, and nothing else is left. Launches that the body runs give up their own waits before.
    private func giveUpLast() {
        scheduler.beginWait(scheduler.takeWaitNumber()) { [weak self] in
            guard let self, isRunning(.takeover) else { return }
            if scheduler.state.withLock({ $0.waits.isEmpty }) {
                ends(.failure(EndlessWait(description: "every task that could end it sleeps for ever")))
            } else {
                giveUpLast()
            }
        }
    }

    func isRunning(_: TimeHolder.Role) -> Bool { done.withLock { $0 != nil } }

    var startsOnMainFirst: Bool { false }

    func workerBlocks(_: Bool) {}

    func waitsInRealTime(_ role: TimeHolder.Role) {
        // The main thread may be busy with something else.
        guard role != .engine else { return }
        let description = """
            it waits for something that nothing on its clock can end: a callback, a signal, a value that never comes, or \
            a sleep on another clock, such as `Task.sleep`
            """
        ends(.failure(EndlessWait(description: description)))
    }

    func timePassed(standstill _: Nanoseconds) {
        ends(.failure(EndlessWait(description: "it has not ended after \(limit) of virtual time, its limit")))
    }
}
