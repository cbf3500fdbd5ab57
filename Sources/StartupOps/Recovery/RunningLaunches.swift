import Foundation
import Sequencer

/// The launches of this process that are written down: one at a time with each journal, and one cold launch with all
/// that are opened in one place, at a time or, unless the app says otherwise, at all.
///
/// Two cold launches would ask the user twice, run each migration twice, and count each other's deaths.
///
/// Journals change their kind under the lock of this list, or two launches could become cold at once. A journal's own
/// lock may be taken within it, never the other way round.
private enum RunningLaunches {
    struct Running: Sendable {
        let journal: LaunchJournal
        let graph: String

        /// Whether a launch of that kind must not run beside this one.
        func excludes(_ other: LaunchJournal, as kind: LaunchKind) -> Bool {
            // Journals in memory have no place: nobody counts their deaths.
            kind.isCold && journal.kind.isCold && other.place != nil && journal.place == other.place
        }

        /// As messages name it.
        var name: String { "'\(printable(graph))'" + (journal.number.map { " (launch \($0) in the journal)" } ?? "") }
    }

    /// With the cold launch that has completed in each place: the number in its journal, and its name in messages.
    static let all = Locked((running: [Running](), completed: [String: (number: Int?, name: String)]()))
}

extension LaunchJournal {
    /// Runs a launch of `graph`, and records its events and its result.
    ///
    /// - Throws: as `OperationGraph.run(budget:options:)` does, and when another launch runs: see ``recording(_:)``.
    nonisolated(nonsending) public func run(
        _ graph: OperationGraph,
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions()
    ) async throws(GraphError) -> FinishedLaunch {
        let launch = try await graph.run(budget: budget, options: recording(options))
        ended(launch.report)
        return launch
    }
}

extension LaunchJournal: LaunchRecorder {
    package func take(_ graph: String, _ admission: LaunchAdmission) -> GraphProblem? {
        let refusal: GraphProblem? = RunningLaunches.all.withLock { launches in
            // The same journal excludes itself at any kind: its lines would be those of two launches.
            if let first = launches.running.first(where: { $0.journal === self || $0.excludes(self, as: kind) }) {
                return .refusal(of: graph, for: first.name)
            }
            // A journal may serve several launches, as when the app comes back to the front.
            if admission == .oncePerProcess, kind.isCold, let first = place.flatMap({ launches.completed[$0] }), first.number != number {
                return .refusal(of: graph, for: first.name, hasCompleted: true)
            }
            launches.running.append(RunningLaunches.Running(journal: self, graph: graph))
            state.withLock { $0.isUsed = true }
            return nil
        }
        if refusal == nil { launchBegins() }
        return refusal
    }

    package func giveBack(hasCompleted: Bool) {
        let ended = RunningLaunches.all.withLock { launches in
            let ended = launches.running.firstIndex { $0.journal === self }.map { launches.running.remove(at: $0) }
            if hasCompleted, kind.isCold, let place, let ended { launches.completed[place] = (number, ended.name) }
            return ended
        }
        // Its end may be the journal's, which is not to come under the lock.
        withExtendedLifetime(ended) {}
    }

    package func recordStart(of operation: String, attempt: Int) { started(operation, attempt) }

    package func recordQuestion(of operation: String, isAnswered: Bool) {
        write(JournalLine(isAnswered ? .answered : .asked, operation: operation))
    }

    /// Makes the launch one of another kind, or says which launch it must not be that beside.
    func admit(_ kind: LaunchKind) throws(GraphError) {
        let refused: GraphError? = RunningLaunches.all.withLock { launches in
            // A journal without a launch may be of any kind.
            if let launch = launches.running.first(where: { $0.journal === self }),
                let first = launches.running.first(where: { $0.journal !== self && $0.excludes(self, as: kind) })
            {
                let refusal = GraphProblem.refusal(of: launch.graph, "stays in the background", for: first.name)
                return GraphError(graph: launch.graph, problems: [refusal])
            }
            state.withLock { $0.kind = kind }
            return nil
        }
        if let refused { throw refused }
    }
}
