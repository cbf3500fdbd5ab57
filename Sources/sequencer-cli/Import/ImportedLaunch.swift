import Foundation
import Sequencer
import SequencerAnalysis

/// A launch that another tool has timed, as its file tells it: in any order, with names that may come twice, counted
/// from any moment.
struct ImportedLaunch {
    var name: String
    /// The identifier of its trace; nil where the format has none.
    var trace: String?
    var version: String?
    var startedAt: Date?
    /// Nil for the first start and the last end of its operations.
    var times: (start: Nanoseconds, end: Nanoseconds)?
    var operations: [ImportedOperation]

    /// The operation that is around all others, and inside of none.
    var root: Int? {
        // Of those that begin first the longest.
        let first = operations.indices.min { (operations[$0].start, -operations[$0].end) < (operations[$1].start, -operations[$1].end) }
        guard operations.count > 1, let first, case let root = operations[first], root.parent == nil else { return nil }
        return operations.allSatisfy { $0.end <= root.end } ? first : nil
    }

    /// Takes an operation for the launch itself.
    mutating func takeRoot(_ root: Int) {
        let operation = operations.remove(at: root)
        if !operation.name.isEmpty { name = operation.name }
        times = (operation.start, operation.end)
        func moved(_ place: Int) -> Int? { place == root ? nil : place > root ? place - 1 : place }
        for place in operations.indices {
            operations[place].parent = operations[place].parent.flatMap(moved)
            operations[place].dependencies = operations[place].dependencies.compactMap(moved)
        }
    }

    /// Gives each operation its own time and a lane, and keeps the dependencies that the times agree with.
    ///
    /// An operation that began before another one had ended did not wait for that one, even if the file says so.
    ///
    /// - Returns: how many of the file's dependencies are kept.
    /// - Complexity: O(dependencies + operations · log operations).
    mutating func settle() -> Int {
        let order = operations.indices.sorted { left, right in
            let (a, b) = (operations[left], operations[right])
            return (a.start, a.end, left) < (b.start, b.end, right)
        }
        computeOwnTimes(order)
        reconstructLanes()
        // By rank, because places in the file say nothing of time. Operations depend only on earlier ones: no circle is
        // possible.
        var ranks = [Int](repeating: 0, count: operations.count)
        for (rank, node) in order.enumerated() { ranks[node] = rank }
        var count = 0
        for (node, operation) in operations.enumerated() {
            func isBefore(_ other: Int) -> Bool { ranks[other] < ranks[node] && operations[other].end <= operation.start }
            let kept = operation.dependencies.filter(isBefore)
            count += kept.count
            // A span that began when the one above it had ended came after that.
            operations[node].dependencies = Set(kept + [operation.parent].compactMap(\.self).filter(isBefore)).sorted()
        }
        return count
    }

    private mutating func computeOwnTimes(_ order: [Int]) {
        // Up to where an operation's time has been counted for those inside of it, which come in the order of their
        // starts and may overlap.
        var counted = operations.map(\.start)
        for node in operations.indices { operations[node].own = operations[node].end - counted[node] }
        for node in order {
            guard let parent = operations[node].parent else { continue }
            let (start, end) = (max(operations[node].start, counted[parent]), min(operations[node].end, operations[parent].end))
            guard start < end else { continue }
            operations[parent].own -= end - start
            counted[parent] = end
        }
    }

    /// Gives each operation that has no lane one that is free when it starts, as an engine would have.
    private mutating func reconstructLanes() {
        var marks: [(time: Nanoseconds, isStart: Int, node: Int)] = []
        for (node, operation) in operations.enumerated() where operation.lane == nil {
            operations[node].lane = 1
            // At one moment, those that end come first. No time is spent by the others on any lane.
            if operation.own > 0 { marks += [(operation.start, 1, node), (operation.start + operation.own, 0, node)] }
        }
        var (free, lanes) = ([Int](), 0)
        for mark in marks.sorted(by: <) {
            if mark.isStart == 1 {
                if free.isEmpty { lanes += 1 }
                operations[mark.node].lane = free.popLast() ?? lanes
            } else {
                free.append(operations[mark.node].lane ?? 1)
            }
        }
    }

