import Foundation

/// The settings that count for one launch, whatever is written later. See ``Settings/freeze(_:)``.
public struct SettingsSnapshot: Sendable {
    private let values: SettingValues

    init(_ values: SettingValues) { self.values = values }

    /// The value that `key` had when the launch was configured, or its default.
    public subscript<Value>(key: SettingKey<Value>) -> Value { values[key] }
}

/// Values as JSON, and where to tell that one makes no sense.
struct SettingValues: Sendable {
    let values: [String: String]
    let report: @Sendable (SettingsProblem) -> Void

    subscript<Value>(key: SettingKey<Value>) -> Value {
        guard let text = values[key.name] else { return key.defaultValue }
        if let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) { return value }
        report(
            SettingsProblem(
                code: .invalidValue,
                setting: key.name,
                description: "setting \(key.name) holds no \(Value.self), so its default counts; set it again"
            )
        )
        return key.defaultValue
    }
}
