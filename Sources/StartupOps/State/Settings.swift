import Foundation
import Sequencer
import StartupStorage

/// How the app is set up: values that outlive the launch, each with a default.
///
/// Settings made before the launch is configured take effect in it. Configuring takes a snapshot, `freeze`; it happens
/// when the ``StartupEnvironment`` is made, and in a launch by a ``BootstrapPlan`` in the step
/// ``StartupStep/configure``: its registrations may set what they like. So may what prepares its modules, but for the
/// offer of a subscription, whose steps the graph then has already, or has not. A later setting is stored for the next
/// launch and reported: to the object that sets it, also if another object of the same folder was frozen, and in the
/// report of the launch. When two operations set the same thing in one launch the last one counts, and that is reported
/// too.
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

    private struct State {
        /// Values as JSON, by the names of the settings.
        var values: [String: String]
        /// The values for this launch, once it is configured.
        var frozen: [String: String]?
        /// The operation that has written a setting last.
        var writers: [String: String] = [:]
        var problems: [String] = []
    }

    private let store: any DataStore
    private let state: Locked<State>
    private let onProblem: @Sendable (String) -> Void

    /// Reads the settings in `store`. Where they cannot be read, all have their defaults in this launch.
    ///
    /// - Parameter onProblem: is told each problem once, in a sentence that shows no value, on the thread that caused
    ///   it: a setting was written after the launch was configured, or by two operations; a stored value has another
    ///   type; or the settings cannot be read now.
    public init(_ store: any DataStore, onProblem: @escaping @Sendable (String) -> Void = { _ in }) {
        self.store = store
        self.onProblem = onProblem
        // A single read for all settings: later writes of other processes count in the next launch.
        let answer = store.value([String: String].self, for: Self.key)
        let unsaved = (store as? SettingsStore)?.unsaved ?? [:]
        state = Locked(State(values: (answer.value ?? [:]).merging(unsaved) { $1 }))
        if case .unavailable(let error) = answer { report("the settings cannot be read, so defaults count for now: \(error)") }
    }

    /// The reports so far.
    var problems: [String] { state.withLock { $0.problems } }

    /// The value that is set now, or the default; after configuring, the launch itself goes by its snapshot.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        SettingsSnapshot(state.withLock { $0.values }, report: report)[key]
    }

    /// Sets a value and stores it.
    ///
    /// - Parameter operation: the operation of the launch that sets it, to find out when two of them do.
    /// - Throws: when it could not be stored. In this launch it counts nevertheless, if the launch is not configured
    ///     yet.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>, by operation: String? = nil) throws(StorageError) {
        let text = try Self.encode(value, key.name)
        let shared = store as? SettingsStore
        let (isFrozen, other) = state.withLock { state in
            state.values[key.name] = text
            // The writer is kept also without a conflict, to find the next one.
            return (state.frozen != nil, operation.flatMap { state.writers.updateValue($0, forKey: key.name) })
        }
        if let operation, let other, other != operation {
            report("setting \(key.name) was written by \(other), then by \(operation), which counts; let one of them write it")
        }
        // Other objects of the same folder have their own state, and share only the knowledge that it is too late.
        if isFrozen || shared?.isFrozen == true {
            let writing = "setting \(key.name) was written\(operation.map { " by \($0)" } ?? "") after the launch was configured"
            let lateness = "\(writing), so it takes effect in the next launch; write it before"
            shared?.addLateWrite(lateness)
            report(lateness)
        }
        // Until it is stored: the environment of the launch reads the settings by an object of its own.
        shared?.keep(text, for: key.name)
        // The latest value, not this one: of two threads the later one is stored.
        try persist { values in values[key.name] = state.withLock { $0.values[key.name] } }
        shared?.keep(nil, for: key.name)
    }

    /// Configures the launch: the settings of this moment count for all of it. Called again, it gives the same
    /// settings.
    func freeze() -> SettingsSnapshot {
        let values = state.withLock { state in
            let values = state.frozen ?? state.values
            state.frozen = values
            return values
        }
        // Last: a write in between is in the snapshot or too late, never both.
        (store as? SettingsStore)?.freeze()
        return SettingsSnapshot(values, report: report)
    }

    /// Identifies this installation: generated when it is first asked for, the same ever after.
    ///
    /// Where the settings cannot be read or written it is another one in every launch, and the one that is stored is
    /// left alone.
    var deviceIdentifier: String {
        if let identifier = Self.identifier(in: state.withLock { $0.values }) { return identifier }
        var identifier = UUID().uuidString.lowercased()
        // Another process may have generated one since the settings were read: the stored one counts.
        try? persist { Self.agree(on: &identifier, in: &$0) }
        // Another thread may have been faster.
        state.withLock { Self.agree(on: &identifier, in: &$0.values) }
        return identifier
    }

    /// Stores the identifier, unless one is stored: the disk may have refused it when it was generated.
    func keepDeviceIdentifier() throws(StorageError) {
        var identifier = deviceIdentifier
        if Self.identifier(in: try store.value([String: String].self, for: Self.key).get() ?? [:]) != nil { return }
        try persist { Self.agree(on: &identifier, in: &$0) }
    }

    /// The identifier that the values have counts; where they have none, they get this one.
    private static func agree(on identifier: inout String, in values: inout [String: String]) {
        identifier = Self.identifier(in: values) ?? identifier
        values[identifierName] = try? encode(identifier, identifierName)
    }

    private static let identifierName = "deviceIdentifier"

    private static func identifier(in values: [String: String]) -> String? {
        guard let text = values[identifierName] else { return nil }
        return (try? JSONDecoder().decodeForeign(String.self, from: Data(text.utf8)))?.unlessBlank
    }

    private static func encode(_ value: some Encodable, _ name: String) throws(StorageError) -> String {
        do {
            return String(decoding: try JSONEncoder.sorted().encode(value), as: UTF8.self)
        } catch {
            throw StorageError(.corrupt, "setting \(name)", "its value cannot be encoded: \(error)")
        }
    }

    /// Changes the stored settings, which other processes may have changed too.
    private func persist(_ change: (inout [String: String]) -> Void) throws(StorageError) {
        try store.exclusively { () throws(StorageError) in
            var values = try store.value([String: String].self, for: Self.key).get() ?? [:]
            change(&values)
            try store.save(values, for: Self.key)
        }
    }

    private func report(_ problem: String) {
        let isNew = state.withLock { state in
            if state.problems.contains(problem) { return false }
            state.problems.append(problem)
            return true
        }
        if isNew { onProblem(problem) }
    }
}