    // MARK: The outputs

    /// The launch as a report. Times count from its begin; paths and slack are computed anew.
    ///
    /// An operation that others ran inside of takes its own time, from its start.
    func report() throws(GraphError) -> LaunchReport {
        var graph = OperationGraph("import")
        // By number: names are long, and this needs none.
        for (node, operation) in operations.enumerated() { graph.join("\(node)", after: operation.dependencies.map { "\($0)" }) }
        let path = CriticalPath(of: try graph.validated()) { operations[$0].own }
        let identifiers = identifiers
        let begin = times?.start ?? operations.lazy.map(\.start).min() ?? 0
        // An operation may have begun before a launch that the file names.
        func since(_ time: Nanoseconds) -> Duration { .nanoseconds(max(time - begin, 0)) }
        let makespan = since(times?.end ?? operations.lazy.map(\.end).max() ?? begin)
        var report = LaunchReport(
            scenario: Self.label(name) ?? "imported",
            makespan: makespan,
            // The sum of a million long operations may not fit.
            work: .nanoseconds(operations.reduce(Nanoseconds(0)) { $0.addingSaturated($1.own) }),
            operations: operations.enumerated().map { node, operation in
                let (start, end) = (since(operation.start), since(operation.start + operation.own))
                var report = OperationReport(id: identifiers[node], outcome: operation.outcome, start: start, end: end)
                report.dependencies = operation.dependencies.map { identifiers[$0] }
                // Without a dependency its own start is the best guess.
                if let ready = operation.dependencies.lazy.map({ operations[$0].end }).max() { report.ready = since(ready) }
                (report.lane, report.slack, report.message) = (operation.lane, .nanoseconds(path.slack(node)), operation.message)
                return report
            }
        )
        (report.version, report.startedAt) = (version, startedAt)
        report.setCriticalPath(path.path, length: .nanoseconds(path.length))
        return report
    }

    /// The launch as a scenario file: the operations of the report, each simulated for as long as it took.
    func scenario() throws(GraphError) -> String {
        let report = try report()
        let operations = report.operations.map { operation -> JSONTree in
            [
                "id": .text(operation.id), "after": .list(operation.dependencies),
                // A scenario's duration has a limit of 24 h; a trace has none.
                "work": ["simulate": .text(DurationText.format(min(operation.duration, DurationText.limit)))],
            ]
        }
        return JSONTree.document(ScenarioDocument.schema, ["name": .text(report.scenario), "operations": .array(operations)])
    }

    /// Names as identifiers, each once.
    private var identifiers: [String] {
        // Given names and made ones share a set: a name like "a (2)" may be in the file.
        var used = Set<String>(minimumCapacity: operations.count)
        var counts: [String: Int] = [:]
        return operations.map { operation in
            let name = Self.label(operation.name) ?? "unnamed"
            var id = name
            // Counted for each name, so that a million operations of one name do not try all numbers each.
            while !used.insert(id).inserted {
                counts[name, default: 1] += 1
                id = "\(name) (\(counts[name, default: 1]))"
            }
            return id
        }
    }

    /// A name fit for one line and for a scenario file, which allows 256 bytes: a number has its place behind it. Nil
    /// where nothing is left of it.
    private static func label(_ name: String) -> String? {
        // Fewer characters where they have many bytes, such as those that are escaped.
        let shown = [200, 60, 20].lazy.map { printable(name, limit: $0) }.first { $0.utf8.count <= 240 } ?? ""
        let trimmed = shown.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty ? nil : trimmed
    }
}

struct ImportedOperation {
    var name: String
    /// By the file's clock.
    let start: Nanoseconds
    var end: Nanoseconds
    /// How long it ran while nothing ran inside of it; ``ImportedLaunch/settle()`` computes it.
    var own: Nanoseconds = 0
    /// The place of the operation that it ran inside of.
    var parent: Int?
    /// Places of the operations that it came after.
    var dependencies: [Int] = []
    /// From 1.
    var lane: Int?
    var outcome = Outcome.succeeded
    var message: String?
}
