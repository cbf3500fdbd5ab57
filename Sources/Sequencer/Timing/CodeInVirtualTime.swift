// Code of an app on a virtual clock, without a launch of its own.
//
// It is a launch in all but name: its body holds time as a step does, and the tasks that it makes, those on actors
// and on the main actor too, wait for their turn as parts of it (`Interleaver`, `EnqueueHook`). Time moves when none of
// them can run and one or more sleep.

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
        let isChosen = codeBegins()
        let result = await whileOtherClocksWait { await ending(of: body, limit: limit) }
        if isChosen {
            // It may keep its thread: what it leaves runs when the machine likes.
            var isEndless = false
            if case .failure(is EndlessWait) = result { isEndless = true }
            await codeEnds(atRest: !isEndless)
        }
        return try result.get()
    }

    nonisolated(nonsending) private func ending<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value,
        limit: Duration
    ) async -> Result<Value, any Error> {
        let code = CodeInVirtualTime<Value>(limit: limit, on: self)
        let link: VirtualLaunchLink = { [weak code] in code }
        let engine = TimeHolder(.engine, of: link, on: self)
        let holder = TimeHolder(.takeover, of: link, on: self, name: "body")
        // Nothing begins before the result can be taken.
        hold()
        // Where the clock does not have the main actor's jobs, it waits until the main thread is at rest.
        let (id, begin) = register(engine, hasMainSteps: !EnqueueHook.hasMainActor)
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
        // Cancelled also where it has ended, so that it is nowhere else than here.
        defer { task.cancel() }
        return await withTaskCancellationHandler {
            await waitWithoutHoldingTime(self) { done in
                code.begins(id, done)
                letGo()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Runs `body`, which goes by this clock. Code on another one waits for it as long as it takes.
    nonisolated(nonsending) package func whileOtherClocksWait<Value>(
        _ body: nonisolated(nonsending) () async -> Value
    ) async -> Value {
        let outer = TimeHolder.current(on: self) == nil ? TimeHolder.current : nil
        outer?.waitsForAnotherClock(true)
        defer { outer?.waitsForAnotherClock(false) }
        return await body()
    }

    // MARK: Several pieces of code on one clock

    /// Tasks are chosen for it, as for the others, unless they are for a launch on the clock.
    private func codeBegins() -> Bool {
        let interleaver = Interleaver(.putOffs([]), asksMainThread: !EnqueueHook.hasMainActor)
        let isFirst = state.withLock { state -> Bool? in
            if state.interleaver != nil, state.pieces == 0 { return nil }
            if state.pieces == 0 { state.interleaver = interleaver }
            state.pieces += 1
            return state.pieces == 1
        }
        if isFirst == true, EnqueueHook.isSet { EnqueueHook.add(self) }
        return isFirst != nil
    }

    /// - Parameter atRest: whether to wait for the tasks that it leaves. A launch on the clock is not waited for.
    nonisolated(nonsending) private func codeEnds(atRest: Bool) async {
        let (isLast, isAlone) = state.withLock { state in
            state.pieces -= 1
            return (state.pieces == 0, state.launches.isEmpty)
        }
        guard isLast else { return }
        if atRest, isAlone {
            _ = await endInterleaving()
        } else {
            EnqueueHook.remove(self)
            state.withLock { $0.interleaver = nil }
        }
    }
}

/// The body, as the clock has it.
private final class CodeInVirtualTime<Value: Sendable>: VirtualLaunch {
    private let limit: Duration
    private let scheduler: VirtualScheduler
    /// Its number on the clock, and what takes the result; nil once that has it.
    private let running = Locked<(id: Int, done: @Sendable (Result<Value, any Error>) -> Void)?>(nil)

    init(limit: Duration, on scheduler: VirtualScheduler) { (self.limit, self.scheduler) = (limit, scheduler) }

    func begins(_ id: Int, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        running.withLock { $0 = (id, done) }
    }

    /// The first result counts.
    func ends(_ result: Result<Value, any Error>) {
        guard let (id, done) = running.withLock({ $0.take() }) else { return }
        // Here, in the code's turn: time must not move until whoever waits for the result goes on.
        scheduler.unregister(id)
        done(result)
    }

    func isRunning(_: TimeHolder.Role) -> Bool { running.withLock { $0 != nil } }

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
