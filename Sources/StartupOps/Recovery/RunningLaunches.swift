import Foundation
import Sequencer

/// The launches of this process that are written down: one at a time with each journal, and one cold launch at a time with all that are opened in one place.
///
/// Two cold launches at once would ask a person twice, run each migration twice, and count each other's deaths. Launches that have no journal, as in a test or a
/// service, are nobody's second ones.
///
/// Journals change their kind under the lock of this list, or two launches could become cold at once. A journal's own lock may be taken within it, never the other way
/// round.
private final class RunningLaunches: Sendable {
    struct Running {
        let journal: LaunchJournal
        let graph: String
    }

    static let all = RunningLaunches()

    private let running = Locked<[Running]>([])

    /// Takes the journal for a launch.
    ///
    /// - Returns: the launch that runs, where this one must not start beside it; nil when it may.
    func begin(_ graph: String, with journal: LaunchJournal) -> Running? {
        running.withLock { running in
            // The same journal excludes itself at any kind: its lines would be those of two launches.
            if let first = running.first(where: { $0.journal === journal || $0.excludes(journal, as: journal.kind) }) { return first }
            running.append(Running(journal: journal, graph: graph))
            return nil
        }
    }

    /// Makes the journal one of a launch of another kind.
    ///
    /// - Returns: its launch and the one that runs, where it must not become cold beside that; nil when it has changed.
    func change(_ journal: LaunchJournal, to kind: LaunchKind) -> (launch: Running, first: Running)? {
        running.withLock { running in
            // A journal without a launch may be of any kind.
            if let launch = running.first(where: { $0.journal === journal }),
                let first = running.first(where: { $0.journal !== journal && $0.excludes(journal, as: kind) })
            {
                return (launch, first)
            }
            journal.kind = kind
            return nil
        }
    }

    /// The launch is over.
    func end(_ journal: LaunchJournal) {
        let ended = running.withLock { running -> Running? in
            running.firstIndex { $0.journal === journal }.map { running.remove(at: $0) }
        }
        // Its end may be the journal's, which is not to come under the lock.
        _ = ended
    }
}

/// The launches to a main screen that run in this process without a journal: one at a time over one state. Two would show the splash, ask the person and run each
/// migration twice.
enum UnwrittenLaunches {
    private static let running = Locked<[String: String]>([:])

    /// The right to run over the state at `place`.
    static func admission(at place: String) -> LaunchAdmission {
        LaunchAdmission(
            take: { graph in
                let first = running.withLock { running -> String? in
                    if let first = running[place] { return first }
                    running[place] = graph
                    return nil
                }
                return first.map {
                    "'\(printable(graph))' is not started, for the launch '\(printable($0))' runs in this process over the same state; wait for its end, or cancel it"
                }
            },
            giveBack: { running.withLock { $0[place] = nil } },
            makeObserver: { nil }
        )
    }
}

extension RunningLaunches.Running {
    /// Whether a launch of that kind must not run beside this one.
    func excludes(_ other: LaunchJournal, as kind: LaunchKind) -> Bool {
        // Journals in memory have no place: nobody counts their deaths.
        kind.isCold && journal.kind.isCold && other.place != nil && journal.place == other.place
    }

    /// The end of the sentence that refuses another launch.
    var complaint: String {
        let number = journal.number.map { " (launch \($0) in the journal)" } ?? ""
        return "for the launch '\(printable(graph))'\(number) runs in this process; wait for its end, or cancel it"
    }
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

    /// The admission that the engine asks for before it starts a launch with a journal.
    var admission: LaunchAdmission {
        LaunchAdmission(
            take: { [self] in complaint(aboutStarting: $0) },
            giveBack: { [self] in RunningLaunches.all.end(self) },
            makeObserver: { [self] in eventRecorder }
        )
    }

    /// Makes the launch one of another kind, or says which launch it must not be that beside.
    func admit(_ kind: LaunchKind) throws(GraphError) {
        guard let (launch, first) = RunningLaunches.all.change(self, to: kind) else { return }
        let complaint = "'\(printable(launch.graph))' stays in the background, \(first.complaint)"
        throw GraphError(graph: launch.graph, problems: [GraphProblem(.alreadyRunning, complaint)])
    }

    private func complaint(aboutStarting graph: String) -> String? {
        guard let first = RunningLaunches.all.begin(graph, with: self) else {
            launchBegins()
            return nil
        }
        // One that never begins would count as one that died.
        if first.journal !== self { withdraw() }
        return "'\(printable(graph))' is not started, \(first.complaint)"
    }
}
