import Foundation
import Sequencer
import StartupStorage

/// How the app is set up: values that outlive the launch, each with a default.
///
/// Settings made before the launch is configured take effect in it. Configuring takes a snapshot, `freeze`; it happens when the ``StartupEnvironment``
/// is made. A later setting is stored for the next launch and reported: to the object that sets it, also if another object of the same
/// folder was frozen, and in the report of the launch. When two operations set the same thing in one launch the last one counts, and that
/// is reported too.
///
/// ```swift
/// let settings = Settings(StateDirectory.openDefault().settings) { problem in print("warning:", problem) }
/// try settings.set(.dismissable, for: .onboarding)
/// if settings[.showsSplashVideo] { playVideo() }
/// ```
///
/// Every method can be called from any thread; setting waits for the disk.
public final class Settings: Sendable {
    /// All settings are one value, so that a launch never sees half of a change.
    static let key: StoreKey = "settings"

    private let store: any DataStore
    private let state: Locked<SettingsStateMachine>
    private let found = Locked<[SettingsProblem]>([])
    private let onProblem: @Sendable (SettingsProblem) -> Void
    private let isUnavailable: Bool

    /// Reads the settings in `store`. Where they cannot be read, all have their defaults in this launch, but it is not taken for the first.
    ///
    /// - Parameter onProblem: is told each problem once, on the thread that caused it.
    public init(_ store: any DataStore, onProblem: @escaping @Sendable (SettingsProblem) -> Void = { _ in }) {
        self.store = store
        self.onProblem = onProblem
        let answer = store.value([String: String].self, for: Self.key)
        state = Locked(SettingsStateMachine(values: answer.value ?? [:]))
        guard case .unavailable(let error) = answer else {
            isUnavailable = false
            return
        }
        isUnavailable = true
        let description = "the settings cannot be read, so defaults count for now: \(error)"
        report(SettingsProblem(code: .unavailable, setting: nil, description: description))
    }

    /// The reports so far.
    package var problems: [SettingsProblem] { found.withLock { $0 } }

    /// The value that is set now, or the default; after configuring, the launch itself goes by its snapshot.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        if key.name == SettingKey<String>.deviceIdentifier.name { _ = deviceIdentifier }
        return SettingValues(values: state.withLock { $0.values }, report: report)[key]
    }

    /// Sets a value and stores it.
    ///
    /// - Parameter operation: the operation of the launch that sets it, to find out when two of them do.
    /// - Throws: when it could not be stored. In this launch it counts nevertheless, if the launch is not configured yet.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>, by operation: String? = nil) throws(StorageError) {
        let text = try Self.encode(value, key.name)
        let shared = store as? SettingsStore
        for problem in state.withLock({ $0.write(text, key.name, by: operation, isTooLate: shared?.isFrozen == true) }) {
            if problem.code == .writtenAfterConfiguration { shared?.addLateWrite(problem.description) }
            report(problem)
        }
        try persist { values in values[key.name] = state.withLock { $0.values[key.name] } }
    }

    /// Configures the launch: the settings of this moment count for all of it. Called again, it gives the same settings.
    ///
    /// - Parameter launchState: what knows whether this is the first launch; without it, the setting of that name says so.
    package func freeze(_ launchState: LaunchState? = nil) -> SettingsSnapshot {
        let identifier = deviceIdentifier
        var overrides: [String: String] = [:]
        overrides[SettingKey<String>.deviceIdentifier.name] = try? Self.encode(identifier, "deviceIdentifier")
        // If we cannot tell whether this is the first launch, nobody may be logged out because of it.
        let isFirst = isUnavailable ? false : launchState?.isFirstLaunch
        if let isFirst { overrides[SettingKey<Bool>.isFirstLaunch.name] = isFirst ? "true" : "false" }
        let values = state.withLock { $0.freeze(overriding: overrides) }
        (store as? SettingsStore)?.freeze()
        return SettingsSnapshot(SettingValues(values: values, report: report))
    }

    /// Identifies this installation: generated when it is first asked for, the same ever after.
    ///
    /// Where the settings cannot be read or written it is another one in every launch, and the one that is stored is left alone.
    package var deviceIdentifier: String {
        let key = SettingKey<String>.deviceIdentifier
        let stored = state.withLock { $0.values[key.name] }
        if let stored, let identifier = Self.decodeIdentifier(stored) { return identifier }
        let new = UUID().uuidString.lowercased()
        guard let text = try? Self.encode(new, key.name) else { return new }
        var counting = text
        // Another process may have generated one since the settings were read.
        try? persist { values in
            if let other = values[key.name], Self.decodeIdentifier(other) != nil { counting = other } else { values[key.name] = text }
        }
        let agreed = state.withLock { $0.provide(counting, key.name, insteadOf: stored) }
        return Self.decodeIdentifier(agreed) ?? new
    }

    private static func decodeIdentifier(_ text: String) -> String? {
        guard let identifier = try? JSONDecoder().decode(String.self, from: Data(text.utf8)), !identifier.isEmpty else { return nil }
        return identifier
    }

    private static func encode(_ value: some Encodable, _ name: String) throws(StorageError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StorageError(.corrupt, "setting \(name)", "its value cannot be encoded: \(error)")
        }
    }

    /// Changes the stored settings, which other processes may have changed too.
    private func persist(_ change: (inout [String: String]) -> Void) throws(StorageError) {
        try store.exclusively { () throws(StorageError) in
            var values: [String: String]
            switch store.value([String: String].self, for: Self.key) {
            case .value(let stored): values = stored
            case .absent: values = [:]
            case .unavailable(let error): throw error
            }
            change(&values)
            try store.save(values, for: Self.key)
        }
    }

    private func report(_ problem: SettingsProblem) {
        let isNew = found.withLock { found in
            if found.contains(problem) { return false }
            found.append(problem)
            return true
        }
        if isNew { onProblem(problem) }
    }
}

