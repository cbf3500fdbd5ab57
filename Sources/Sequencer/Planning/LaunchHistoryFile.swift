import Foundation

/// A ``LaunchHistory`` on disk, which any number of processes can add to at the same time.
///
/// Each launch that is recorded replaces the file as a whole: whoever reads finds the history before it or after it. A file that holds something
/// else is kept as `FILE.corrupt` and a new history begun: no launch fails for want of a history.
///
/// ```swift
/// let file = LaunchHistoryFile(url) { warning in log(warning) }
/// graph.expect(try file.read())
/// let report = try await Sequencer(graph).run()
/// try file.record(report)
/// ```
///
/// Its methods wait for the disk, and ``record(_:)`` for other processes, on the calling thread.
public struct LaunchHistoryFile: Sendable {
    /// The most bytes of a file that is read: far more than any history has.
    private static let largestFile = 64 << 20

    /// Where the file is, or will be.
    public let url: URL
    /// The most durations that are kept of an operation.
    public let limit: Int
    private let timeout: Duration
    private let onWarning: @Sendable (String) -> Void
    private let file: SharedFile

    /// The history in the file at `url`. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - limit: the most durations that are kept of an operation, 1 to 1000.
    ///   - timeout: how long to wait for other processes.
    ///   - onWarning: is told, in a sentence and on the calling thread, when a file that makes no sense was set aside.
    public init(
        _ url: URL,
        limit: Int = 20,
        timeout: Duration = .seconds(5),
        onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.url = url
        self.limit = limit
        self.timeout = timeout
        self.onWarning = onWarning
        file = SharedFile(path: url.path)
    }

    /// The history; an empty one when there is no file.
    ///
    /// - Throws: when the file cannot be read, or was written by another version of this library.
    public func read() throws(HistoryError) -> LaunchHistory {
        do {
            if let history = try parse(file.contents(limit: Self.largestFile)).history { return history }
            // Another process may have set it aside meanwhile, so look again when nobody else can.
            return try file.withLock(timeout: timeout) {
                let (history, isSetAside) = try readOrSetAside()
                if isSetAside { try write(history) }
                return history
            }
        } catch {
            throw failure(error, .unreadable)
        }
    }

    /// Adds launches to the history, and returns what it is then.
    ///
    /// - Throws: when the file cannot be read or written, stays locked by others, or was written by another version of this library.
    @discardableResult
    public func record(_ reports: LaunchReport...) throws(HistoryError) -> LaunchHistory {
        try update { history in
            for report in reports { history.record(report) }
        }
    }

    /// Changes the history while no other process can, and returns what it is then.
    ///
    /// - Throws: when the file cannot be read or written, stays locked by others, or was written by another version of this library.
    @discardableResult
    public func update(_ change: (inout LaunchHistory) -> Void) throws(HistoryError) -> LaunchHistory {
        do {
            return try file.withLock(timeout: timeout) {
                var history = try readOrSetAside().history
                change(&history)
                try write(history)
                return history
            }
        } catch {
            throw failure(error, .unwritable)
        }
    }

    /// What a text comes to; only one of another version is an error.
    private func parse(_ data: Data?) throws(LaunchHistory.FormatProblem) -> (history: LaunchHistory?, problem: String) {
        do throws(LaunchHistory.FormatProblem) {
            return (try LaunchHistory(json: data ?? Data(), limit: limit), "")
        } catch {
            if case .corrupt(let reason) = error { return (nil, reason) }
            throw error
        }
    }

    /// Only for the one who holds the lock, who has to write a history when a file was set aside.
    private func readOrSetAside() throws -> (history: LaunchHistory, isSetAside: Bool) {
        let (history, reason) = try parse(file.contents(limit: Self.largestFile))
        if let history { return (history, false) }
        let copy = try file.keepCorrupt()
        onWarning("\(printable(url.path)) is no history of launches: \(reason); it is kept as \(printable(copy)), and a new one begun")
        return (LaunchHistory(limit: limit), true)
    }

    /// Lets go of the lock, too, which is on the file that is replaced.
    private func write(_ history: LaunchHistory) throws {
        try file.replace(with: Data((history.json() + "\n").utf8))
    }

    private func failure(_ error: any Error, _ code: HistoryError.Code) -> HistoryError {
        switch error {
        case let problem as LaunchHistory.FormatProblem:
            guard case .otherVersion(let version) = problem else { break }
            let message = "its schema is '\(printable(version))', expected '\(LaunchHistory.schema)'; choose another file"
            return HistoryError(code: .otherVersion, path: url.path, reason: message)
        case let problem as SharedFile.Problem:
            let code = problem.systemError == ETIMEDOUT ? .locked : code
            return HistoryError(code: code, path: url.path, reason: problem.reason)
        default:
            break
        }
        return HistoryError(code: code, path: url.path, reason: "\(error)")
    }
}
