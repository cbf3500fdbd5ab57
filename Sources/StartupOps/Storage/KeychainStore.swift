import Foundation

#if canImport(Security)
    import Security

    /// Keeps secrets in the keychain, readable after the device's first unlock, on this device only.
    ///
    /// Before that unlock the answer is ``StoredAnswer/unavailable(_:)``, never ``StoredAnswer/absent``. Exclusive
    /// access is exclusive in this process only.
    final class KeychainStore: SecureStore {
        private let service: String
        private let access = NSRecursiveLock()

        /// The items that belong to `service`, by convention the app's identifier.
        init(service: String) { self.service = service }

        /// The secret stored under `key`; unavailable before the device's first unlock.
        func read(_ key: StoreKey) -> StoredAnswer<Data> {
            var search = query(key)
            search[kSecReturnData] = true
            search[kSecMatchLimit] = kSecMatchLimitOne
            var item: CFTypeRef?
            switch SecItemCopyMatching(search as CFDictionary, &item) {
            case errSecSuccess: return (item as? Data).map { .value($0) } ?? .unavailable(error(errSecDecode, "reading", key))
            case errSecItemNotFound: return .absent
            // Above all before the first unlock: to take that for absent would log people out (S14).
            case let status: return .unavailable(error(status, "reading", key))
            }
        }

        /// Replaces the value stored under `key`.
        func write(_ data: Data, for key: StoreKey) throws(StorageError) {
            // AfterFirstUnlock: a launch in the background comes before the user has unlocked the device again.
            // ThisDeviceOnly: not in backups.
            let values: [CFString: Any] = [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
            // Update first: it is the usual case, and an item that is there cannot be added.
            var status = SecItemUpdate(query(key) as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query(key).merging(values) { $1 } as CFDictionary, nil)
                // Another process was faster.
                if status == errSecDuplicateItem { status = SecItemUpdate(query(key) as CFDictionary, values as CFDictionary) }
            }
            if status != errSecSuccess { throw error(status, "writing", key) }
        }

        /// Removes the value stored under `key`, and the unreadable one that was put aside from it. A missing value is
        /// not an error.
        func remove(_ key: StoreKey) throws(StorageError) {
            try delete(key)
            try delete(aside(key))
        }

        /// Removes all values.
        func removeAll() throws(StorageError) { try delete(nil) }

        /// Moves the value to `KEY.corrupt`, in place of an earlier one.
        func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
            if let data = read(key).value { try write(data, for: aside(key)) }
            try delete(key)
        }

        /// Whether a value of `key` was put aside.
        func hasSetAside(_ key: StoreKey) -> Bool { read(aside(key)) != .absent }

        /// Runs `body` while nobody else is in here.
        func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
            try access.withLock(body)
        }

        private func aside(_ key: StoreKey) -> StoreKey { StoreKey("\(key).corrupt") }

        private func delete(_ key: StoreKey?) throws(StorageError) {
            let status = SecItemDelete(query(key) as CFDictionary)
            if status != errSecSuccess, status != errSecItemNotFound { throw error(status, "removing", key) }
        }

        private func query(_ key: StoreKey?) -> [CFString: Any] {
            var attributes: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
            if let key { attributes[kSecAttrAccount] = key.description }
            return attributes
        }

        private func error(_ status: OSStatus, _ what: String, _ key: StoreKey?) -> StorageError {
            let code: StorageError.Code =
                switch status {
                case errSecInteractionNotAllowed: .locked
                case errSecAuthFailed, errSecMissingEntitlement: .accessDenied
                case errSecDecode: .corrupt
                default: .inputOutput
                }
            let text = SecCopyErrorMessageString(status, nil) as String? ?? "unknown error"
            let subject = "keychain item \(key?.description ?? "of any name") of \(service)"
            return StorageError(code, subject, "\(what) it failed: \(text) (status \(status))", systemError: status)
        }
    }
#endif

/// The platform's store for secrets: the keychain, or else files in `directory`.
func openSecureStore(
    _ directory: URL,
    service: String,
    _ patience: LockPatience,
    _ onProblem: @escaping @Sendable (StorageError) -> Void
) throws(StorageError) -> any SecureStore {
    #if canImport(Security)
        return KeychainStore(service: service)
    #else
        return try FileStore(directory: directory, isSecret: true, patience: patience, onProblem: onProblem)
    #endif
}
