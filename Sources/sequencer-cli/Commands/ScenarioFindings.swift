import Sequencer

/// What `verify` has to say about a graph that can run.
struct ScenarioFindings {
    struct Warning {
        /// Fit for programs: `impliedDependency`, `overlappingInteraction`, `budget` or `timeouts`.
        let code: String
        let message: String
    }

    /// More pairs of operations than anyone mends one by one.
    private static let mostPairs = 1000
    /// More warnings of a kind than anyone reads.
    private static let mostShown = 100

    let isOverBudget: Bool
    private let graph: ValidatedGraph
    private let warnings: [Warning]
    /// Pairs of operations that can ask the person at the same time, besides those that are among the warnings.
    private let unnamed: Int

    /// - Parameter budget: what the launch may take until its milestone.
    init(_ graph: ValidatedGraph, budget: Duration) {
        self.graph = graph
        // One whose value is read cannot be left out, implied or not.
        var warnings = graph.edges.subtracting(graph.reduced().edges).sorted().map { edge in
            Warning(
                code: "impliedDependency",
                message:
                    "\(printable(edge.operation, limit: 64)) need not wait for \(printable(edge.dependency, limit: 64)): other dependencies imply it"
            )
        }
        let overlaps = graph.overlappingInteractions(limit: Self.mostPairs)
        warnings += overlaps.pairs.map { first, second in
            Warning(
                code: "overlappingInteraction",
                message: "\(printable(first, limit: 64)) and \(printable(second, limit: 64)) can ask the person at the same time; "
                    + "give both the exclusive resource 'ui'"
            )
        }
        unnamed = overlaps.count - overlaps.pairs.count
        let (needed, path) = graph.budgetedPath
        isOverBudget = needed > budget
        if isOverBudget {
            let names = path.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "budget",
                    message: "the critical path alone takes \(durationText(needed)) of \(durationText(budget)): \(names)"
                )
            )
        }
        let (allowed, slow) = graph.timeoutPath
        // One alone may be meant to end a launch that is late anyway.
        if allowed > budget, slow.count > 1 {
            let names = slow.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "timeouts",
                    message: "by their timeouts, operations may take \(durationText(allowed)) of \(durationText(budget)): \(names)"
                )
            )
        }
        self.warnings = warnings
    }

    func text() -> String {
        let edges = graph.edges.count
        let total = warnings.count + unnamed
        let count = total == 0 ? "no problem found" : total == 1 ? "1 warning" : "\(total) warnings"
        let name = printable(graph.name, limit: 64)
        let head =
            "\(name): \(graph.count) operation\(graph.count == 1 ? "" : "s"), \(edges) dependenc\(edges == 1 ? "y" : "ies"), \(count)\n"
        return head + lines.joined() + (graph.count == 0 ? "warning: there is nothing to run\n" : "")
    }

    /// The first of each kind, and how many others there are.
    private var lines: [String] {
        var lines: [String] = []
        let kinds = [
            ("impliedDependency", "implied dependencies"), ("overlappingInteraction", "such pairs"), ("budget", ""), ("timeouts", ""),
        ]
        for (code, what) in kinds {
            let warnings = warnings.filter { $0.code == code }
            lines += warnings.prefix(Self.mostShown).map { "warning: \($0.message)\n" }
            let rest = warnings.count - min(warnings.count, Self.mostShown) + (code == "overlappingInteraction" ? unnamed : 0)
            if rest > 0 { lines.append("warning: and \(rest) more \(what)\n") }
        }
        return lines
    }

    func json() -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.verification/1", for: "schema")
            json.write(graph.name, for: "scenario")
            json.write(graph.count, for: "operations")
            json.write(graph.edges.count, for: "dependencies")
            json.write(isOverBudget ? "fail" : "pass", for: "budgetVerdict")
            json.writeArray(for: "warnings") { json in
                for warning in warnings {
                    json.writeObject { json in
                        json.write(warning.code, for: "code")
                        json.write(warning.message, for: "message")
                    }
                }
            }
            if unnamed > 0 { json.write(unnamed, for: "unnamedOverlappingInteractions") }
        } + "\n"
    }
}
