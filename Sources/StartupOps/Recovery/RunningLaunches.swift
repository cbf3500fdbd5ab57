import Foundation
import Sequencer

/// The launches of this process that are written down: one at a time with each journal, and one cold launch at a time with all that are opened in one place.
///
/// Two cold launches at once would ask a person twice, run each migration twice, and count each other's deaths. Launches that have no journal, as in a test or a
/// service, are nobody's second ones.
final class RunningLaunches: Sendable {
    private struct Running {
        let journal: LaunchJournal
        let graph: String
    }

    static let all = RunningLaunches()

    private let running = Locked<[Running]>([])

    /// Takes the journal for a launch.
    ///
    /// - Returns: the launch that runs and the journal that it has, where this one must not start beside it; nil when it may.
    func begin(_ graph: String, with journal: LaunchJournal) -> (graph: String, journal: LaunchJournal)? {
        running.withLock { running in
            let isCold = journal.isCold
            let first = running.first { other in
                other.journal === journal
                    || isCold && other.journal.isCold && journal.place != nil && other.journal.place == journal.place
            }
            if let first { return (first.graph, first.journal) }
            running.append(Running(journal: journal, graph: graph))
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

extension LaunchJournal {
    /// Whether a person waits for the launch, or will: a background launch may run beside it.
    fileprivate var isCold: Bool { kind != .background }

    /// The admission that the engine asks for before it starts a launch with a journal.
    var admission: LaunchAdmission {
        LaunchAdmission(take: { [self] in complaint(aboutStarting: $0) }, giveBack: { [self] in RunningLaunches.all.end(self) })
    }

    private func complaint(aboutStarting graph: String) -> String? {
        guard let first = RunningLaunches.all.begin(graph, with: self) else {
            launchBegins()
            return nil
        }
        // One that never begins would count as one that died.
        if first.journal !== self { withdraw() }
        let number = first.journal.number.map { " (launch \($0) in the journal)" } ?? ""
        return "'\(printable(graph))' is not started, for the launch '\(printable(first.graph))'\(number) runs in this process; "
            + "wait for its end, or cancel it"
    }
}
