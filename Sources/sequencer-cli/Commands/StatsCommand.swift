import Foundation
import Sequencer

/// `stats`: sums up the launches of a file of JSON lines, however long it is.
struct StatsCommand {
    /// So many broken lines are shown; the others are counted.
    private static let mostShown = 10
    private static let pieceSize = 1024 * 1024

    private let arguments: StatsArguments

    init(_ arguments: StatsArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let input = try OpenInput(arguments.input)
        defer { input.close() }
        let progress = ProgressBar("stats", reading: arguments.input)
        var summary = LinesSummary()
        do {
            defer { progress?.end() }
            try read(input, &summary, progress)
        }
        let style = TextStyle(arguments.common.color, for: output)
        let text = StatsText(summary: summary, style: style, name: inputName(arguments.input))
        try output.write(arguments.common.json ? summary.json() : text.text)
        // Not one line was of use: this was no such file.
        return summary.brokenLines > 0 && summary.statistics.groups.isEmpty ? .badData : .success
    }

    private func read(_ input: OpenInput, _ summary: inout LinesSummary, _ progress: ProgressBar?) throws {
        var splitter = LineSplitter()
        let name = inputName(arguments.input)
        var shown = 0
        var complaints: [String] = []
        func take(_ line: UnsafeBufferPointer<UInt8>?) {
            guard let complaint = summary.add(line), shown < Self.mostShown else { return }
            shown += 1
            complaints.append("\(name):\(summary.lines):\(complaint)")
        }
        func show() {
            if complaints.isEmpty { return }
            let write = { for complaint in complaints { message(complaint) } }
            if let progress { progress.erase(while: write) } else { write() }
            complaints = []
        }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var bytes = 0
        while true {
            let count = try input.read(into: piece)
            if count == 0 { break }
            splitter.feed(UnsafeRawBufferPointer(rebasing: piece[..<count]).assumingMemoryBound(to: UInt8.self), take)
            show()
            bytes += count
            let fraction = input.size.map { Double(bytes) / Double(max($0, 1)) }
            progress?.update(fraction: fraction, detail: "\(bytes / 1_000_000) MB, \(summary.lines) lines")
        }
        splitter.finish(take)
        show()
    }
}

/// What the lines of a file say, and how many say nothing.
struct LinesSummary: Sendable {
    private(set) var statistics = LaunchStatistics()
    /// All lines, blank ones included.
    private(set) var lines = 0
    private(set) var brokenLines = 0

    /// Takes one line into account; nil is one that is too long.
    ///
    /// - Returns: what is wrong with it, after its column; nil when nothing is.
    mutating func add(_ line: UnsafeBufferPointer<UInt8>?) -> String? {
        lines += 1
        guard let line else {
            brokenLines += 1
            return " the line is longer than 16 MiB"
        }
        do throws(JSONError) {
            if let launch = try LaunchLineParser.parse(line) { statistics.add(launch) }
            return nil
        } catch {
            brokenLines += 1
            return "\(error.offset + 1): \(error.message)"
        }
    }
}
