import Sequencer

/// The rows of a launch's scopes in its timeline: each scope has a heading, and below it its operations in the order of their starts, at the launch's times.
///
/// A scope of a scope comes after the operations of that, and is named `window/sync`.
struct TimelineScopes {
    enum Row {
        case heading(LaunchReport.Scope)
        case operation(OperationReport)
    }

    private(set) var rows: [Row] = []
    private var omittedScopes = 0
    private var omittedOperations = 0
    /// The number of rows that are left.
    private var left: Int

    var isEmpty: Bool { rows.isEmpty && omission == nil }

    /// The operations that have a row.
    var operations: [OperationReport] {
        rows.compactMap { row -> OperationReport? in
            guard case .operation(let operation) = row else { return nil }
            return operation
        }
    }

    /// The phrase about the scopes and operations that have no row; nil when each has one.
    var omission: String? {
        var phrases: [String] = []
        if omittedScopes > 0 { phrases.append("\(omittedScopes) more scope\(omittedScopes == 1 ? "" : "s")") }
        if omittedOperations > 0 { phrases.append("\(omittedOperations) more operation\(omittedOperations == 1 ? "" : "s") of scopes") }
        return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
    }

    /// - Parameter limit: how many scopes and operations have a row, together.
    /// - Complexity: O(operations · log operations), those of scopes included.
    init(_ report: LaunchReport, limit: Int) {
        left = max(limit, 0)
        add(report.scopes, within: nil, from: .zero)
    }

    private mutating func add(_ scopes: [LaunchReport.Scope], within path: String?, from begin: Duration) {
        for scope in scopes {
            let name = path.map { "\($0)/\(scope.name)" } ?? scope.name
            let start = begin + scope.start
            let operations = scope.report.operations
            var selection: [Int] = []
            if left > 0 {
                var heading = scope
                (heading.name, heading.start) = (name, start)
                rows.append(.heading(heading))
                left -= 1
                selection = scope.report.selection(limit: left)
            } else {
                omittedScopes += 1
            }
            for node in scope.report.rowOrder(selection) {
                rows.append(.operation(operations[node].later(by: start)))
            }
            left -= selection.count
            omittedOperations += operations.count - selection.count
            // Recursion has an end: scopes are within one another 16 deep at most.
            add(scope.report.scopes, within: name, from: start)
        }
    }
}