/// The settings that count for one launch, also after later changes.
package struct SettingsSnapshot: Sendable {
    private let values: SettingValues

    init(_ values: SettingValues) { self.values = values }

    /// The value that `key` had when the launch was configured, or its default.
    package subscript<Value>(key: SettingKey<Value>) -> Value { values[key] }

    /// The value that `key` was set to when the launch was configured; nil where the app had set none.
    func valueIfSet<Value>(of key: SettingKey<Value>) -> Value? { values.valueIfSet(of: key) }
}

/// Values as JSON, and where to tell that one makes no sense.
struct SettingValues: Sendable {
    let values: [String: String]
    let report: @Sendable (SettingsProblem) -> Void

    subscript<Value>(key: SettingKey<Value>) -> Value { valueIfSet(of: key) ?? key.defaultValue }

    func valueIfSet<Value>(of key: SettingKey<Value>) -> Value? {
        guard let text = values[key.name] else { return nil }
        if let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) { return value }
        let description = "setting \(key.name) holds no \(Value.self), so its default counts; set it again"
        report(SettingsProblem(code: .invalidValue, setting: key.name, description: description))
        return nil
    }
}

/// Decides on the values of settings, and on reports about them, in one launch.
struct SettingsStateMachine {
    /// Values as JSON, by the names of the settings.
    private(set) var values: [String: String]
    /// The values for this launch, once it is configured.
    private(set) var frozen: [String: String]?
    /// The operation that has written a setting last.
    private var writers: [String: String] = [:]

    init(values: [String: String] = [:]) { self.values = values }

    /// Sets a value, and returns the problems with that.
    ///
    /// - Parameter isTooLate: whether the launch was configured by another object.
    mutating func write(_ value: String, _ name: String, by operation: String?, isTooLate: Bool = false) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        values[name] = value
        if let operation, let other = writers.updateValue(operation, forKey: name), other != operation {
            let description = "setting \(name) was written by \(other), then by \(operation), which counts; let one of them write it"
            problems.append(SettingsProblem(code: .conflictingWrites, setting: name, description: description))
        }
        if isTooLate || frozen != nil {
            let author = operation.map { " by \($0)" } ?? ""
            let description =
                "setting \(name) was written\(author) after the launch was configured, so it takes effect in the next launch; write it before"
            problems.append(SettingsProblem(code: .writtenAfterConfiguration, setting: name, description: description))
        }
        return problems
    }

    /// Keeps a value that was generated, in place of `invalid` or of none. Returns the one that counts: another thread may have been faster.
    mutating func provide(_ value: String, _ name: String, insteadOf invalid: String?) -> String {
        if let existing = values[name], existing != invalid { return existing }
        values[name] = value
        return value
    }

    /// The values for this launch: those of the first call.
    mutating func freeze(overriding overrides: [String: String]) -> [String: String] {
        if let frozen { return frozen }
        let result = values.merging(overrides) { $1 }
        frozen = result
        return result
    }
}
