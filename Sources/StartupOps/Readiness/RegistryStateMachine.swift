import Sequencer

/// Something that is wrong with the order, the number or the place of registrations.
public struct RegistryProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problem.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// It is required and was not registered.
        package static let missing = Code(name: "missing")
        /// It was registered before something that has to come first.
        package static let misordered = Code(name: "misordered")
        /// Something was registered before the registration that has to come first.
        package static let beforeRoot = Code(name: "beforeRoot")
        /// It was registered twice, with different values.
        package static let repeated = Code(name: "repeated")
        /// It was not registered on the main thread.
        package static let offMain = Code(name: "offMain")
        /// No rule names it: most likely it is misspelt.
        package static let unknown = Code(name: "unknown")
        /// The value cannot be used in any order.
        package static let invalid = Code(name: "invalid")
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
package struct ServiceAccessError: DescribedError, Sendable, Hashable {
    /// The accessor.
    let accessor: String
    /// The registration that is missing.
    let registration: String
    /// The registrations that have to come first, in order; the registration itself is last.
    let missing: [String]
    /// Why it cannot be given although something is registered under that name: it is of another type.
    let mismatch: String?

    /// One sentence.
    package var description: String {
        if let mismatch { return "\(accessor) asked for \(registration), and \(mismatch)" }
        return
            "\(accessor) asked for \(registration) before it was registered; what has to run first: \(missing.joined(separator: ", then "))"
    }
}

/// Finds the problems of a sequence of registrations. It knows their names and their order, not their values.
struct RegistryStateMachine {
    private let rules: [String: RegistrationRule]
    private let order: [RegistrationRule]
    /// The registrations, in order.
    private(set) var registered: [String] = []
    private var positions: [String: Int] = [:]
    private(set) var problems: [RegistryProblem] = []

    init(_ rules: [RegistrationRule]) {
        order = rules
        self.rules = Dictionary(rules.map { ($0.name, $0) }) { first, _ in first }
    }

    /// - Returns: the mistakes that this registration has revealed.
    mutating func register(_ name: String, onMain: Bool) -> [RegistryProblem] {
        var found: [RegistryProblem] = []
        if !onMain { found.append(offMain(name)) }
        if rules[name] == nil, !rules.isEmpty { found.append(unknown(name)) }
        for root in order where root.rootReason != nil && root.name != name && positions[root.name] == nil {
            found.append(beforeRoot(name, root))
        }
        // A required registration comes some time, so it is known at once that it comes too late; of any other it is known when it comes.
        for constraint in rules[name]?.constraints ?? []
        where positions[constraint.predecessor] == nil && rules[constraint.predecessor]?.isRequired == true {
            found.append(.misordered(name, constraint))
        }
        // An optional one that comes late is found out here, since nobody could know before that it would come.
        if rules[name]?.isRequired != true {
            for earlier in registered {
                for constraint in rules[earlier]?.constraints ?? [] where constraint.predecessor == name {
                    found.append(.misordered(earlier, constraint))
                }
            }
        }
        positions[name] = registered.count
        registered.append(name)
        problems += found
        return found
    }

    mutating func repeated(_ name: String, isSame: Bool, onMain: Bool) -> [RegistryProblem] {
        var found = onMain ? [] : [offMain(name)]
        if !isSame {
            let description = "\(name) was registered twice with different values: the first one stays; register it once"
            found.append(RegistryProblem(.repeated, name, description))
        }
        problems += found
        return found
    }

    /// All problems so far: first those of registrations made, then those of missing ones.
    func allProblems() -> [RegistryProblem] {
        problems
            + order.filter { $0.isRequired && positions[$0.name] == nil }.map { rule in
                RegistryProblem(.missing, rule.name, "\(rule.name) is required and was not registered\(place(rule))")
            }
    }

    /// The missing registrations that have to come before `name`, in order, and `name` itself.
    func missing(for name: String) -> [String] {
        var result: [String] = []
        var seen: Set<String> = []
        // Depth first with a stack of our own; a cycle among the rules ends where it began.
        var stack: [(name: String, isExpanded: Bool)] = [(name, false)]
        // Pushed last, so they come off first: a root comes before everything.
        for root in order where root.rootReason != nil && root.name != name { stack.append((root.name, false)) }
        while let (next, isExpanded) = stack.popLast() {
            if isExpanded {
                result.append(next)
                continue
            }
            guard positions[next] == nil, seen.insert(next).inserted else { continue }
            stack.append((next, true))
            // The last one pushed comes off first: hence from the end.
            for constraint in (rules[next]?.constraints ?? []).reversed()
            where next == name || rules[constraint.predecessor]?.isRequired == true { stack.append((constraint.predecessor, false)) }
        }
        return result
    }

    private func place(_ rule: RegistrationRule) -> String {
        if rule.rootReason != nil { return "; register it first of all" }
        if !rule.constraints.isEmpty { return "; register it after " + rule.constraints.map(\.predecessor).joined(separator: " and ") }
        let successors = order.filter { $0.constraints.contains { $0.predecessor == rule.name } }
        return successors.isEmpty ? "" : "; register it before " + successors.map(\.name).joined(separator: " and ")
    }

    private func beforeRoot(_ name: String, _ root: RegistrationRule) -> RegistryProblem {
        let description = "\(name) was registered before \(root.name), which must come first of all: \(root.rootReason ?? "")"
        return RegistryProblem(.beforeRoot, name, other: root.name, description)
    }

    private func offMain(_ name: String) -> RegistryProblem {
        let description = "\(name) was not registered on the main thread; call it from there, such as from didFinishLaunching"
        return RegistryProblem(.offMain, name, description)
    }

    private func unknown(_ name: String) -> RegistryProblem {
        let hint = nearestName(to: name, in: order.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        return RegistryProblem(.unknown, name, "there is no rule for a registration called \(printable(name, limit: 80))\(hint)")
    }
}
