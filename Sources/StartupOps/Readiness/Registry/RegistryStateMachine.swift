import Sequencer

/// Decides what is wrong with a sequence of registrations. It knows their names and their order, not their values.
struct RegistryStateMachine {
    private let rules: [String: RegistrationRule]
    private let order: [RegistrationRule]
    /// What was registered, in order.
    private(set) var registered: [String] = []
    private var positions: [String: Int] = [:]
    private var problems: [RegistryProblem] = []

    init(_ rules: [RegistrationRule]) {
        order = rules
        self.rules = Dictionary(rules.map { ($0.name, $0) }) { first, _ in first }
    }

    func isRegistered(_ name: String) -> Bool { positions[name] != nil }

    /// - Returns: what this registration has shown to be wrong.
    mutating func register(_ name: String, onMain: Bool) -> [RegistryProblem] {
        var found: [RegistryProblem] = []
        if !onMain { found.append(offMain(name)) }
        if rules[name] == nil, !rules.isEmpty { found.append(unknown(name)) }
        for root in order where root.rootReason != nil && root.name != name && positions[root.name] == nil {
            found.append(beforeRoot(name, root))
        }
        // What is required comes some time, so it is known at once that it comes too late; of the rest it is known when it comes.
        for constraint in rules[name]?.constraints ?? []
        where positions[constraint.predecessor] == nil && rules[constraint.predecessor]?.isRequired == true {
            found.append(misordered(name, constraint))
        }
        if rules[name]?.isRequired != true {
            for earlier in registered {
                for constraint in rules[earlier]?.constraints ?? [] where constraint.predecessor == name {
                    found.append(misordered(earlier, constraint))
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
            found.append(
                RegistryProblem(
                    code: .repeated,
                    registration: name,
                    other: nil,
                    description: "\(name) was registered twice with different values: the first one stays; register it once"
                )
            )
        }
        problems += found
        return found
    }

    /// Everything that is wrong so far: first what happened, then what is missing.
    func allProblems() -> [RegistryProblem] {
        problems
            + order.filter { $0.isRequired && positions[$0.name] == nil }.map { rule in
                RegistryProblem(
                    code: .missing,
                    registration: rule.name,
                    other: nil,
                    description: "\(rule.name) is required and was not registered\(place(rule))"
                )
            }
    }

    /// What has to be registered before `name` and is not yet, in order, and `name` itself.
    func missing(for name: String) -> [String] {
        var result: [String] = []
        var seen: Set<String> = []
        // Depth first with a stack of our own; a cycle among the rules ends where it began.
        var stack: [(name: String, isExpanded: Bool)] = [(name, false)]
        for root in order where root.rootReason != nil && root.name != name { stack.append((root.name, false)) }
        while let (next, isExpanded) = stack.popLast() {
            if isExpanded {
                result.append(next)
                continue
            }
            guard positions[next] == nil, seen.insert(next).inserted else { continue }
            stack.append((next, true))
            for constraint in (rules[next]?.constraints ?? []).reversed()
            where next == name || rules[constraint.predecessor]?.isRequired == true { stack.append((constraint.predecessor, false)) }
        }
        return result
    }

    private func place(_ rule: RegistrationRule) -> String {
        if rule.rootReason != nil { return "; register it first of all" }
        if rule.constraints.isEmpty { return "" }
        return "; register it after " + rule.constraints.map(\.predecessor).joined(separator: " and ")
    }

    private func misordered(_ name: String, _ constraint: OrderConstraint) -> RegistryProblem {
        RegistryProblem(
            code: .misordered,
            registration: name,
            other: constraint.predecessor,
            description: "\(name) must come after \(constraint.predecessor): \(constraint.reason)"
        )
    }

    private func beforeRoot(_ name: String, _ root: RegistrationRule) -> RegistryProblem {
        RegistryProblem(
            code: .beforeRoot,
            registration: name,
            other: root.name,
            description: "\(name) was registered before \(root.name), which must come first of all: \(root.rootReason ?? "")"
        )
    }

    private func offMain(_ name: String) -> RegistryProblem {
        RegistryProblem(
            code: .offMain,
            registration: name,
            other: nil,
            description: "\(name) was not registered on the main thread; call it from there, such as from didFinishLaunching"
        )
    }

    private func unknown(_ name: String) -> RegistryProblem {
        let hint = nearestName(to: name, in: order.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        return RegistryProblem(
            code: .unknown,
            registration: name,
            other: nil,
            description: "there is no rule for a registration called \(printable(name, limit: 80))\(hint)"
        )
    }
}
