import Foundation
import Sequencer

/// A ``LaunchHistory`` on disk, which any number of processes can add to at the same time.
///
/// Each recorded launch replaces the file as a whole: a reader finds the history before it or after it. A file with other content is kept as
/// `FILE.corrupt`, and a new history is begun: no launch fails for want of a history.
///
/// ```swift
/// let file = LaunchHistoryFile(url) { warning in log(warning) }
/// graph.expect(try file.read())
/// let report = try await graph.run().report
/// try file.record(report)
/// ```
///
/// Its methods wait for the disk, and ``record(_:)`` for other processes, on the calling thread.
public struct LaunchHistoryFile: Sendable {
    /// The most bytes of a file that is read: far more than any history has.
    private static let maximumFileSize = 64 << 20

    /// Where the file is, or will be.
    package let url: URL
    /// The most durations that are kept of an operation.
    package let maximumDurations: Int
    private let timeout: Duration
    private let onWarning: @Sendable (String) -> Void
    private let file: SharedFile

    /// The history in the file at `url`. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - maximumDurations: the most durations that are kept of an operation, 1 to 1000.
    ///   - timeout: how long to wait for other processes.
    ///   - onWarning: is told, in a sentence and on the calling thread, when a file that makes no sense was set aside; it may read the history.
    public init(
        _ url: URL,
        maximumDurations: Int = 20,
        timeout: Duration = .seconds(5),
        onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.url = url
        self.maximumDurations = maximumDurations
        self.timeout = timeout
        self.onWarning = onWarning
        file = SharedFile(path: url.path)
    }

    /// The history; an empty one without a file.
    ///
    /// - Throws: when the file cannot be read, or was written by another version of this library.
    public func read() throws(HistoryError) -> LaunchHistory {
        var warning: String?
        // When the lock is free again: the app may read the file at once.
        defer { if let warning { onWarning(warning) } }
        do {
            // Without the lock: the file is replaced as a whole, so a reader never finds a part of one.
            if let history = try parse(file.contents(limit: Self.maximumFileSize)).history { return history }
            // Another process may have set it aside meanwhile, so look again when nobody else can.
            return try file.withLock(timeout: timeout) {
                let history = try readOrSetAside(&warning)
                if warning != nil { try write(history) }
                return history
            }
        } catch {
            throw failure(error, .unreadable)
        }
    }

    /// Adds launches to the history, and returns the result.
    ///
    /// - Throws: when the file cannot be read or written, its folder is missing, it stays locked by others, or was written by another version of this
    ///   library.
    @discardableResult
    public func record(_ reports: LaunchReport...) throws(HistoryError) -> LaunchHistory {
        try update { history in
            for report in reports { history.record(report) }
        }
    }

    /// Changes the history while no other process can, and returns the result.
    ///
    /// - Throws: when the file cannot be read or written, stays locked by others, or was written by another version of this library.
    @discardableResult
    package func update(_ change: (inout LaunchHistory) -> Void) throws(HistoryError) -> LaunchHistory {
        var warning: String?
        // As above.
        defer { if let warning { onWarning(warning) } }
        do {
            return try file.withLock(timeout: timeout) {
                var history = try readOrSetAside(&warning)
                change(&history)
                try write(history)
                return history
            }
        } catch {
            throw failure(error, .unwritable)
        }
    }

    /// Reads a text; only one of another version is an error.
    private func parse(_ data: Data?) throws(LaunchHistory.FormatProblem) -> (history: LaunchHistory?, problem: String) {
        do throws(LaunchHistory.FormatProblem) {
            return (try LaunchHistory(json: data ?? Data(), maximumDurations: maximumDurations), "")
        } catch {
            if case .corrupt(let reason) = error { return (nil, reason) }
            throw error
        }
    }

    /// Only for a caller that holds the lock; if it sets a file aside, the caller has to write a new history.
    ///
    /// - Parameter warning: receives a sentence if a file was set aside.
    private func readOrSetAside(_ warning: inout String?) throws -> LaunchHistory {
        let (history, reason) = try parse(file.contents(limit: Self.maximumFileSize))
        if let history { return history }
        // Nothing is lost that a person may still want to look at.
        let copy = try file.keepCorrupt()
        warning = "\(printable(url.path)) is no history of launches: \(reason); it is kept as \(printable(copy)), and a new one begun"
        return LaunchHistory(maximumDurations: maximumDurations)
    }

    /// Lets go of the lock, too, which is on the file that is replaced.
    private func write(_ history: LaunchHistory) throws {
        try file.replace(with: Data((history.json() + "\n").utf8))
    }

    /// Says that the file's folder is missing; nil when it is there.
    ///
    /// Without a folder there is nothing to read, and reading gives an empty history; only ``record(_:)`` and ``update(_:)`` fail. A program that wants to know before a
    /// launch asks here.
    package var missingFolder: HistoryError? {
        let folder = url.deletingLastPathComponent()
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) {
            if isFolder.boolValue { return nil }
            return HistoryError(code: .noFolder, path: url.path, reason: "\(printable(folder.path)) is no folder; choose another path")
        }
        let reason = "there is no folder \(printable(folder.path)); make it, or choose another path"
        return HistoryError(code: .noFolder, path: url.path, reason: reason)
    }

    private func failure(_ error: any Error, _ code: HistoryError.Code) -> HistoryError {
        switch error {
        case let problem as LaunchHistory.FormatProblem:
            guard case .otherVersion(let version) = problem else { break }
            let message = "its schema is '\(printable(version))', expected '\(LaunchHistory.schema)'; choose another file"
            return HistoryError(code: .otherVersion, path: url.path, reason: message)
        case let problem as SharedFile.Problem:
            // First: the system only says that it does not find the file.
            if let missing = missingFolder { return missing }
            let code = problem.systemError == ETIMEDOUT ? .locked : code
            return HistoryError(code: code, path: url.path, reason: problem.reason)
        default:
            break
        }
        return HistoryError(code: code, path: url.path, reason: "\(error)")
    }
}

/// A history that cannot be read or written.
public struct HistoryError: DescribedError, Sendable, Hashable {
    /// The kinds of failure.
    package struct Code: Sendable, Hashable {
        let name: String

        /// The file cannot be read.
        package static let unreadable = Code(name: "unreadable")
        /// The file cannot be written, or a new version not be put in its place.
        package static let unwritable = Code(name: "unwritable")
        /// The folder for the file is missing.
        package static let noFolder = Code(name: "noFolder")
        /// Another process kept the file locked.
        package static let locked = Code(name: "locked")
        /// The file was written by a version of this library that is not known here.
        package static let otherVersion = Code(name: "otherVersion")
    }

    /// The kind of failure.
    package let code: Code
    /// Where the file is.
    package let path: String
    /// The failure, and what to do about it.
    package let reason: String

    /// One sentence: the file, what happened, what to do.
    public var description: String { "the history in \(printable(path)): \(reason)" }
}
