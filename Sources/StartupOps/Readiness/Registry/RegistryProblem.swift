/// Something that is wrong with the order, the number or the place of registrations.
public struct RegistryProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problem.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// It is required and was not registered.
        public static let missing = Code(description: "missing")
        /// It was registered before something that has to come first.
        public static let misordered = Code(description: "misordered")
        /// Something was registered before what has to be the first of all.
        public static let beforeRoot = Code(description: "beforeRoot")
        /// It was registered twice, with different values.
        public static let repeated = Code(description: "repeated")
        /// It was not registered on the main thread.
        public static let offMain = Code(description: "offMain")
        /// There is no rule for it: most likely it is misspelt.
        public static let unknown = Code(description: "unknown")
    }

    /// What kind of problem it is.
    public let code: Code
    /// The registration.
    public let registration: String
    /// The other registration, where there is one.
    public let other: String?
    /// What is wrong, and what to do.
    public let description: String
}

/// The registrations are not as they have to be for a launch to go on.
public struct RegistryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Everything that is wrong.
    public let problems: [RegistryProblem]

    /// All problems, one after the other.
    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// A service was asked for before it was registered.
public struct ServiceAccessError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Who asked.
    public let accessor: String
    /// The registration that is missing.
    public let registration: String
    /// What has to run first, in order; the registration itself is last.
    public let missing: [String]
    /// Why it cannot be given although something is registered under that name: it is of another type.
    public let mismatch: String?

    /// One sentence.
    public var description: String {
        if let mismatch { return "\(accessor) asked for \(registration), and \(mismatch)" }
        return
            "\(accessor) asked for \(registration) before it was registered; what has to run first: \(missing.joined(separator: ", then "))"
    }
}
