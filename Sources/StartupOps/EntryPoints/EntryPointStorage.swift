import Foundation
import StartupStorage

/// Changes the stored ledger, one change at a time, and keeps what could not be stored until it can be.
final class EntryPointStorage: @unchecked Sendable {
    // @unchecked: `unsaved` is only reached in `transact`, which holds `turn`.

    /// The changes that the store does not have.
    private struct Unsaved {
        var changed: [EntryPointLedger.Record] = []
        var removed: Set<String> = []
        var accepted: [String] = []

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty && accepted.isEmpty }

        /// Entry points that were received meanwhile come after those in the store.
        func apply(to ledger: inout EntryPointLedger) {
            ledger.records.removeAll { removed.contains($0.id) }
            for record in changed {
                if let index = ledger.records.firstIndex(where: { $0.id == record.id }) {
                    ledger.records[index] = record
                } else {
                    // With a new number: others may have been stored meanwhile.
                    ledger.append(record)
                }
            }
            for id in accepted { ledger.finish(id) }
        }

        /// The changes that lead from the stored ledger to `ledger`.
        mutating func note(_ ledger: EntryPointLedger, stored: EntryPointLedger, before: EntryPointLedger) {
            changed = ledger.records.filter { !stored.records.contains($0) }
            removed.formUnion(before.records.map(\.id))
            // Of those that came back: they are here again, and must not be removed.
            removed.subtract(ledger.records.map(\.id))
            accepted = ledger.accepted.filter { !stored.accepted.contains($0) }
        }
    }

    private static let key: StoreKey = "entry-points"

    private let store: any DataStore
    /// Held while the store is asked, unlike other locks: otherwise changes would overtake each other. It is taken
    /// after the store's own lock, so a thread that waits for another process keeps no other thread waiting.
    private let turn = NSLock()
    private var unsaved = Unsaved()

    init(_ store: any DataStore) { self.store = store }

    /// Changes the ledger, and stores it unless it stays the same.
    ///
    /// - Returns: what `body` returns; why the change could not be stored, if so.
    @discardableResult
    func transact<Result>(_ body: (inout EntryPointLedger) -> Result) -> (result: Result, error: StorageError?) {
        var answer: (result: Result, error: StorageError?)?
        var problem: StorageError?
        do {
            try store.withExclusiveAccess { answer = try turn.withLock { try change(body) } }
        } catch {
            problem = error as? StorageError ?? StorageError(.inputOutput, Self.key.description, "the store could not be used: \(error)")
        }
        // The body may have run before an error: it must not run twice. A store that did not run it breaks its
        // contract, and nothing is lost even then.
        return (answer?.result ?? turn.withLock { changeInMemory(EntryPointLedger(), body).result }, problem ?? answer?.error)
    }

    /// Looks at the ledger as it is now, without waiting for anybody; nil when there is something to be stored, or the
    /// store cannot be read: then `transact(_:)` has to do it.
    func look<Result>(_ body: (EntryPointLedger) -> Result) -> Result? {
        guard turn.withLock({ unsaved.isEmpty }) else { return nil }
        switch store.value(EntryPointLedger.self, for: Self.key) {
        case .value(let ledger): return body(ledger)
        case .absent: return body(EntryPointLedger())
        case .unavailable: return nil
        }
    }

    /// - Throws: when the store cannot be read; then `body` has not run.
    private func change<Result>(_ body: (inout EntryPointLedger) -> Result) throws(StorageError) -> (result: Result, error: StorageError?) {
        let stored = try store.value(EntryPointLedger.self, for: Self.key).get() ?? EntryPointLedger()
        let (ledger, result) = changeInMemory(stored, body)
        do {
            // Most calls change nothing, and need not wait for the disk.
            if ledger != stored { try store.save(ledger, for: Self.key) }
            // All of it is in the store now.
            unsaved = Unsaved()
            return (result, nil)
        } catch {
            return (result, error)
        }
    }

    private func changeInMemory<Result>(
        _ stored: EntryPointLedger,
        _ body: (inout EntryPointLedger) -> Result
    ) -> (ledger: EntryPointLedger, result: Result) {
        var ledger = stored
        unsaved.apply(to: &ledger)
        let before = ledger
        let result = body(&ledger)
        unsaved.note(ledger, stored: stored, before: before)
        return (ledger, result)
    }
}

/// The process a mailbox is in, among those that share its store: claims deliveries, and tells which claims nobody is
/// left to end.
struct EntryPointProcess: Sendable {
    /// Nobody works on a delivery for longer. A process number may have gone to another process, so a claim cannot hold
    /// for ever.
    static let maximumDeliveryTime: TimeInterval = 600

    let owner = UUID().uuidString
    var number = getpid()
    // EPERM: the process is there, and somebody else's.
    var isAlive: @Sendable (Int32) -> Bool = { $0 > 0 && (kill($0, 0) == 0 || errno == EPERM) }

    func claim(at date: Date) -> EntryPointLedger.Claim {
        EntryPointLedger.Claim(owner: owner, process: number, since: date)
    }

    /// Whether the owner of a claim is gone. There is one mailbox per process: another claim of the same process number
    /// belongs to an earlier process.
    func hasAbandoned(_ claim: EntryPointLedger.Claim, at date: Date) -> Bool {
        if claim.owner == owner { return false }
        let age = date.timeIntervalSince(claim.since)
        // Either direction: the clock may have been set back.
        return claim.process == number || !isAlive(claim.process) || abs(age) > Self.maximumDeliveryTime
    }
}
