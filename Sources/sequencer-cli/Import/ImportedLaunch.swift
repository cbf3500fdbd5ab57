import Foundation
import Sequencer

/// A launch that another tool has timed, as its file tells it: in any order, with names that may come twice, counted from any moment.
struct ImportedLaunch {
    /// More operations are refused, as in a scenario file.
    static let operationLimit = ScenarioDocument.operationLimit

    var name: String
    var version: String?
    var startedAt: Date?
    var outcome = LaunchReport.Outcome.completed
    /// Nil where nobody measured it against one.
    var budget: BudgetResult?
    /// How long the process had run before the launch, where the budget counts that.
    var beforeRun: Duration?
    /// Nil for the start of the first operation.
    var begin: Nanoseconds?
    /// Nil for the end of the last operation.
    var end: Nanoseconds?
    /// Whether the file names all dependencies: an operation without any was then ready when the launch began.
    var knowsDependencies = false
    /// A remark for the person who imports it.
    var remark: String?
    var operations: [ImportedOperation] = []
}

struct ImportedOperation {
    var name: String
    /// By the file's clock; nil when it never started.
    var start: Nanoseconds?
    var end: Nanoseconds
    /// Places of the operations that it came after.
    var dependencies: [Int] = []
    /// From 1.
    var lane: Int?
    var isMain = false
    var details: Details?

    /// Details that only an export of this tool has.
    struct Details {
        var title: String?
        var outcome = Outcome.succeeded
        var failure: Outcome?
        var attempts = 1
        var expected: Duration?
        var isInteractive = false
        var isCut = false
        var isDeferred = false
        var message: String?
        var notes: [String] = []

        /// - Returns: false for a mark that says nothing here.
        @discardableResult
        mutating func add(mark: String) -> Bool {
            switch mark {
            case "interactive": isInteractive = true
            case "cut": isCut = true
            case "deferred": isDeferred = true
            default: return false
            }
            return true
        }
    }
}

extension ImportedLaunch {
    /// Gives each operation that has none the lowest lane that is free when it starts, as an engine would have.
    ///
    /// - Complexity: O(operations · log operations).
    mutating func reconstructLanes() {
        var running = Heap<LaneEnd>()
        var free = Heap<Int>()
        var lanes = 0
        // Operations that never started, or ran on the main thread, hold no lane.
        for node in order where operations[node].lane == nil && !operations[node].isMain {
            guard let start = operations[node].start else { continue }
            // Those that have ended by now, also at this very moment, give their lanes back.
            while let first = running.first, first.end <= start {
                _ = running.pop()
                free.push(first.lane)
            }
            if free.isEmpty {
                lanes += 1
                free.push(lanes)
            }
            guard let lane = free.pop() else { continue }
            operations[node].lane = lane
            running.push(LaneEnd(end: operations[node].end, lane: lane))
        }
    }

    /// All places by start, then by end, then as in the file. An operation depends only on earlier ones in this order: no circle
    /// is possible.
    var order: [Int] {
        operations.indices.sorted { left, right in
            let (a, b) = (operations[left], operations[right])
            // An operation that never started has a place in time all the same: its end.
            return (a.start ?? a.end, a.end, left) < (b.start ?? b.end, b.end, right)
        }
    }

    /// Names as identifiers: each once, fit for one line, and no longer than a scenario file's.
    var identifiers: [String] {
        // One set for given names and made ones: a name like "a (2)" may be in the file.
        var used = Set<String>(minimumCapacity: operations.count)
        var counts: [String: Int] = [:]
        return operations.map { operation in
            let name = label(operation.name) ?? "unnamed"
            if used.insert(name).inserted { return name }
            // Counted for each name, so that a million operations of one name do not try all numbers each.
            while true {
                let count = counts[name, default: 1] + 1
                counts[name] = count
                let suffix = " (\(count))"
                // The name is cut, never the number: it alone tells the two apart.
                let id = cut(name, to: labelLimit - suffix.utf8.count) + suffix
                if used.insert(id).inserted { return id }
            }
        }
    }
}

private struct LaneEnd: Comparable {
    let end: Nanoseconds
    let lane: Int

    static func < (left: LaneEnd, right: LaneEnd) -> Bool { (left.end, left.lane) < (right.end, right.lane) }
}

private let labelLimit = 256

/// A name as scenario files have them; nil where nothing is left of it.
func label(_ name: String) -> String? {
    // Cut before it is made printable: an escape has several times the length of its character.
    let shown = cut(printable(name.utf8.count > 4 * labelLimit ? String(name.prefix(labelLimit)) : name), to: labelLimit)
    let trimmed = shown.trimmingCharacters(in: .whitespaces)
    return trimmed.isEmpty ? nil : trimmed
}

private func cut(_ text: String, to limit: Int) -> String {
    if text.utf8.count <= limit { return text }
    var result = ""
    var count = 0
    // By characters, so that a cut never leaves half of one.
    for character in text {
        count += character.utf8.count
        // Three bytes for the ellipsis.
        if count > limit - 3 { break }
        result.append(character)
    }
    return result + "…"
}
