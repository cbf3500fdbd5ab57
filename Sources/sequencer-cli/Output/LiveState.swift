import Foundation
import Sequencer
import SequencerAnalysis

/// The state of a launch for a live view: a value made of events, and the lines that show it.
struct LiveState: Sendable {
    let name: String
    /// The number of operations.
    let total: Int
    /// In the order in which they started; the time since the first attempt continues through the pauses.
    private var running: [(id: String, start: Duration, note: String)] = []
    private var ended: Set<String> = []
    private var isStopping = false
    /// When the last event happened.
    private var time = Duration.zero

    init(name: String, total: Int) { (self.name, self.total) = (name, total) }

    mutating func apply(_ event: LaunchEvent) {
        // Events of several threads may come late: the time never goes back.
        time = max(time, event.time)
        switch event.kind {
        case .launchStarted, .ready, .launchEnded, .dropped: break
        case .stopped: isStopping = true
        case .started(let id, let attempt): note(attempt > 1 ? "  attempt \(attempt)" : "", on: id, event.time)
        case .retrying(let id, let attempt): note("  attempt \(attempt) failed, retrying", on: id, event.time)
        case .ended(let id, _):
            ended.insert(id)
            running.removeAll { $0.id == id }
        }
    }

    private mutating func note(_ note: String, on id: String, _ time: Duration) {
        // An operation that was given up may still tell of its end.
        if ended.contains(id) { return }
        if let place = running.firstIndex(where: { $0.id == id }) {
            running[place].note = note
        } else {
            running.append((id, time, note))
        }
    }

    /// The operations that run, and a sum, at the time `now` since the launch began: at most `size.height - 1` lines,
    /// so that the cursor has a separate line, none of them wider than the terminal.
    func lines(_ size: Terminal.Size, now: Duration, style: TextStyle) -> [String] {
        // An event may be newer than the clock that was read.
        let now = max(now, time)
        func fitted(_ text: String) -> String {
            // The last column stays free: some terminals wrap after it.
            truncated(text, to: max(size.width - 1, 1), ellipsis: style.ellipsis)
        }
        let lines = running.prefix(max(size.height - 2, 0)).map { operation in
            // Times and notes want 26 columns after the name.
            let id = printable(operation.id, limit: 200)
            let name = truncated(id, to: max(size.width - 28, 8), keepsEnd: true, ellipsis: style.ellipsis)
            return fitted("\(name)  \(Self.text(now - operation.start))\(operation.note)")
        }
        let waiting = total - ended.count - running.count
        let end =
            "\(ended.count) of \(total) ended" + (running.isEmpty ? "" : ", \(running.count) running")
            + (waiting > 0 ? ", \(waiting) waiting" : "") + (isStopping ? ", stopping" : "")
        let sum = "\(printable(name, limit: 200))  \(Self.text(now))  \(end)"
        return lines + [style.dim(fitted(sum))]
    }

    /// `0.4 s`: of one length while it counts, so that nothing beside it moves.
    private static func text(_ time: Duration) -> String { String(format: "%.1f s", max(time / .seconds(1), 0)) }
}
