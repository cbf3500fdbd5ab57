/// What nobody knows of the time to a launch's milestone, in virtual time and in plans: an operation of which no
/// duration is expected, and that does real work, takes no time there.
package struct UnknownTimes: Equatable, Sendable {
    /// The operations that the milestone waits for and of which nobody knows how long they take; without a milestone,
    /// those of the whole launch.
    package let operations: [String]
    /// Whether nothing else that the milestone waits for took any time either: then the time to it tells nothing.
    package let tellNothing: Bool

    package init(operations: [String], tellNothing: Bool) { (self.operations, self.tellNothing) = (operations, tellNothing) }

    /// Of a document: `unknown`, and whether that goes for the time as a whole.
    package var json: JSONTree { ["unknown": .list(operations), "timeIsUnknown": .mark(tellNothing)] }

    /// `nobody knows how long fetch, migrate take`; empty where all is known.
    ///
    /// - Parameter name: how an operation is named.
    package func text(name: (String) -> String = { printable($0, limit: 80) }) -> String {
        if operations.isEmpty { return "" }
        let more = operations.count > 5 ? " and \(operations.count - 5) more" : ""
        let names = operations.prefix(5).map(name).joined(separator: ", ") + more
        return "nobody knows how long \(names) take\(operations.count == 1 ? "s" : "")"
    }
}

extension LaunchReport {
    /// Nothing is unknown in real time.
    package var unknownTimes: UnknownTimes {
        isVirtual ? unknownTimes { $0.expected == nil } : UnknownTimes(operations: [], tellNothing: false)
    }

    /// Whether nobody knows how long an operation takes, needed or not.
    package func isUnknown(_ operation: OperationReport) -> Bool { isVirtual && operation.tookNoTime && operation.expected == nil }

    /// - Parameter isUnknown: whether nobody knows how long an operation takes.
    /// - Complexity: O(operations + dependencies).
    package func unknownTimes(where isUnknown: (OperationReport) -> Bool) -> UnknownTimes {
        let needed = needs(of: milestone, operations.map { ($0.id, $0.dependencies) })
        let taken = operations.filter { needed.contains($0.id) && $0.start != nil }
        let unknown = taken.filter { $0.tookNoTime && isUnknown($0) }
        return UnknownTimes(operations: unknown.map(\.id), tellNothing: !unknown.isEmpty && taken.allSatisfy { $0.duration == .zero })
    }
}

extension OperationReport {
    /// Whether it had work, which took no time: what has none has neither a lane nor the main thread.
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
