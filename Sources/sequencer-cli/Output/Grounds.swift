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

/// Sentences about the operations that count as 0 ms, as `plan` and `verify` have them.
enum Notes {
    static let unexpected = "without an expected duration, which counts as 0 ms"
    static let workless = "without work, which takes 0 ms whatever is expected"

    /// - Parameter notes: the operations that each sentence is about; without any, it is left out.
    static func lines(_ notes: KeyValuePairs<String, [String]>) -> [String] {
        notes.filter { !$0.value.isEmpty }.map { text, ids in "\(text): \(listed(ids) { printable($0, limit: 64) })" }
    }
}
