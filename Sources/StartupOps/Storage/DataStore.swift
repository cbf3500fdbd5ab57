import Foundation
import Sequencer

/// A store's answer to a question: a value, no value, or that it cannot tell now.
///
/// Before a phone's first unlock, protected data cannot be read. An app that takes this for "nothing there" logs people
/// out.
public enum StoredAnswer<Value: Sendable>: Sendable {
    /// There is a value.
    case value(Value)
    /// The store has no value.
    case absent
    /// The store cannot tell now.
    case unavailable(StorageError)

    /// The value, when there is one.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The value, nil without one; throws when the store cannot tell.
    package func get() throws(StorageError) -> Value? {
        if case .unavailable(let error) = self { throw error }
        return value
    }

    /// The same answer, with what `change` makes of a value.
    package func map<Other: Sendable>(_ change: (Value) -> Other) -> StoredAnswer<Other> {
        switch self {
        case .value(let value): .value(change(value))
        case .absent: .absent
        case .unavailable(let error): .unavailable(error)
        }
    }
}

extension StoredAnswer: Equatable where Value: Equatable {}

/// The name of a stored value. Any text is safe: stores encode it where they have to.
public struct StoreKey: NamedValue, Sendable, Hashable, ExpressibleByStringLiteral {
    package let name: String

    /// The key of a name.
    public init(_ name: String) { self.name = name }
    /// The key of a name.
    public init(stringLiteral name: String) { self.name = name }

    /// To the byte.
    public static func == (one: StoreKey, other: StoreKey) -> Bool { one.name.utf8.elementsEqual(other.name.utf8) }
}

/// Keeps data under keys, from one launch to the next. Every method can be called from any thread, and may wait for a
/// disk.
public protocol DataStore: Sendable {
    /// The value under `key`, or why there is not one to be had.
    func read(_ key: StoreKey) -> StoredAnswer<Data>
    /// Replaces a value as a whole. A reader finds the old value or the new one, also after a power cut.
    func write(_ data: Data, for key: StoreKey) throws(StorageError)
    /// Removes a value. A missing value is not an error.
    func remove(_ key: StoreKey) throws(StorageError)
    /// Removes every value.
    func removeAll() throws(StorageError)
    /// Moves an unreadable value aside, where the user can look at it.
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError)
    /// Whether an unreadable value was moved aside from `key`. Then the absence of a value says nothing.
    func hasSetAside(_ key: StoreKey) -> Bool
    /// Runs `body` while no other thread and no other process is in here: to read a value and write another that
    /// depends on it.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result
}

extension DataStore {
    /// False: for stores that keep nothing of an unreadable value.
    public func hasSetAside(_ key: StoreKey) -> Bool { false }

    /// The value stored under `key`. A value that cannot be decoded is set aside and counts as absent.
    public func value<Value: Decodable & Sendable>(_ type: Value.Type, for key: StoreKey) -> StoredAnswer<Value> {
        value(for: key, expecting: "\(type)") { _ in true }
    }

    /// Stores a value under `key`, as JSON with sorted keys.
    public func save(_ value: some Encodable, for key: StoreKey) throws(StorageError) {
        let data: Data
        do {
            data = try JSONEncoder.sorted().encode(value)
        } catch {
            throw StorageError(.corrupt, key.description, "it cannot be encoded: \(error)")
        }
        try write(data, for: key)
    }

