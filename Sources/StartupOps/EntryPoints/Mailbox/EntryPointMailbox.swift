import Foundation
import Sequencer

/// Keeps what a person came in by, from the moment it arrives until the app has accepted it.
///
/// What arrives is stored at once, so it survives the end of the process. It is handed over once the main screen is visible: pushes first,
/// then links, then shortcuts, each in the order they arrived, so that what the person asked for most plainly is on top in the end. What
/// needs a login waits for one.
///
/// An entry point is marked in the store before it is handed over, and removed when the handler has accepted it. It is handed over exactly once,
/// unless the process dies in between or the handler throws: then it is handed over again, as a redelivery, at most three times in all.
///
/// Any number of processes may share a store, each with one mailbox; none is handed what another one is just working on. Every method can be
/// called from any thread, and may wait for a disk.
///
/// ```swift
/// let mailbox = EntryPointMailbox(store)
/// mailbox.receive(.link(try router.link(url.absoluteString)))
/// // ... the launch ...
/// if mailbox.mainScreenDidAppear() { analytics.send(.applicationLaunch) }
/// await mailbox.deliver { delivery in try await navigator.show(delivery) }
/// ```
public final class EntryPointMailbox: Sendable {
    enum Phase: Sendable, Hashable {
        /// The main screen has not appeared yet.
        case launching
        case open
        /// Nothing is delivered any more in this launch.
        case stopped
    }

    struct State: Sendable {
        var phase = Phase.launching
        var session = EntryPointSession.guest
        var isDelivering = false
        /// Set when somebody wanted to deliver meanwhile: the one that delivers looks again before it ends.
        var hasNews = false
        var hasWaited = false
    }

    let storage: EntryPointStorage
    let state = Locked(State())
    let delay: Duration
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void
    private let capacity: Int
    private let tell: @Sendable (EntryPointEvent) -> Void
    private let process: EntryPointProcess

    /// A mailbox over `store`, where what arrived in earlier launches may still be.
    ///
    /// - Parameters:
    ///   - store: where entry points are kept. Links may carry secrets: give it a secure store where the app's links do.
    ///   - capacity: how many are kept at most; of more, the oldest are dropped, and reported.
    ///   - delay: how long to wait between the main screen and the first delivery, a minute at most.
    ///   - now: tells the date.
    ///   - sleep: waits for the delay.
    ///   - onEvent: told what happens, on whatever thread it happens.
    public convenience init(
        _ store: any DataStore,
        capacity: Int = 32,
        delay: Duration = .zero,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        onEvent: @escaping @Sendable (EntryPointEvent) -> Void = { _ in }
    ) {
        self.init(store, capacity: capacity, delay: delay, now: now, sleep: sleep, process: EntryPointProcess(), onEvent: onEvent)
    }

    init(
        _ store: any DataStore,
        capacity: Int,
        delay: Duration,
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        process: EntryPointProcess,
        onEvent: @escaping @Sendable (EntryPointEvent) -> Void
    ) {
        storage = EntryPointStorage(store)
        self.capacity = capacity
        self.delay = min(max(delay, .zero), .seconds(60))
        self.now = now
        self.sleep = sleep
        self.process = process
        tell = onEvent
    }

    /// Keeps an entry point.
    ///
    /// - Parameter id: what the system calls it by, such as a notification request's identifier, for systems that tell of one twice; nil
    ///   when there is no such name.
    @discardableResult
    public func receive(_ entryPoint: EntryPoint, id: String? = nil) -> EntryPointReceipt {
        let id = id ?? UUID().uuidString
        let date = now()
        let (dropped, error) = transact { ledger -> [DroppedEntryPoint]? in
            ledger.knows(id) ? nil : ledger.add(entryPoint, id: id, at: date, capacity: capacity)
        }
        guard let dropped else { return .duplicate }
        tell(.received(EntryPointDelivery(id: id, entryPoint: entryPoint, receivedAt: date, isRedelivery: false)))
        tell(dropped)
        return error.map { .keptInMemory($0) } ?? .stored
    }

    /// What waits, in the order in which it would be delivered. What is just being delivered is not among it.
    public func waiting() -> [EntryPointDelivery] {
        let date = now()
        return transact { ledger in
            ledger.records.filter { $0.claim.map { process.hasAbandoned($0, at: date) } ?? true }.sorted(by: EntryPointLedger.isSooner)
                .map(\.delivery)
        }.result
    }

    /// The main screen can be seen: from now on, entry points may be delivered.
    ///
    /// - Returns: whether it is the first time; never so after ``stop(because:)``.
    @discardableResult
    public func mainScreenDidAppear() -> Bool {
        state.withLock { state in
            guard state.phase == .launching else { return false }
            state.phase = .open
            return true
        }
    }

    /// Somebody has logged in or out. What needs a login is delivered at the next ``deliver(to:)``.
    public func setSession(_ session: EntryPointSession) {
        state.withLock { $0.session = session }
    }

    /// Nothing more is delivered in this launch, such as when an update is required. What waits is kept for the next launch.
    ///
    /// - Returns: what is kept.
    @discardableResult
    public func stop(because reason: String) -> [EntryPointDelivery] {
        state.withLock { $0.phase = .stopped }
        let kept = waiting()
        for delivery in kept { tell(.keptForNextLaunch(delivery, reason: reason)) }
        return kept
    }

    /// Gives up what waits: all of it, or what `isChosen`, such as what needs a login when the person does not want to log in. What is just
    /// being delivered stays.
    @discardableResult
    public func drop(because reason: String, where isChosen: (EntryPoint) -> Bool = { _ in true }) -> [DroppedEntryPoint] {
        let date = now()
        // The choice is the app's code: it is made before the store is locked.
        let chosen = Set(waiting().filter { isChosen($0.entryPoint) }.map(\.id))
        let dropped = transact { ledger in
            ledger.drop(because: reason) { record in
                chosen.contains(record.id) && (record.claim.map { process.hasAbandoned($0, at: date) } ?? true)
            }
        }.result
        tell(dropped)
        return dropped
    }
}

extension EntryPointMailbox {
    func claimNext(for session: EntryPointSession, except postponed: Set<String>) -> EntryPointDelivery? {
        let claim = process.claim(at: now())
        let claimed = transact { ledger in
            ledger.claim(claim, session: session, except: postponed) { process.hasAbandoned($0, at: claim.since) }
        }.result
        tell(claimed.dropped)
        return claimed.delivery
    }

    /// Changes the ledger, and tells what went wrong with the store.
    @discardableResult
    func transact<Result>(_ body: (inout EntryPointLedger) -> Result) -> (result: Result, error: StorageError?) {
        let (result, error, unreadable) = storage.transact(body)
        if unreadable > 0 { tell(.unreadable(count: unreadable)) }
        if let error { tell(.storeFailed(error)) }
        return (result, error)
    }

    func tell(_ dropped: [DroppedEntryPoint]) {
        for dropped in dropped { tell(.dropped(dropped)) }
    }

    func report(_ event: EntryPointEvent) { tell(event) }
}
