import Sequencer
import SequencerAnalysis

/// The state of a launch for a live view: a value made of events, and the lines that show it.
struct LiveState: Sendable {
    private enum Phase: Equatable, Sendable {
        case waiting
        /// It runs, or pauses between two attempts.
        case active(since: Duration, attempt: Int, isPausing: Bool)
        case ended(Outcome, duration: Duration?)

        var since: Duration? { if case .active(let since, _, _) = self { since } else { nil } }
    }

    let name: String
    private let identifiers: [String]
    private let positions: [String: Int]
    private var phases: [Phase]
    /// Those that run, in the order in which they started.
    private var active: [Int] = []
    private var ended = 0
    private(set) var isStopping = false
    /// When the last event happened.
    private(set) var time = Duration.zero

    init(name: String, identifiers: [String]) {
        self.name = name
        self.identifiers = identifiers
        // An event about an identifier that comes twice goes to the first; a graph refuses that anyway.
        positions = Dictionary(identifiers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        phases = Array(repeating: .waiting, count: identifiers.count)
    }

    /// Takes an event in; those about unknown operations change nothing.
    mutating func apply(_ event: LaunchEvent) {
        // Events of several threads may come late: the time never goes back.
        time = max(time, event.time)
        switch event.kind {
        case .launchStarted, .ready, .launchEnded, .dropped: break
        case .stopped: isStopping = true
        // Since the first attempt: the time that is shown goes on through the pauses.
        case .started(let id, let attempt): update(id) { .active(since: $0.since ?? event.time, attempt: attempt, isPausing: false) }
        case .retrying(let id, let attempt): update(id) { .active(since: $0.since ?? event.time, attempt: attempt, isPausing: true) }
        case .ended(let id, let outcome): update(id) { .ended(outcome, duration: $0.since.map { event.time - $0 }) }
        }
    }

    private mutating func update(_ id: String, _ change: (Phase) -> Phase) {
        guard let position = positions[id] else { return }
        let old = phases[position]
        // An operation that was given up may still tell of its end: its row stays as it is.
        if case .ended = old { return }
        let new = change(old)
        phases[position] = new
        // In the order of starts, so that a view with too few rows keeps each of them where it is.
        if old.since == nil, new.since != nil { active.append(position) }
        if case .ended = new {
            ended += 1
            active.removeAll { $0 == position }
        }
    }

    // MARK: Drawing

    /// The picture at the time `now` since the launch began: at most `size.height - 1` lines, so that the cursor has
    /// one of its own, none of them wider than the terminal.
    ///
    /// With room for it, every operation has a line, in the order they were added; otherwise only those that run. The
    /// last line sums up.
    func lines(_ size: Terminal.Size, now: Duration, style: TextStyle) -> [String] {
        // The last line and the cursor's own.
        let rows = max(size.height - 2, 0)
        let positions = identifiers.count <= rows ? Array(identifiers.indices) : Array(active.prefix(rows))
        let names = positions.map { printable(identifiers[$0], limit: 200) }
        // The mark and two spaces come before the name; times and notes want 24 columns after it.
        let nameWidth = min(names.lazy.map { displayWidth($0) }.max() ?? 0, max(size.width - 28, 8))
        let lines = zip(positions, names).map { position, name in
            let (mark, tone, note) = describe(phases[position], now: now, style: style)
            let id = padded(truncated(name, to: nameWidth, at: .middle, ellipsis: style.ellipsis), to: nameWidth)
            // One column stays free: some terminals wrap after the last.
            let rest = truncated(note.isEmpty ? id : "\(id)  \(note)", to: max(size.width - 3, 1), ellipsis: style.ellipsis)
            return style.applying(tone, to: mark) + " " + (phases[position] == .waiting ? style.dim(trimmed(rest)) : trimmed(rest))
        }
        return lines + [style.dim(truncated(summary(now: now), to: max(size.width - 1, 1), ellipsis: style.ellipsis))]
    }

    private func summary(now: Duration) -> String {
        let waiting = identifiers.count - ended - active.count
        let counts = [(active.count, " running"), (waiting, " waiting")].filter { $0.0 > 0 }.map { "\($0)\($1)" }
        let parts = ["\(ended) of \(identifiers.count) ended"] + counts + (isStopping ? ["stopping"] : [])
        // An event may be newer than the clock that was read: the time shown never goes back.
        return "\(printable(name, limit: 200))  \(Self.elapsed(max(now, time)))  \(parts.joined(separator: ", "))"
    }

    private func describe(_ phase: Phase, now: Duration, style: TextStyle) -> (mark: String, tone: TextStyle.Tone?, note: String) {
        let unicode = style.isUnicode
        switch phase {
        case .waiting: return (unicode ? "·" : ".", .dim, "")
        case .active(let since, let attempt, let isPausing):
            let note = isPausing ? "  attempt \(attempt) failed, retrying" : attempt > 1 ? "  attempt \(attempt)" : ""
            return (Self.spinner(now, unicode), isPausing ? .yellow : .cyan, Self.elapsed(max(now, time) - since) + note)
        case .ended(let outcome, let duration):
            let (mark, tone): (String, TextStyle.Tone) =
                switch outcome {
                case .succeeded: (unicode ? "✓" : "+", .green)
                case .fellBack: (unicode ? "✓" : "+", .yellow)
                case .failed, .timedOut: (unicode ? "✗" : "x", .red)
                case .cancelled: (unicode ? "✗" : "x", .yellow)
                case .skipped: (unicode ? "↷" : ">", .yellow)
                }
            // One that was skipped never began, and has no duration.
            let notes = [duration.map(style.duration), outcome == .succeeded ? nil : outcome.words]
            return (mark, tone, notes.compactMap(\.self).joined(separator: "  "))
        }
    }

    // By the clock and not by a count, so that it turns as fast however often it is drawn.
    private static func spinner(_ now: Duration, _ isUnicode: Bool) -> String {
        let frames = isUnicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
        let frame = Int(max(now, .zero) / .milliseconds(100))
        return frames[frame % frames.count]
    }

    /// `0.4 s`, `12.0 s`, `1:05 min`: of one length while it counts, so that nothing beside it moves.
    static func elapsed(_ duration: Duration) -> String {
        let tenths = Int(max(duration, .zero) / .milliseconds(100))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min"
    }

    private func trimmed(_ text: String) -> String {
        var end = text.endIndex
        while end > text.startIndex, text[text.index(before: end)] == " " { end = text.index(before: end) }
        return String(text[..<end])
    }
}