    /// Exclusive access for a body that fails with storage errors only.
    package func exclusively<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        do {
            // A typed throw ends at the generic interface, so the store's own errors are told apart again.
            return try withExclusiveAccess(body)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.inputOutput, "store", "it gave no exclusive access: \(error)")
        }
    }

    /// Takes exclusive access if it can. `body` always runs, and is told whether access is exclusive.
    package func exclusivelyIfPossible<Value>(
        _ body: (_ isExclusive: Bool) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        var hasEntered = false
        do {
            return try exclusively { () throws(StorageError) in
                hasEntered = true
                return try body(true)
            }
        } catch  where !hasEntered {
            return try body(false)
        }
    }

    /// The value stored under `key`. A value that cannot be decoded, or fails the test, is set aside and counts as
    /// absent.
    package func value<Value: Decodable & Sendable>(for key: StoreKey, expecting what: String, _ makesSense: (Value) -> Bool)
        -> StoredAnswer<Value>
    {
        var answer = read(key)
        while case .value(let data) = answer {
            if let value = try? JSONDecoder().decodeForeign(Value.self, from: data), makesSense(value) { return .value(value) }
            answer = read(key)
            // Another process has written one meanwhile, which may be good: it stays, and counts.
            guard answer == .value(data) else { continue }
            // `try?`: a value that cannot be moved still counts as absent, and the store has told of it.
            try? setAside(key, because: "it is no \(what)")
            return .absent
        }
        if case .unavailable(let error) = answer { return .unavailable(error) }
        return .absent
    }
}

/// A store whose values are secrets: only the app, or its user, can read them.
public protocol SecureStore: DataStore {}

/// Why a store could not read or write. The description names the path and the rule, and never shows a value.
public struct StorageError: DescribedError, Sendable, Hashable {
    /// The kinds of error.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// The store is locked, such as before the device's first unlock.
        public static let locked = Code(name: "locked")
        /// Access was denied.
        public static let accessDenied = Code(name: "accessDenied")
        /// The folder is missing, or is something else.
        package static let invalidPlace = Code(name: "invalidPlace")
        /// The disk is full.
        public static let noSpace = Code(name: "noSpace")
        /// The stored value cannot be read.
        public static let corrupt = Code(name: "corrupt")
        /// The value was written by a newer version of the app, in a format that this one does not know.
        static let newerFormat = Code(name: "newerFormat")
        /// Reading or writing failed.
        public static let inputOutput = Code(name: "inputOutput")
    }

    /// The kind of error.
    public let code: Code
    /// The file, or the key, it is about.
    package let subject: String
    /// The event and the remedy, in a few words.
    public let reason: String
    /// The system's error number, where it gave one.
    package let systemError: Int32?

    /// An error.
    public init(_ code: Code, _ subject: String, _ reason: String, systemError: Int32? = nil) {
        self.code = code
        self.subject = subject
        self.reason = reason
        self.systemError = systemError
    }

    /// The subject and the event, in one sentence.
    public var description: String { "\(subject): \(reason)" }
}

extension JSONEncoder {
    /// An encoder that sorts keys, so that equal values have equal bytes in every process.
    package static func sorted(_ formatting: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union(.sortedKeys)
        return encoder
    }
}

/// A store that forgets everything at the end of the process: for tests, and where nothing can be written.
package final class MemoryStore: SecureStore {
    let values = Locked<[StoreKey: Data]>([:])
    // Recursive: a body may use other methods of the store that take the same access.
    private let access = NSRecursiveLock()

    /// An empty store.
    package init() {}

    /// The value or ``StoredAnswer/absent``, never anything else.
    package func read(_ key: StoreKey) -> StoredAnswer<Data> {
        values.withLock { $0[key] }.map { .value($0) } ?? .absent
    }

    /// Keeps a value until the end of the process.
    package func write(_ data: Data, for key: StoreKey) { values.withLock { $0[key] = data } }

    /// Forgets a value.
    package func remove(_ key: StoreKey) { values.withLock { $0[key] = nil } }

    /// Forgets every value.
    package func removeAll() { values.withLock { $0 = [:] } }

    /// Forgets a value: there is nowhere to look at it.
    package func setAside(_ key: StoreKey, because reason: String) { remove(key) }

    /// Keeps other threads out; other processes have their own stores.
    package func withExclusiveAccess<Result>(_ body: () throws -> Result) rethrows -> Result {
        try access.withLock(body)
    }
}
