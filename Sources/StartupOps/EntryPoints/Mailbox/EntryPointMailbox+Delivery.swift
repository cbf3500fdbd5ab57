import Foundation

extension EntryPointMailbox {
    /// Hands over what waits, one after the other, until nothing is left that can be delivered now.
    ///
    /// Before the main screen has appeared, after ``stop(because:)`` and while another call delivers, it does nothing; in the last case, that
    /// other call also delivers what has arrived since. Call it after the main screen has appeared, after a login, and whenever something
    /// was received later.
    ///
    /// - Parameter handler: accepts an entry point by returning: as soon as the app has taken it over, not when the person is done with it.
    ///   When it throws, the entry point is kept for the next call; a `CancellationError` does not count as an attempt.
    /// - Returns: how many entry points were accepted.
    @discardableResult
    public func deliver(to handler: @Sendable (EntryPointDelivery) async throws -> Void) async -> Int {
        guard await begin() else { return 0 }
        var accepted = 0
        var postponed: Set<String> = []
        while let session = sessionToDeliverFor() {
            guard let delivery = claimNext(for: session, except: postponed) else {
                if endUnlessThereIsNews() { return accepted }
                continue
            }
            // An update may have been required while the store was written.
            guard sessionToDeliverFor() != nil else {
                transact { $0.release(delivery.id, counts: false) }
                break
            }
            if await handOver(delivery, to: handler) { accepted += 1 } else { postponed.insert(delivery.id) }
        }
        state.withLock { $0.isDelivering = false }
        return accepted
    }

    private func begin() async -> Bool {
        let mustWait: Bool? = state.withLock { state in
            guard state.phase == .open else { return nil }
            guard !state.isDelivering else {
                state.hasNews = true
                return nil
            }
            state.isDelivering = true
            state.hasNews = false
            return delay > .zero && !state.hasWaited
        }
        guard let mustWait else { return false }
        if mustWait {
            do {
                try await sleep(delay)
                state.withLock { $0.hasWaited = true }
            } catch {
                state.withLock { $0.isDelivering = false }
                return false
            }
        }
        return true
    }

    /// nil when nothing may be delivered any more.
    private func sessionToDeliverFor() -> EntryPointSession? {
        if Task.isCancelled { return nil }
        return state.withLock { $0.phase == .open ? $0.session : nil }
    }

    private func endUnlessThereIsNews() -> Bool {
        state.withLock { state in
            if state.hasNews {
                state.hasNews = false
                return false
            }
            state.isDelivering = false
            return true
        }
    }

    func handOver(_ delivery: EntryPointDelivery, to handler: @Sendable (EntryPointDelivery) async throws -> Void) async -> Bool {
        report(.handedOver(delivery))
        do {
            try await handler(delivery)
        } catch {
            transact { $0.release(delivery.id, counts: !(error is CancellationError)) }
            report(.postponed(delivery, error))
            return false
        }
        transact { $0.finish(delivery.id) }
        report(.accepted(delivery))
        return true
    }
}
