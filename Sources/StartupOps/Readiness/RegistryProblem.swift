import Sequencer

/// Something that is wrong with the order, the number or the place of registrations.
public struct RegistryProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problem.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// It is required and was not registered.
        static let missing = Code(name: "missing")
        /// It was registered before something that has to come first.
        static let misordered = Code(name: "misordered")
        /// Something was registered before the registration that has to come first.
        static let beforeRoot = Code(name: "beforeRoot")
        /// It was registered twice, with different values.
        static let repeated = Code(name: "repeated")
        /// It was not registered on the main thread.
        static let offMain = Code(name: "offMain")
        /// No rule names it: most likely it is misspelt.
        static let unknown = Code(name: "unknown")
        /// The value cannot be used in any order.
        static let invalid = Code(name: "invalid")
    }

    /// The kind of problem.
    public let code: Code
    /// The registration.
    let registration: String
    /// The other registration, where there is one.
    let other: String?
    /// The problem, and how to solve it.
    public let description: String

    init(_ code: Code, _ registration: String, other: String? = nil, _ description: String) {
        (self.code, self.registration, self.other, self.description) = (code, registration, other, description)
    }

    /// A registration came before one that has to come first.
    static func misordered(_ name: String, _ constraint: OrderConstraint) -> RegistryProblem {
        let description = "\(name) must come after \(constraint.predecessor): \(constraint.reason)"
        return RegistryProblem(.misordered, name, other: constraint.predecessor, description)
    }

    /// A module works with another one that is not there.
    static func missingDependency(of module: String, _ dependency: OrderConstraint, _ problem: String) -> RegistryProblem {
        let description = "\(dependency.predecessor) \(problem), and \(module) needs it: \(dependency.reason)"
        return RegistryProblem(.missing, dependency.predecessor, other: module, description)
    }
}

/// The registrations are not as they have to be for a launch to go on.
public struct RegistryError: DescribedError, Sendable, Hashable {
    /// Everything that is wrong.
    public let problems: [RegistryProblem]

    /// All problems, one after the other.
    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// A service was asked for before it was registered.
struct ServiceAccessError: DescribedError, Sendable, Hashable {
    /// The accessor.
    let accessor: String
    /// The registration that is missing.
    let registration: String
    /// The registrations that have to come first, in order; the registration itself is last.
    let missing: [String]
    /// Why it cannot be given although something is registered under that name: it is of another type.
    let mismatch: String?

    /// One sentence.
    var description: String {
        if let mismatch { return "\(accessor) asked for \(registration), and \(mismatch)" }
        return
            "\(accessor) asked for \(registration) before it was registered; what has to run first: \(missing.joined(separator: ", then "))"
    }
}
