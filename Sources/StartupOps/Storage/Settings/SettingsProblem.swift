/// Something about a setting that somebody will wonder about.
public struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problem.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// A setting was written after the launch was configured: it takes effect in the next one.
        public static let writtenAfterConfiguration = Code(description: "writtenAfterConfiguration")
        /// Two operations have written the same setting in one launch: the last one counts.
        public static let conflictingWrites = Code(description: "conflictingWrites")
        /// What is stored is no value of the setting: its default counts.
        public static let invalidValue = Code(description: "invalidValue")
        /// The settings cannot be read now: defaults count.
        public static let unavailable = Code(description: "unavailable")
    }

    /// What kind of problem it is.
    public let code: Code
    /// The name of the setting; nil when it is about all of them.
    public let setting: String?
    /// What happened, and what counts now, in one sentence. Shows no value.
    public let description: String
}