/// Values as JSON: the settings that count for one launch, also after later changes.
struct SettingsSnapshot: Sendable {
    /// Shared by all copies, such as those in the steps of a graph.
    private let values: Locked<[String: String]>
    /// Told of a value that makes no sense.
    private let report: @Sendable (String) -> Void

    init(_ values: [String: String], report: @escaping @Sendable (String) -> Void) {
        self.values = Locked(values)
        self.report = report
    }

    /// Takes the settings of now in their place; if they cannot be read, only those that could not be stored.
    func renew(from settings: Settings) {
        let latest = settings.freeze().values.withLock { $0 }
        values.withLock { $0 = settings.problems.isEmpty ? latest : $0.merging(latest) { $1 } }
    }

    /// The value that `key` had, or its default.
    subscript<Value>(key: SettingKey<Value>) -> Value { valueIfSet(of: key) ?? key.defaultValue }

    /// The value that `key` was set to; nil where the app had set none.
    func valueIfSet<Value>(of key: SettingKey<Value>) -> Value? {
        guard let text = values.withLock({ $0[key.name] }) else { return nil }
        if let value = try? JSONDecoder().decodeForeign(Value.self, from: Data(text.utf8)) { return value }
        report("setting \(key.name) holds no \(Value.self), so its default counts; set it again")
        return nil
    }
}

/// A setting: its name, the type of its values, and the value it has until another one is set.
///
/// ```swift
/// extension SettingKey where Value == Int {
///     static var tutorialPages: SettingKey { SettingKey("tutorialPages", default: 3) }
/// }
/// settings[.tutorialPages]
/// ```
public struct SettingKey<Value: Codable & Sendable>: Sendable {
    /// The setting's name in the store and in reports.
    let name: String
    /// Its value until one is set, and in place of an unreadable one.
    let defaultValue: Value

    /// A setting of this name.
    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
    }
}

extension SettingKey where Value == OnboardingType {
    /// How somebody who starts the app for the first time gets in. Once set, it counts over the configuration's kind.
    /// Default: the configuration's, or `regular`.
    public static var onboarding: SettingKey { SettingKey("onboarding", default: .regular) }
}

extension SettingKey where Value == Bool {
    /// Whether the first launch of a white-label app stays on the splash screen until the feature flags are there,
    /// which count over its configuration; for as long as ``StartupStep/fetchFlags`` may take. Default: false.
    public static var waitsForRemoteConfigurationOnFirstLaunch: SettingKey {
        SettingKey("waitsForRemoteConfigurationOnFirstLaunch", default: false)
    }

    /// Whether the subscription offer is presented right after a login, but to no guest. Default: false.
    public static var presentsSubscriptionAfterLogin: SettingKey { SettingKey("presentsSubscriptionAfterLogin", default: false) }

    /// Whether the subscription offer is presented on every start to those who have no subscription, other than guests.
    /// Default: false.
    public static var presentsSubscriptionOnEveryStart: SettingKey { SettingKey("presentsSubscriptionOnEveryStart", default: false) }

    /// Whether a session that is there in the first launch, from an earlier installation, is kept to restore the
    /// account. In a launch by a ``BootstrapPlan``, the plan can say so, too: either is enough. Default: false.
    public static var enablesRestoreAccount: SettingKey { SettingKey("enablesRestoreAccount", default: false) }

    /// Whether the splash screen plays its video, ``SplashPresenter/playSplashVideo()``. Default: false.
    public static var showsSplashVideo: SettingKey { SettingKey("showsSplashVideo", default: false) }
}
