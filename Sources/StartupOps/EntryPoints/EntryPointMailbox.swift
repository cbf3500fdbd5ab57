import Foundation
import Sequencer
import StartupNetworking

/// Keeps the entry points that the user came in by, from their arrival until the app has accepted them.
///
/// An entry point is stored when it arrives, so it survives the end of the process. It is handed over once the main
/// screen is visible: pushes first, then links, then shortcuts, each in the order they arrived: the user's plainest
/// wish is on top in the end. Only the push that a launch is for comes before it, in the step
/// ``StartupStep/presentPushInformation``. An entry point that needs a login waits for one.
///
/// An entry point is marked in the store before it is handed over, and removed when the handler has accepted it. It is
/// handed over exactly once, unless the process dies in between or the handler throws: then it is handed over again, as
/// a redelivery, at most three times in all.
///
/// An entry point for one account (because the push says so, or because it needs a login and came while that account
/// was logged in, or its session was stored and the user was not known yet) is never handed to another: it waits until
/// that account is logged in, or until it expires. Without an expiry date it expires a week after it came.
///
/// Any number of processes may share a store, each with one mailbox; none is handed an entry point that another one is
/// working on. Every method can be called from any thread, and may wait for a disk.
///
/// A ``StartupEnvironment`` has one. It opens when the main screen of the built-in step, ``StartupStep/mainApp``, is
/// visible.
///
/// ```swift
/// environment.mailbox.receive(.link(try router.link(url.absoluteString)))
/// // ... the launch, which delivers the waiting ones; then, for later ones:
/// await environment.mailbox.deliver { delivery in
///     try await environment.stage.present(by: "link") { try await navigator.show(delivery) }
/// }
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
        /// Nil until the user is known.
        var session: EntryPointSession?
        /// How many calls want to deliver: the first of them does, and looks again before it ends when there are more.
        var deliveries = 0
        /// The app's handler, while it runs.
        var handling: Task<Void, any Error>?
        var hasWaited = false
        var delay = Duration.zero
        /// Entry points that were dropped or refused, and parts left out of pushes, that are not yet in a report.
        var untold = SentencesForReport()
    }

    let storage: EntryPointStorage
    let state = Locked(State())
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void
    private let capacity: Int
    private let storedAccount: @Sendable () -> String?
    private let process: EntryPointProcess

    /// A mailbox over `store`, which may still hold entry points of earlier launches.
    ///
    /// - Parameters:
    ///   - store: where entry points are kept. Links may carry secrets: give it a secure store where the app's links
    ///       do.
    ///   - capacity: how many are kept at most; of more, the oldest are dropped, and reported.
    ///   - delay: how long to wait between the main screen and the first delivery, a minute at most.
    ///   - storedAccount: the account whose session is stored; asked until the user is known, and may wait for a disk.
    ///   - now: tells the date.
    ///   - sleep: waits for the delay.
    init(
        _ store: any DataStore,
        capacity: Int = 32,
        delay: Duration = .zero,
        storedAccount: @escaping @Sendable () -> String? = { nil },
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        process: EntryPointProcess = EntryPointProcess()
    ) {
        storage = EntryPointStorage(store)
        self.capacity = capacity
        self.storedAccount = storedAccount
        self.now = now
        self.sleep = sleep
        self.process = process
        self.delay = delay
    }

    /// The mailbox of an app whose launch is a graph of its own, without a ``StartupEnvironment``, over what earlier
    /// launches have left in `directory`. One in a process.
    ///
    /// ```swift
    /// let mailbox = EntryPointMailbox(in: .openDefault())
    /// graph.add("home", .milestone, using: session, on: .main) { session in
    ///     await screen.showHome()
    ///     mailbox.open(for: session.userID)
    /// }
    /// ```
    public convenience init(in directory: StateDirectory) { self.init(directory.secure) }

    /// How long to wait between the main screen and the first delivery, from zero, which it is unless said otherwise,
    /// to a minute. In a launch it passes by the clock of the launch, in the step that delivers; set it before that.
    public var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = min(max(newValue, .zero), .seconds(60)) } }
    }

    /// Keeps an entry point.
    ///
    /// - Parameters:
    ///   - id: the system's identifier, such as a notification request's, for systems that tell of one twice; nil
    ///     without one. The last thousand that were accepted, or have expired, are remembered.
    ///   - account: the account that it is for; nil when the entry point says so itself, or is for every account.
    ///   - expiresAt: when it is of no use any more, by the clock of this device; nil when the entry point says so
    ///     itself, or is of use for a week. An expired one is dropped.
    @discardableResult
    public func receive(
        _ entryPoint: EntryPoint,
        id: String? = nil,
        for account: String? = nil,
        expiresAt: Date? = nil
    ) -> EntryPointReceipt {
        let id = id?.unlessBlank
        let name = id?.exact ?? UUID().uuidString
        var record = EntryPointLedger.Record(id: name, entryPoint: entryPoint, receivedAt: now())
        record.isUnnamed = id == nil ? true : nil
        // Only where a login is needed: any other link is for the user at the device.
        record.account = account?.unlessBlank ?? entryPoint.account ?? (entryPoint.needsLogin ? currentAccount : nil)
        record.expiresAt = expiresAt ?? entryPoint.expiresAt
        let (dropped, error) = storage.transact { [record] ledger -> [DroppedEntryPoint]? in
            ledger.knows(name) ? nil : ledger.add(record, capacity: capacity)
        }
        guard let dropped else { return .duplicate }
        // A duplicate's problems were noted when it came first.
        let problems = if case .push(let push) = entryPoint { push.problems } else { [String]() }
        keepForReport(dropped.map(\.description) + problems.map { "a part of a push was left out: \($0)" })
        return error.map { .keptInMemory($0) } ?? .stored
    }

    /// The account that is logged in. An entry point that starts the app comes before a launch knows the account: until
    /// then it is the account of the stored session, which may have ended, and be somebody else's by the time of the
    /// delivery.
    var currentAccount: String? {
        guard let session = state.withLock({ $0.session }) else { return storedAccount() }
        return if case .loggedIn(let account) = session { account } else { nil }
    }

    /// The waiting entry points, in the order of their delivery, without the one that is just being delivered.
    public func waiting() -> [EntryPointDelivery] {
        let date = now()
        func list(_ ledger: EntryPointLedger) -> [EntryPointDelivery] {
            ledger.records.filter { !$0.hasExpired(at: date) && ($0.claim.map { process.hasAbandoned($0, at: date) } ?? true) }
                .sorted(by: EntryPointLedger.isSooner).map(\.delivery)
        }
        // Without waiting for the lock where that is possible.
        return storage.look(list) ?? storage.transact { list($0) }.result
    }

    /// The app's own main screen can be seen, and this is who is there: from now on, unless ``stopDelivering()`` was
    /// called, ``deliver(to:)`` hands over entry points. The built-in step ``StartupStep/mainApp`` does so by itself.
    ///
    /// An app calls it at the end of its milestone, and once more when somebody has logged in or out.
    ///
    /// - Parameter account: the account that is logged in; nil for none, such as a guest's.
    public func open(for account: String?) {
        // First: an entry point that needs a login may go out at once.
        setSession(account.map { .loggedIn($0) } ?? .guest)
        mainScreenDidAppear()
    }

    /// The main screen can be seen: from now on, unless ``stopDelivering()`` was called, entry points may be delivered.
    func mainScreenDidAppear() { state.withLock { if $0.phase == .launching { $0.phase = .open } } }

    /// A user has logged in or out. Entry points that need a login are delivered at the next ``deliver(to:)``.
    func setSession(_ session: EntryPointSession) { state.withLock { $0.session = session } }

    /// Ends all delivery in this launch, such as when an update is required. Waiting entry points are kept for the next
    /// launch. It does not look at the store: the main thread may call it.
    public func stopDelivering() {
        let handling = state.withLock { state in
            state.phase = .stopped
            return state.handling
        }
        // Without the lock: its cancel handlers may ask this mailbox.
        handling?.cancel()
    }

    /// Gives up expired entry points: where nothing else waits, no delivery would.
    @discardableResult
    func dropExpired() -> [DroppedEntryPoint] {
        let date = now()
        // Nothing is written where there is nothing to drop.
        if storage.look({ $0.records.contains { $0.hasExpired(at: date) || $0.isFromFuture(at: date) } }) == false { return [] }
        let dropped = storage.transact { ledger in ledger.dropExpired(at: date) { process.hasAbandoned($0, at: date) } }.result
        keepForReport(dropped.map(\.description))
        return dropped
    }

    func claimNext(for session: EntryPointSession, except postponed: Set<String>) -> EntryPointDelivery? {
        let claim = process.claim(at: now())
        let claimed = storage.transact { ledger in
            ledger.claim(claim, session: session, except: postponed) { process.hasAbandoned($0, at: claim.since) }
        }.result
        keepForReport(claimed.dropped.map(\.description))
        return claimed.delivery
    }

    // MARK: The report

    /// Notes that something came in that the app does not take: the report of the launch that shows the main screen, or
    /// fails before it, says so, with the reason.
    ///
    /// ```swift
    /// do { mailbox.receive(.link(try router.link(url.absoluteString))) } catch { mailbox.refuse(because: error) }
    /// ```
    ///
    /// - Parameter error: the error of a router, of a parser of payloads or of ``ShortcutItems``. Of any other, only
    ///   the type is named: its description may quote the input.
    public func refuse(because error: any Error) {
        switch error {
        case is DeepLinkError, is PushPayloadError, is UnknownShortcutItem: keepForReport(["\(error)"])
        default: keepForReport(["an entry point was refused: \(type(of: error))"])
        }
    }

    private func keepForReport(_ sentences: [String]) {
        state.withLock { state in for sentence in sentences { state.untold.add(sentence) } }
    }

    /// Stops the delivery.
    ///
    /// - Returns: sentences for the report of a launch that an update has stopped: the dropped and refused entry
    ///   points, and how many are kept.
    func stopForReport() -> [String] {
        // First, so that nothing is handed over while they are counted.
        stopDelivering()
        let (lost, held) = (takeLosses(), waiting().count)
        if held == 0 { return lost }
        return lost + [
            held == 1
                ? "a push, link or shortcut is kept for a later launch" : "\(held) pushes, links and shortcuts are kept for a later launch"
        ]
    }

    /// Sentences for the report on entry points that were dropped or refused since the last call.
    func takeLosses() -> [String] { state.withLock { $0.untold.take() } }

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

    /// The cause of the launch for this account; entry points for another one do not count, nor do silent pushes. A
    /// kind of the app's own is as a link.
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

/// Sentences for a report, which may never come, and has room for few: alike ones share one, and the last counts
/// further ones.
struct SentencesForReport: Sendable {
    private static let limit = 8

    private var sentences: [(text: String, count: Int)] = []
    private var more = 0

    mutating func add(_ text: String) {
        if let index = sentences.firstIndex(where: { $0.text == text }) {
            sentences[index].count += 1
        } else if sentences.count < Self.limit {
            sentences.append((text, 1))
        } else {
            more += 1
        }
    }

    mutating func take() -> [String] {
        defer { (sentences, more) = ([], 0) }
        return sentences.map { $0.count == 1 ? $0.text : "\($0.count) times: \($0.text)" }
            + (more == 0 ? [] : ["more was dropped or refused: \(more)"])
    }
}
