/// The unknown parts of the time to a launch's milestone, in virtual time and in plans: an operation with real work but
/// no expected duration takes no time there.
package struct UnknownTimes: Equatable, Sendable {
    /// The operations of unknown time that the milestone waits for, or an initial display with a budget; without a
    /// milestone, those of the whole launch.
    package let operations: [String]
    /// Whether nothing else that one of the two waits for took any time that counts: then the time to it tells nothing.
    package let tellNothing: Bool

    package init(operations: [String], tellNothing: Bool) { (self.operations, self.tellNothing) = (operations, tellNothing) }

    /// Of a document: `unknown`, and whether that goes for the time as a whole.
    package var json: JSONTree { ["unknown": .list(operations), "timeIsUnknown": .mark(tellNothing)] }

    /// `nobody knows how long fetch, migrate take`; empty where all is known.
    ///
    /// - Parameter name: how an operation is named.
    package func text(name: (String) -> String = { printable($0, limit: 80) }) -> String {
        if operations.isEmpty { return "" }
        return "nobody knows how long \(listed(operations, name)) take\(operations.count == 1 ? "s" : "")"
    }
}

extension LaunchReport {
    /// Nothing is unknown in real time.
    package var unknownTimes: UnknownTimes {
        isVirtual ? unknownTimes { $0.expected == nil } : UnknownTimes(operations: [], tellNothing: false)
    }

    /// Whether nobody knows how long an operation takes, needed or not.
    package func isUnknown(_ operation: OperationReport) -> Bool { isVirtual && operation.tookNoTime && operation.expected == nil }

    /// The unknown parts of the time to the milestone, or of the time to the initial display if that has a budget.
    ///
    /// - Parameter isUnknown: whether nobody knows how long an operation takes.
    /// - Complexity: O(operations + dependencies).
    package func unknownTimes(where isUnknown: (OperationReport) -> Bool) -> UnknownTimes {
        let all = operations.map { ($0.id, $0.dependencies) }
        var (unknown, tellNothing): (Set<String>, Bool) = ([], false)
        func look(at end: String?, after time: Duration?) {
            let needed = needs(of: end, all)
            let taken = operations.filter { needed.contains($0.id) && $0.start != nil }
            let found = taken.filter { $0.tookNoTime && isUnknown($0) }.map(\.id)
            unknown.formUnion(found)
            // The user's time is a part of no time that counts.
            if !found.isEmpty, time == .zero || taken.allSatisfy({ $0.duration == .zero }) { tellNothing = true }
        }
        look(at: milestone, after: budget.measured - (beforeRun ?? .zero))
        if budget.budget?.initialDisplay != nil, let initialDisplay { look(at: initialDisplay, after: timeToInitialDisplay) }
        return UnknownTimes(operations: operations.map(\.id).filter(unknown.contains), tellNothing: tellNothing)
    }
}

extension OperationReport {
    /// Whether it had work, which took no time: an operation without work has neither a lane nor the main thread.
    fileprivate var tookNoTime: Bool { start != nil && duration == .zero && (isMain || lane != nil) }
}

/// The operations that `end` waits for, itself included; all of them for nil.
///
/// - Complexity: O(operations + dependencies).
package func needs(of end: String?, _ operations: [(id: String, dependencies: [String])]) -> Set<String> {
    guard let end else { return Set(operations.map(\.id)) }
    let dependencies = Dictionary(operations.map { ($0.id, $0.dependencies) }) { first, _ in first }
    var needed: Set = [end], open = [end]
    while let id = open.popLast() {
        for dependency in dependencies[id] ?? [] where needed.insert(dependency).inserted { open.append(dependency) }
    }
    return needed
}
