import Foundation

/// Changes the stored ledger, one change at a time, and keeps what could not be stored until it can be.
final class EntryPointStorage: @unchecked Sendable {
    // @unchecked: `unsaved` is only reached in `transact`, which holds `turn`.

    /// The changes that the store does not have.
    private struct Unsaved {
        var changed: [EntryPointLedger.Record] = []
        var removed: Set<String> = []
        var accepted: [String] = []

        /// What was received meanwhile, and is not in the store, comes after what is.
        func apply(to ledger: inout EntryPointLedger) {
            ledger.records.removeAll { removed.contains($0.id) }
            for var record in changed {
                if let index = ledger.records.firstIndex(where: { $0.id == record.id }) {
                    ledger.records[index] = record
                } else {
                    record.number = ledger.nextNumber
                    ledger.nextNumber = ledger.nextNumber == .max ? 0 : ledger.nextNumber + 1
                    ledger.records.append(record)
                }
            }
            for id in accepted { ledger.finish(id) }
        }

        /// The changes that lead from what is stored to `ledger`.
        mutating func note(_ ledger: EntryPointLedger, stored: EntryPointLedger, before: EntryPointLedger) {
            changed = ledger.records.filter { !stored.records.contains($0) }
            removed.formUnion(before.records.map(\.id))
            removed.subtract(ledger.records.map(\.id))
            accepted = ledger.accepted.filter { !stored.accepted.contains($0) }
        }
    }

    private static let key: StoreKey = "entry-points"

    private let store: any DataStore
    /// Held while the store is asked, unlike other locks: changes would overtake each other otherwise. A store calls nobody back.
    private let turn = NSLock()
    private var unsaved = Unsaved()

    init(_ store: any DataStore) { self.store = store }

    /// Changes the ledger, and stores it unless it stays the same.
    ///
    /// - Returns: what `body` returns; why the change could not be stored, if so; how many records could not be read.
    func transact<Result>(_ body: (inout EntryPointLedger) -> Result) -> (result: Result, error: StorageError?, unreadable: Int) {
        turn.lock()
        defer { turn.unlock() }
        var answer: (result: Result, error: StorageError?, unreadable: Int)?
        do {
            try store.withExclusiveAccess { answer = try change(body) }
        } catch {
            let error = error as? StorageError ?? StorageError(.inputOutput, Self.key.description, "the store could not be used: \(error)")
            return (answer?.result ?? changeInMemory(stored: EntryPointLedger(), body), error, answer?.unreadable ?? 0)
        }
        // A store that did not run the body and threw nothing has broken its contract; that is no reason to lose anything.
        return answer ?? (changeInMemory(stored: EntryPointLedger(), body), nil, 0)
    }

    /// - Throws: when the store cannot be read; then `body` has not run.
    private func change<Result>(
        _ body: (inout EntryPointLedger) -> Result
    ) throws(StorageError) -> (result: Result, error: StorageError?, unreadable: Int) {
        let stored: EntryPointLedger
        switch store.value(EntryPointLedger.self, for: Self.key) {
        case .value(let ledger): stored = ledger
        case .absent: stored = EntryPointLedger()
        case .unavailable(let error): throw error
        }
        var ledger = EntryPointLedger()
        let result = changeInMemory(stored: stored, body, &ledger)
        do {
            if ledger != stored || stored.unreadable > 0 { try store.save(ledger, for: Self.key) }
            unsaved = Unsaved()
            return (result, nil, stored.unreadable)
        } catch {
            return (result, error, stored.unreadable)
        }
    }

    private func changeInMemory<Result>(stored: EntryPointLedger, _ body: (inout EntryPointLedger) -> Result) -> Result {
        var ledger = EntryPointLedger()
        return changeInMemory(stored: stored, body, &ledger)
    }

    private func changeInMemory<Result>(
        stored: EntryPointLedger,
        _ body: (inout EntryPointLedger) -> Result,
        _ ledger: inout EntryPointLedger
    ) -> Result {
        ledger = stored
        unsaved.apply(to: &ledger)
        let before = ledger
        let result = body(&ledger)
        unsaved.note(ledger, stored: stored, before: before)
        return result
    }
}
