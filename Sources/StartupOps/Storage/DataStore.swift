import Foundation

/// What a store says when it is asked: that it cannot tell is another answer than that there is nothing.
///
/// Before a phone's first unlock, protected data cannot be read. Who takes that for "nothing there" logs people out.
public enum StoredAnswer<Value: Sendable>: Sendable {
    /// There is a value.
    case value(Value)
    /// There is none.
    case absent
    /// It cannot be told now.
    case unavailable(StorageError)

    /// The value, when there is one.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension StoredAnswer: Equatable where Value: Equatable {}

/// What a value is stored under. Any text is safe: stores encode it where they have to.
public struct StoreKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// The key of a name.
    public init(_ name: String) { description = name }
    /// The key of a name.
    public init(stringLiteral name: String) { description = name }
}

/// Keeps data under keys, from one launch to the next. Every method can be called from any thread, and may wait for a disk.
public protocol DataStore: Sendable {
    /// The value under `key`, that there is none, or that it cannot be read now.
    func read(_ key: StoreKey) -> StoredAnswer<Data>
    /// Replaces a value as a whole: whoever reads, also after a power cut, finds the old one or the new one.
    func write(_ data: Data, for key: StoreKey) throws(StorageError)
    /// Removing what is not there is no error.
    func remove(_ key: StoreKey) throws(StorageError)
    /// Removes every value.
    func removeAll() throws(StorageError)
    /// Puts a value that makes no sense out of the way, where a person can look at it.
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError)
    /// Runs `body` while no other thread and no other process is in here: to read a value and write another that depends on it.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result
}

/// A store whose values are secrets: only the app, or its user, can read them.
public protocol SecureStore: DataStore {}

/// Why a store could not do what it was asked to. The description names the path and the rule, and never shows what is stored.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The store is locked, such as before the device's first unlock.
        public static let locked = Code(description: "locked")
        /// Access was denied.
        public static let accessDenied = Code(description: "accessDenied")
        /// The place to store in is missing, or is not what it should be.
        public static let invalidPlace = Code(description: "invalidPlace")
        /// There is no room left.
        public static let noSpace = Code(description: "noSpace")
        /// What is stored makes no sense.
        public static let corrupt = Code(description: "corrupt")
        /// Reading or writing failed.
        public static let inputOutput = Code(description: "inputOutput")
    }

    /// What kind of error it is.
    public let code: Code
    /// The file, or the key, it is about.
    public let subject: String
    /// What happened and what to do, in a few words.
    public let reason: String
    /// The system's error number, where it gave one.
    public let systemError: Int32?

    /// An error.
    public init(_ code: Code, _ subject: String, _ reason: String, systemError: Int32? = nil) {
        self.code = code
        self.subject = subject
        self.reason = reason
        self.systemError = systemError
    }

    /// What it is about and what happened, in one sentence.
    public var description: String { "\(subject): \(reason)" }
}

extension DataStore {
    /// The value stored under `key`. What cannot be decoded is set aside, and counts as absent.
    public func value<Value: Decodable & Sendable>(_ type: Value.Type, for key: StoreKey) -> StoredAnswer<Value> {
        switch read(key) {
        case .absent: return .absent
        case .unavailable(let error): return .unavailable(error)
        case .value(let data):
            do {
                return .value(try JSONDecoder().decode(type, from: data))
            } catch {
                try? setAside(key, because: "it is no \(type)")
                return .absent
            }
        }
    }

    /// Stores a value under `key`, as JSON with sorted keys.
    public func save(_ value: some Encodable, for key: StoreKey) throws(StorageError) {
        let data: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            data = try encoder.encode(value)
        } catch {
            throw StorageError(.corrupt, key.description, "it cannot be encoded: \(error)")
        }
        try write(data, for: key)
    }
}
