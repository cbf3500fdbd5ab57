/// Decides what a setting's value is, and what is to be reported, in one launch.
struct SettingsStateMachine {
    /// Values as JSON, by the names of the settings.
    private(set) var values: [String: String]
    /// What counts for this launch, once it is configured.
    private(set) var frozen: [String: String]?
    /// The operation that has written a setting last.
    private var writers: [String: String] = [:]

    init(values: [String: String] = [:]) { self.values = values }

    /// Sets a value, and returns what is wrong with that.
    mutating func write(_ value: String, _ name: String, by operation: String?) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        values[name] = value
        let author = operation.map { " by \($0)" } ?? ""
        if let operation {
            if let other = writers.updateValue(operation, forKey: name), other != operation {
                problems.append(
                    SettingsProblem(
                        code: .conflictingWrites,
                        setting: name,
                        description: "setting \(name) was written by \(other), then by \(operation), which counts; let one of them write it"
                    )
                )
            }
        }
        if frozen != nil {
            problems.append(
                SettingsProblem(
                    code: .writtenAfterConfiguration,
                    setting: name,
                    description:
                        "setting \(name) was written\(author) after the launch was configured, so it takes effect in the next launch; "
                        + "write it before"
                )
            )
        }
        return problems
    }

    /// Keeps a value that was generated, in place of `invalid` or of none. Returns the one that counts: another thread may have been faster.
    mutating func provide(_ value: String, _ name: String, insteadOf invalid: String?) -> String {
        if let existing = values[name], existing != invalid { return existing }
        values[name] = value
        return value
    }

    /// What counts for this launch: the values of the first time this is called.
    mutating func freeze(overriding overrides: [String: String]) -> [String: String] {
        if let frozen { return frozen }
        let result = values.merging(overrides) { $1 }
        frozen = result
        return result
    }
}
