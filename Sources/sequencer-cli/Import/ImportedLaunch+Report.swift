import Foundation
import Sequencer

extension ImportedLaunch {
    /// The launch as a report. Times count from its begin; dependencies are kept if the times agree; paths and slack are computed anew.
    ///
    /// An operation that began before another one had ended did not wait for that one, even if the file says so.
    ///
    /// - Complexity: O(dependencies + operations · log operations).
    func report() -> LaunchReport {
        let order = order
        let identifiers = identifiers
        // The first in the order of starts is the begin, unless the file tells it.
        let begin = begin ?? order.first.map { operations[$0].start ?? operations[$0].end } ?? 0
        let dependencies = dependencies(order)
        let paths = Paths(operations, order, dependencies)
        let reports = operations.indices.map { node in
            report(of: node, identifiers, dependencies[node], paths, since: begin)
        }
        // Never negative: the launch's own times may contradict those of its operations.
        let makespan = Duration.nanoseconds(max((end ?? operations.lazy.map(\.end).max() ?? begin) - begin, 0))
        let isMet =
            switch outcome {
            // An aborted launch has kept its budget as far as it went; a failed one has not.
            case .completed, .aborted: true
            case .failed, .cancelled: false
            }
        return LaunchReport(
            scenario: label(name) ?? "imported",
            version: version,
            startedAt: startedAt,
            outcome: outcome,
            budget: budget ?? BudgetResult(budget: nil, measured: makespan, interactive: .zero, isMet: isMet),
            beforeRun: beforeRun,
            makespan: makespan,
            // The sum of a million long operations may not fit.
            work: .nanoseconds(operations.reduce(Nanoseconds(0)) { $0.addingSaturated($1.duration) }),
            criticalPathDuration: .nanoseconds(paths.length),
            criticalPath: paths.critical.map { identifiers[$0] },
            lanes: max(operations.lazy.compactMap(\.lane).max() ?? 1, 1),
            operations: reports
        )
    }

    private func report(
        of node: Int,
        _ identifiers: [String],
        _ dependencies: [Int],
        _ paths: Paths,
        since begin: Nanoseconds
    ) -> OperationReport {
        let operation = operations[node]
        let details = operation.details ?? ImportedOperation.Details()
        let since = { (time: Nanoseconds) in Duration.nanoseconds(max(time - begin, 0)) }
        let lastDependency = dependencies.lazy.map { operations[$0].end }.max()
        // A file that names all dependencies says when an operation without any was ready; in others its own start is the best guess.
        let ready = operation.start.map { lastDependency ?? (knowsDependencies ? min(begin, $0) : $0) }
        return OperationReport(
            id: identifiers[node],
            title: details.title,
            dependencies: dependencies.map { identifiers[$0] },
            outcome: details.outcome,
            failure: details.failure,
            ready: ready.map(since),
            start: operation.start.map(since),
            end: since(operation.end),
            expected: details.expected,
            attempts: operation.start == nil ? 0 : max(details.attempts, 1),
            lane: operation.start == nil || operation.isMain ? nil : operation.lane,
            isMain: operation.isMain,
            isInteractive: details.isInteractive,
            slack: .nanoseconds(paths.slack[node]),
            isCritical: paths.isCritical[node],
            isCut: details.isCut,
            isDeferred: details.isDeferred,
            message: details.message,
            notes: details.notes
        )
    }

    /// The dependencies that the times agree with, each once.
    private func dependencies(_ order: [Int]) -> [[Int]] {
        // By rank, for the places in the file say nothing of time.
        var ranks = [Int](repeating: 0, count: operations.count)
        for (rank, node) in order.enumerated() { ranks[node] = rank }
        return operations.indices.map { node in
            var seen: Set<Int> = []
            return operations[node].dependencies.filter { dependency in
                // An operation depends on earlier ones alone, so no circle is left even of a file that has one.
                guard ranks[dependency] < ranks[node] else { return false }
                // An operation that never started has no start to compare: keep all its dependencies.
                let isOver = operations[node].start.map { operations[dependency].end <= $0 } ?? true
                return isOver && seen.insert(dependency).inserted
            }
        }
    }
}

extension ImportedOperation {
    fileprivate var duration: Nanoseconds { start.map { end - $0 } ?? 0 }
}

/// The longest path through a launch by measured durations, and the slack of each operation: the passes of the critical path method.
private struct Paths {
    let length: Nanoseconds
    let slack: [Nanoseconds]
    private(set) var critical: [Int] = []
    private(set) var isCritical: [Bool]

    /// - Parameter order: dependencies first.
    init(_ operations: [ImportedOperation], _ order: [Int], _ dependencies: [[Int]]) {
        // An operation that was put off held nothing up.
        func duration(_ node: Int) -> Nanoseconds { operations[node].details?.isDeferred == true ? 0 : operations[node].duration }
        // Forwards for the earliest starts, backwards for what remains: the two passes of the method.
        var starts = [Nanoseconds](repeating: 0, count: operations.count)
        for node in order {
            for dependency in dependencies[node] {
                starts[node] = max(starts[node], starts[dependency].addingSaturated(duration(dependency)))
            }
        }
        var remaining = [Nanoseconds](repeating: 0, count: operations.count)
        var next = [Int?](repeating: nil, count: operations.count)
        for node in order.reversed() {
            remaining[node] = remaining[node].addingSaturated(duration(node))
            // Of equally long ways the one to the earlier operation counts.
            for dependency in dependencies[node] where next[dependency] == nil || remaining[dependency] <= remaining[node] {
                remaining[dependency] = remaining[node]
                next[dependency] = node
            }
        }
        let longest = remaining.max() ?? 0
        length = longest
        slack = operations.indices.map { max(longest - starts[$0] - remaining[$0], 0) }
        isCritical = [Bool](repeating: false, count: operations.count)
        var node = order.first { remaining[$0] == longest }
        while let place = node {
            // An operation that never ran, or ran after the launch proper, could not be shortened.
            if operations[place].start != nil, operations[place].details?.isDeferred != true {
                critical.append(place)
                isCritical[place] = true
            }
            node = next[place]
        }
    }
}

extension ImportedLaunch {
    /// The launch as a scenario file: the operations of the report, each simulated for as long as it took.
    func scenario() -> String {
        let report = report()
        return JSONWriter.document(ScenarioDocument.schema) { json in
            json.write(report.scenario, for: "name")
            json.writeObjects(report.operations, for: "operations") { json, operation in
                json.write(operation.id, for: "id")
                if let title = operation.title.flatMap(label) { json.write(title, for: "title") }
                if !operation.dependencies.isEmpty { json.write(operation.dependencies, for: "after") }
                if operation.isMain { json.write("main", for: "on") }
                if operation.isInteractive { json.write(true, for: "interactive") }
                // An operation that never started is skipped by its condition: the operations after it run.
                if operation.start == nil { json.write(false, for: "when") }
                json.writeObject(for: "work") {
                    // A scenario's duration has a limit of 24 h; a trace has none.
                    $0.write(DurationText.format(min(operation.duration, DurationText.limit)), for: "simulate")
                }
            }
        }
    }
}
