import Foundation
import StartupNetworking

extension EntryPointMailbox {
    /// Hands over the waiting entry points, one after the other, until none is left that can be delivered now.
    ///
    /// Before the main screen has appeared, after an update was required and while another call delivers, it does
    /// nothing; in the last case, that other call also delivers later arrivals. Call it after the main screen has
    /// appeared, after a login, and whenever something was received later.
    ///
    /// - Parameter handler: accepts an entry point by returning: as soon as the app has taken it over, not when the
    ///   user is done with it. When it throws, the entry point is kept for the next call; a `CancellationError` and a
    ///   ``PresentationRefused`` do not count as attempts. It is told to cancel when an update takes the screen over;
    ///   presented by ``Stage/present(by:stays:_:)``, nothing comes under that.
    /// - Returns: how many entry points were accepted.
    @discardableResult
    public func deliver(to handler: @escaping @Sendable (EntryPointDelivery) async throws -> Void) async -> Int {
        await deliver(sleeping: sleep) { [state] delivery in
            // In one step with the look at the phase: nothing begins when the screen is taken over.
            let task = state.withLock { state -> Task<Void, any Error>? in
                guard state.phase == .open else { return nil }
                state.handling = Task { try await handler(delivery) }
                return state.handling
            }
            guard let task else { throw CancellationError() }
            defer { state.withLock { $0.handling = nil } }
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The same; the delay is waited for by `sleep`.
    @discardableResult
    func deliver(
        sleeping sleep: @Sendable (Duration) async throws -> Void,
        to handler: @Sendable (EntryPointDelivery) async throws -> Void
    ) async -> Int {
        guard await begin(sleeping: sleep) else { return 0 }
        var accepted = 0
        var postponed: Set<String> = []
        // Asked anew for each: somebody may log in or out while the handler runs.
        while let session = sessionToDeliverFor() {
            guard let delivery = claimNext(for: session, except: postponed) else {
                // Something came in between the look and the end: it would wait for nobody.
                if endUnlessThereIsNews() { return accepted }
                continue
            }
            // An update may have been required while the store was written.
            guard sessionToDeliverFor() != nil else {
                storage.transact { $0.release(delivery.id, counts: false) }
                break
            }
            // Postponed ones wait for the next call: this one would try them for ever.
            if await handOver(delivery, to: handler) { accepted += 1 } else { postponed.insert(delivery.id) }
        }
        state.withLock { $0.deliveries = 0 }
        return accepted
    }

    private func begin(sleeping sleep: @Sendable (Duration) async throws -> Void) async -> Bool {
        let pause: Duration? = state.withLock { state in
            guard state.phase == .open else { return nil }
            state.deliveries += 1
            guard state.deliveries == 1 else { return nil }
            return state.hasWaited ? Duration.zero : state.delay
        }
        guard let pause else { return false }
        if pause > .zero {
            do {
                try await sleep(pause)
                state.withLock { $0.hasWaited = true }
            } catch {
                // Cancelled while it waited: another call may deliver.
                state.withLock { $0.deliveries = 0 }
                return false
            }
        }
        return true
    }

    /// nil when nothing may be delivered any more.
    private func sessionToDeliverFor() -> EntryPointSession? {
        if Task.isCancelled { return nil }
        return state.withLock { $0.phase == .open ? $0.session ?? .guest : nil }
    }

    private func endUnlessThereIsNews() -> Bool {
        state.withLock { state in
            state.deliveries = state.deliveries > 1 ? 1 : 0
            return state.deliveries == 0
        }
    }

    func handOver(_ delivery: EntryPointDelivery, to handler: @Sendable (EntryPointDelivery) async throws -> Void) async -> Bool {
        do {
            try await handler(delivery)
        } catch {
            // Cancelled is not the handler's failure: it must not use up the attempts.
            storage.transact { $0.release(delivery.id, counts: !(error is CancellationError || error is PresentationRefused)) }
            return false
        }
        storage.transact { $0.finish(delivery.id) }
        return true
    }

    /// This account is logged in, or this guest is there.
    func setSession(of account: Account) {
        setSession(account.isAnonymous ? .guest : .loggedIn(account.id))
    }

    /// Whether it is for anybody, or for the account that is logged in, or, until somebody is known to be there, for
    /// the account whose session is stored.
    func isForWhoeverIsThere(_ delivery: EntryPointDelivery) -> Bool { delivery.account.map { areSame($0, currentAccount) } ?? true }

    /// The waiting pushes that may be shown to the user of now.
    private var pushesToShow: [EntryPointDelivery] {
        waiting().filter { delivery in
            guard case .push(let push) = delivery.entryPoint, !push.isSilent else { return false }
            return isForWhoeverIsThere(delivery)
        }
    }

    /// The push whose content comes before the main screen, if one is there that may be shown now.
    var pushToPresent: EntryPointDelivery? { pushesToShow.first }

    /// How many pushes could be delivered now, and nobody takes. Others wait for their time: the main screen, a later
    /// launch, a login, another account.
    var untakenPushes: Int {
        guard state.withLock({ $0.phase == .open }) else { return 0 }
        return pushesToShow.count { !$0.entryPoint.needsLogin || currentAccount != nil }
    }

    /// Hands over one entry point before the main screen has appeared: the push that a launch is for, whose content
    /// comes first.
    ///
    /// - Returns: whether it was accepted; false as well when it does not wait any more, or nothing is delivered in
    ///     this launch.
    @discardableResult
    func deliver(_ id: String, to handler: @Sendable (EntryPointDelivery) async throws -> Void) async -> Bool {
        guard state.withLock({ $0.phase != .stopped }) else { return false }
        // By exclusion: the ledger decides the order, and only this one is left.
        let others = Set(waiting().map(\.id)).subtracting([id])
        // As logged in: a push that is shown first may be for the account whose login is still to come.
        guard let delivery = claimNext(for: .loggedIn(currentAccount), except: others) else { return false }
        guard delivery.id == id else {
            // It has arrived just now.
            storage.transact { $0.release(delivery.id, counts: false) }
            return false
        }
        return await handOver(delivery, to: handler)
    }

    /// The cause of the launch for this account; entry points for another one do not count, nor do silent pushes. A kind
    /// of the app's own is as a link.
    func origin(for account: String?) -> LaunchFacts.Origin {
        let cause = waiting().first { !$0.entryPoint.isSilent && ($0.account == nil || areSame($0.account, account)) }
        return switch cause?.entryPoint {
        case .push: .push
        case .link, .app: .link
        case .shortcut: .shortcut
        case nil: .icon
        }
    }
}
