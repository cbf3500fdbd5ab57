import Foundation
import Sequencer

/// A ``LaunchHistory`` on disk, which any number of processes can add to at the same time.
///
/// Each recorded launch replaces the file as a whole: a reader finds the history before it or after it. A file with
/// other content is kept as `FILE.corrupt`, and a new history is begun: no launch fails for want of a history.
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
    let url: URL
    /// The most durations that are kept of an operation.
    let maximumDurations: Int
    private let timeout: Duration
    private let onWarning: @Sendable (String) -> Void
    private let file: SharedFile

    /// The history in the file at `url`. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - maximumDurations: the most durations that are kept of an operation, 1 to 1000.
    ///   - timeout: how long to wait for other processes.
    ///   - onWarning: is told, in a sentence and on the calling thread, when a file that makes no sense was set aside;
    ///       it may read the history.
    public init(
        _ url: URL,
        maximumDurations: Int = 20,
        timeout: Duration = .seconds(5),
        onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.url, self.maximumDurations, self.timeout, self.onWarning) = (url, maximumDurations, timeout, onWarning)
        file = SharedFile(path: url.path)
    }

    /// The history; an empty one without a file.
    ///
    /// - Throws: when the file cannot be read, or was written by another version of this library.
    public func read() throws(HistoryError) -> LaunchHistory {
        try access(.unreadable) {
            // Without the lock: the file is replaced as a whole, so a reader never finds a part of one.
            do { return try parse() } catch let error as HistoryError where error.code == .corrupt {
                // Another process may have set it aside meanwhile, so look again when nobody else can.
                return try replace { _ in }
            }
        }
    }

    /// Adds launches to the history, and returns the result.
    ///
    /// - Throws: when the file cannot be read or written, its folder is missing, it stays locked by others, or was
    ///   written by another version of this library.
    @discardableResult
    public func record(_ reports: LaunchReport...) throws(HistoryError) -> LaunchHistory {
        try update { history in
            for report in reports { history.record(report) }
        }
    }

    /// Changes the history while no other process can, and returns the result.
    ///
    /// - Throws: when the file cannot be read or written, stays locked by others, or was written by another version of
    ///     this library.
    @discardableResult
    func update(_ change: (inout LaunchHistory) -> Void) throws(HistoryError) -> LaunchHistory {
        try access(.unwritable) { try replace(change) }
    }

    private func parse() throws -> LaunchHistory {
        try LaunchHistory(json: file.contents(limit: Self.maximumFileSize) ?? Data(), maximumDurations: maximumDurations)
    }

    private func replace(_ change: (inout LaunchHistory) -> Void) throws -> LaunchHistory {
        var warning: String?
        // When the lock is free again: the app may read the file at once.
        defer { if let warning { onWarning(warning) } }
        return try file.withLock(timeout: timeout) {
            var history = LaunchHistory(maximumDurations: maximumDurations)
            do { history = try parse() } catch let error as HistoryError where error.code == .corrupt {
                // Nothing is lost that the user may still want to look at.
                let copy = printable(try file.keepCorrupt())
                warning = "\(printable(url.path)) is no history of launches: \(error.reason); it is kept as \(copy), and a new one begun"
            }
            change(&history)
            // Gives back the lock, too, which is on the file that is replaced.
            try file.replace(with: Data((history.json() + "\n").utf8))
            return history
        }
    }

    /// Runs `body`, and gives its error with the file's name.
    ///
    /// - Parameter code: the kind of a failure of the system.
    private func access(_ code: HistoryError.Code, _ body: () throws -> LaunchHistory) throws(HistoryError) -> LaunchHistory {
        do { return try body() } catch {
            // First: the system only says that it does not find the file.
            if let missingFolder { throw missingFolder }
            var problem = error as? HistoryError ?? HistoryError(code, error.localizedDescription)
            if problem.code == .unreadable { problem.code = code }
            problem.path = url.path
            throw problem
        }
    }

    /// Says that the file's folder is missing; nil when it is there.
    ///
    /// Without a folder there is nothing to read, and reading gives an empty history; only ``record(_:)`` and
    /// ``update(_:)`` fail. A program that wants to know before a launch asks here.
    package var missingFolder: HistoryError? {
        let folder = url.deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
        if isFolder.boolValue { return nil }
        let name = printable(folder)
        let reason = exists ? "\(name) is no folder; choose another path" : "there is no folder \(name); make it, or choose another path"
        return HistoryError(.noFolder, reason, path: url.path)
    }
}

/// A history that cannot be read or written.
public struct HistoryError: DescribedError, Sendable, Hashable {
    /// The kinds of failure.
    package enum Code: Sendable {
        /// The file cannot be read; it cannot be written, or a new version not be put in its place.
        case unreadable, unwritable
        /// The folder for the file is missing; another process kept the file locked.
        case noFolder, locked
        /// The file was written by a version of this library that is not known here.
        case otherVersion
        /// The file holds something else; it is set aside.
        case corrupt
    }

    /// The kind of failure.
    package fileprivate(set) var code: Code
    /// Where the file is; the text of one does not say.
    fileprivate(set) var path: String
    /// The failure, and what to do about it.
    let reason: String

    init(_ code: Code, _ reason: String, path: String = "") { (self.code, self.reason, self.path) = (code, reason, path) }

    /// The message, in one sentence: the file, the problem, the remedy.
    public var description: String { "the history in \(printable(path)): \(reason)" }
}
