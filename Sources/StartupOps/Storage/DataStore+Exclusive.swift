extension DataStore {
    /// Exclusive access for a body that fails with storage errors only.
    func exclusively<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        do {
            return try withExclusiveAccess(body)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.inputOutput, "store", "it gave no exclusive access: \(error)")
        }
    }

    /// The value stored under `key`; what can be decoded but makes no sense is set aside, and counts as absent.
    func value<Value: Decodable & Sendable>(for key: StoreKey, expecting what: String, _ makesSense: (Value) -> Bool) -> StoredAnswer<Value>
    {
        let answer = value(Value.self, for: key)
        guard case .value(let value) = answer, !makesSense(value) else { return answer }
        try? setAside(key, because: "it is no \(what)")
        return .absent
    }
}
