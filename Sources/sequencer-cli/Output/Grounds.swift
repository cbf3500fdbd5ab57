import Sequencer
import SequencerAnalysis

// Each result of `plan`, `explore` and virtual time prints its grounds.

extension Grounds {
    /// - Parameter processors: nil where there are as many as operations want.
    static func plan(processors: Int?) -> Grounds {
        Grounds(
            controlled: ["lanes", "order", "expected times"] + (processors == nil ? [] : ["processors"]),
            notControlled: ["real times", "failures", "blocked threads"] + (processors == nil ? ["processors"] : [])
        )
    }

    static func exploration(_ clock: ClockMode) -> Grounds {
        let isVirtual = clock == .virtual
        return Grounds(
            controlled: ["the order of whole operations, one at a time", "the pauses between attempts"] + (isVirtual ? ["time"] : []),
            notControlled: [
                "values and files that operations leave, which are not compared", "operations that overlap", "threads within an operation",
            ] + (isVirtual ? ["real work, which was only simulated"] : ["time", "other processes and servers"])
        )
    }
}

extension ClockMode {
    /// The grounds of virtual time, as members of a document; none of real time.
    var grounds: JSONTree { self == .virtual ? Grounds.virtualTime.json : [:] }
}

extension LaunchReport {
    /// Says so of a launch that ran in virtual time; empty for any other.
    func groundsNote(_ style: TextStyle) -> String { grounds.map { style.dim($0.text) + "\n" } ?? "" }
}

extension ValidatedGraph {
    /// The operations that count as 0 ms because nothing else is known of them, or because they have no work, in a
    /// sentence each.
    ///
    /// - Parameters:
    ///   - plan: tells of operations that are switched off; without one, of timeouts that are missing, or leave nothing
    ///       to a further attempt.
    ///   - workless: the operations without work that have an expected duration.
    ///   - putOff: the operations that the launch puts off.
    func notes(on plan: LaunchPlan? = nil, workless: [String], putOff: [String] = []) -> [String] {
        let switchedOff = plan == nil ? [] : switchedOff, off = Set(switchedOff)
        let unknown = plan?.operationsWithoutExpectation ?? operationsWithoutExpectation
        let notes: [(String, [String])] = [
            (
                "needed by the milestone and without a timeout, so that only the deadline ends it",
                plan == nil ? operationsWithoutTimeout : []
            ),
            ("switched off, which counts as 0 ms", switchedOff),
            ("without an expected duration, which counts as 0 ms", unknown),
            ("without work, which takes 0 ms whatever is expected", workless.filter { !off.contains($0) }),
            (
                "with one timeout for all attempts, so that none follows one that hangs",
                plan == nil ? operationsWithTimeoutOfAllAttempts : []
            ),
            ("put off until after the milestone, to keep the budget", putOff),
        ]
        return notes.filter { !$1.isEmpty }.map { text, ids in "\(text): \(listed(ids) { printable($0, limit: 64) })" }
    }

    private var operationsWithTimeoutOfAllAttempts: [String] {
        (0..<count).filter { node in
            let policy = policy(node)
            return policy.timeout != nil && policy.retry.map { $0.attempts > 1 && $0.timeout == nil } ?? false
        }.map(id)
    }
}
