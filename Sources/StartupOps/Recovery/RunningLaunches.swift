import Foundation
import Sequencer

/// The launches of this process that are written down: one at a time with each journal, and one cold launch with all
/// that are opened in one place, at a time or, unless the app says otherwise, at all.
///
/// Two cold launches would ask a person twice, run each migration twice, and count each other's deaths.
///
/// Journals change their kind under the lock of this list, or two launches could become cold at once. A journal's own
/// lock may be taken within it, never the other way round.
private final class RunningLaunches: Sendable {
    struct Running {
        let journal: LaunchJournal
        let graph: String
    }

    static let all = RunningLaunches()

    private struct State {
        var running: [Running] = []
        /// The cold launch that has completed in each place: the number in its journal, and its name in messages.
        var completed: [String: (number: Int?, name: String)] = [:]
    }

    private let state = Locked(State())

    /// Takes the journal for a launch.
    ///
    /// - Returns: why the launch must not start; nil when it may.
    func begin(_ graph: String, with journal: LaunchJournal, _ admission: LaunchAdmission) -> GraphProblem? {
        state.withLock { state in
            // The same journal excludes itself at any kind: its lines would be those of two launches.
            if let first = state.running.first(where: { $0.journal === journal || $0.excludes(journal, as: journal.kind) }) {
                return .refusal(of: graph, for: first.name)
            }
            // One journal may serve more launches, as when the app comes back to the front.
            if admission == .oncePerProcess, journal.kind.isCold, let first = journal.place.flatMap({ state.completed[$0] }),
                first.number != journal.number
            {
                return .refusal(of: graph, for: first.name, hasCompleted: true)
            }
            state.running.append(Running(journal: journal, graph: graph))
            journal.isUsed = true
            return nil
        }
    }

    /// Makes the journal one of a launch of another kind.
    ///
    /// - Returns: its launch and the one that runs, where it must not become cold beside that; nil when it has changed.
    func change(_ journal: LaunchJournal, to kind: LaunchKind) -> (launch: Running, first: Running)? {
        state.withLock { state in
            // A journal without a launch may be of any kind.
            if let launch = state.running.first(where: { $0.journal === journal }),
                let first = state.running.first(where: { $0.journal !== journal && $0.excludes(journal, as: kind) })
            {
                return (launch, first)
            }
            journal.kind = kind
            return nil
        }
    }

    /// The launch is over.
    func end(_ journal: LaunchJournal, hasCompleted: Bool) {
        let ended = state.withLock { state -> Running? in
            let ended = state.running.firstIndex { $0.journal === journal }.map { state.running.remove(at: $0) }
            if hasCompleted, journal.kind.isCold, let place = journal.place, let ended {
                state.completed[place] = (journal.number, ended.name)
            }
            return ended
        }
        // Its end may be the journal's, which is not to come under the lock.
        _ = ended
    }
}

extension RunningLaunches.Running {
    /// Whether a launch of that kind must not run beside this one.
    func excludes(_ other: LaunchJournal, as kind: LaunchKind) -> Bool {
        // Journals in memory have no place: nobody counts their deaths.
        kind.isCold && journal.kind.isCold && other.place != nil && journal.place == other.place
    }

    /// As messages name it.
    var name: String { "'\(printable(graph))'" + (journal.number.map { " (launch \($0) in the journal)" } ?? "") }
}

extension LaunchKind {
    /// Whether a person waits for the launch, or will: a background launch may run beside it.
    fileprivate var isCold: Bool { self != .background }
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

    /// What the engine asks for before it starts a launch with a journal.
    var permit: LaunchPermit {
        LaunchPermit(
            take: { [self] graph, admission in
                if let refusal = RunningLaunches.all.begin(graph, with: self, admission) { return refusal }
                launchBegins()
                return nil
            },
            giveBack: { [self] in RunningLaunches.all.end(self, hasCompleted: $0) },
            // One that never begins would count as one that died.
            withdraw: { [self] in withdraw() },
            makeObserver: { [self] in eventRecorder }
        )
    }

    /// Makes the launch one of another kind, or says which launch it must not be that beside.
    func admit(_ kind: LaunchKind) throws(GraphError) {
        guard let (launch, first) = RunningLaunches.all.change(self, to: kind) else { return }
        throw GraphError(graph: launch.graph, problems: [.refusal(of: launch.graph, "stays in the background", for: first.name)])
    }
}
