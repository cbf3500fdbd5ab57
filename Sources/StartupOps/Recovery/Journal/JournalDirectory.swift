import Foundation
import Sequencer
import StartupStorage

/// The journals of past launches: a file for each, named by its number, so that none is ever rewritten.
///
/// A process keeps its launch's file locked as long as it lives, and the kernel takes the lock away when it ends,
/// however it ends: that is how others know a launch that continues from one that died. A file gets its name when its
/// first line is in it and it is locked.
struct JournalDirectory: Sendable {
    /// The most of a file that is read: a launch of thousands of operations.
    static let maximumFileSize = 4 << 20
    private static let ending = ".jsonl"
    /// Three years of a launch each second. A number this far above all others was not given by this code, and is
    /// passed over.
    private static let maximumGap = 100_000_000

    /// How many old files a launch looks at, to remove them: it must not pay for thousands that a process in a loop of
    /// crashes has left. The next ones remove the rest.
    static let maximumRemoved = 200

    let directory: PosixDirectory

    /// A file of the directory.
    private typealias Entry = (number: Int, name: String)

    // MARK: Reading

    /// The newest launches, the newest first; each is read when it is looked at. Twice as many as are kept, for those
    /// that go on are kept beside. Older ones do not count: a launch must not read the thousands that a loop of crashes
    /// has left.
    var launches: some Sequence<JournaledLaunch> { entries.prefix(2 * LaunchJournal.keptLaunches).lazy.compactMap(read) }

    private var entries: [Entry] {
        let entries = directory.names().compactMap { name -> Entry? in
            guard name.hasSuffix(Self.ending), let number = Int(name.prefix { $0 != "-" }), number >= 0 else { return nil }
            return (number, name)
        }.sorted(by: <)
        // From 0: the first file may be the planted one (P19).
        let below = [0] + entries.map(\.number)
        let first = entries.indices.first { entries[$0].number - below[$0] > Self.maximumGap } ?? entries.endIndex
        return entries[..<first].reversed()
    }

    /// Nil for a file that is gone by now, or that is another user's.
    private func read(_ entry: Entry) -> JournaledLaunch? {
        guard let file = try? PosixFile(directory.path(entry.name), O_RDONLY), let status = try? file.status(), status.isRegularFile,
            status.st_uid == geteuid()
        else { return nil }
        // In this order: a launch that ends in between is read to its end.
        let isRunning = file.isLocked
        let contents = (try? file.contents(limit: Self.maximumFileSize)) ?? Data()
        return JournaledLaunch(number: entry.number, contents, isRunning: isRunning)
    }

    // MARK: Writing

    /// Starts the file of a new launch with its first line, and removes those of old ones.
    ///
    /// - Parameters:
    ///   - launches: how many files are kept.
    ///   - size: how many bytes they may have together.
    func begin(_ line: JournalLine, keeping launches: Int, size: Int) throws(StorageError) -> JournalFile {
        _ = try directory.prepare()
        // Read before the new one is made, which must not be among the old ones.
        let old = entries
        let file = try directory.makeTemporary()
        var bytesWritten = 0
        let number = (old.first?.number ?? 0) + 1
        // Padded, so that a list of the folder is in order up to a million launches; two at once may have the same
        // number, and still are two.
        let name = String(format: "%06ld-", number) + String(UInt64.random(in: .min ... .max), radix: 36) + Self.ending
        let temporary = String(file.path.dropFirst(directory.path.count + 1))
        do throws(StorageError) {
            try file.append(line.bytes, after: &bytesWritten)
            try directory.move(temporary, to: name)
        } catch {
            unlink(file.path)
            throw error
        }
        // Afterwards: a launch that cannot be begun removes nothing.
        removeOld(old, keeping: launches - 1, size: size)
        return JournalFile(file, path: directory.path(name), number: number, size: bytesWritten)
    }

    private func removeOld(_ entries: [Entry], keeping count: Int, size: Int) {
        var total = 0
        for (index, entry) in entries.prefix(max(count, 0) + Self.maximumRemoved).enumerated() {
            let path = directory.path(entry.name)
            // A file that is gone counts nothing.
            total += (try? PosixFile.status(of: path)).flatMap { $0 }.map { Int($0.st_size) } ?? 0
            // The newest are needed, also when they are large.
            guard index >= count || (index >= 10 && total > size) else { continue }
            // Of a launch that continues, the process holds the file.
            guard let file = try? PosixFile(path, O_RDONLY), !file.isLocked else { continue }
            unlink(path)
        }
        // Temporary files of launches that were killed while they began.
        directory.sweep()
    }
}

/// The file of a launch that continues: lines are added to its end, each by one system call, and nothing is kept back.
///
/// The lines are there for the next process, also when this one is killed: the kernel has them. After a power cut or a
/// crash of the kernel the last lines, or all of them, may be missing: waiting for the disk would cost each event
/// milliseconds.
final class JournalFile: @unchecked Sendable {
    // @unchecked: `file` does not change, and is only used under the lock of `state`.
    private let file: PosixFile

    private struct State {
        var size: Int
        /// Whether a line was not written to its end, as on a full disk.
        var isTorn = false
        /// The attempts of operations that were written down.
        var started: Set<String> = []
        /// How many questions an operation asks at the moment: one may be part of another, and an operation may be told
        /// of twice.
        var questions: [String: Int] = [:]
        /// The operations that ask, as the file says.
        var asking: Set<String> = []
        /// The number of launches that were begun with the journal.
        var launch = 0

        /// Whether a line tells of something new.
        mutating func isNew(_ line: JournalLine, once attempt: String?) -> Bool {
            if let attempt, !started.insert(attempt).inserted { return false }
            guard let operation = line.operation else { return true }
            switch line.event {
            case .asked:
                questions[operation, default: 0] += 1
                return !asking.contains(operation)
            case .answered: return endQuestion(of: operation) && asking.contains(operation)
            case .retrying, .ended: questions[operation] = nil
            default: break
            }
            return true
        }

        /// Whether it was the last one that the operation asks.
        private mutating func endQuestion(of operation: String) -> Bool {
            let open = questions.removeValue(forKey: operation) ?? 0
            if open > 1 { questions[operation] = open - 1 }
            return open <= 1
        }

        mutating func wasWritten(_ line: JournalLine) {
            guard let operation = line.operation else { return }
            switch line.event {
            case .asked: asking.insert(operation)
            case .answered, .retrying, .ended: asking.remove(operation)
            default: break
            }
        }

        /// An attempt is told of more than once: the next time, it may be written.
        mutating func couldNotBeWritten(_ line: JournalLine, once attempt: String?) {
            guard let attempt else { return }
            started.remove(attempt)
            // It is counted again with the attempt; any other question is counted until its answer.
            if line.event == .asked, let operation = line.operation { _ = endQuestion(of: operation) }
        }
    }

    /// Mutable state behind a private lock. The lock is held during the system call: lines must not be torn, and the
    /// thread that starts an operation must not continue before that is written down.
    private let state: Locked<State>
    let path: String
    let number: Int

    init(_ file: consuming PosixFile, path: String, number: Int, size: Int) {
        self.path = path
        self.number = number
        self.file = file
        state = Locked(State(size: size))
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - attempt: identifies an event that must be written only once; nil for an event that may come again.
    ///   - launch: the launch that it is about; when another one has begun since, it is dropped.
    func append(_ line: JournalLine, once attempt: String? = nil, of launch: Int? = nil) throws(StorageError) {
        let bytes = line.bytes
        try state.withLock { state throws(StorageError) in
            if let launch, launch != state.launch { return }
            guard state.isNew(line, once: attempt) else { return }
            // End the torn line, so that only that one is broken.
            let whole = state.isTorn ? [UInt8(ascii: "\n")] + bytes : bytes
            do throws(StorageError) {
                // The size grows also by a part that was written before an error.
                try file.append(whole, after: &state.size)
                state.wasWritten(line)
                state.isTorn = false
            } catch {
                state.couldNotBeWritten(line, once: attempt)
                state.isTorn = true
                throw StorageError(error.code, path, error.reason, systemError: error.systemError)
            }
        }
    }

    /// Forgets the attempts and the questions of the launch before: those of the next one have the same names.
    ///
    /// - Returns: whether there was one.
    func beginLaunch() -> Bool {
        state.withLock { state -> Bool in
            state.launch += 1
            guard state.launch > 1 else { return false }
            state.started = []
            state.questions = [:]
            state.asking = []
            return true
        }
    }

    /// The number of the launch that was begun last, from 1; 0 before the first.
    var launch: Int { state.withLock { $0.launch } }

    /// Removes the file, when nothing was launched.
    func remove() { unlink(path) }
}

/// The journals of this process without a launch, including those that the app has released. They are removed when the
/// process exits: it wanted to end, and no launch has died.
///
/// A crash runs no exit handler. Neither does a signal that the app does not handle: the next process cannot tell the
/// two apart, and counts both.
enum UnusedJournals {
    private static let paths = Locked<Set<String>>([])
    private static let removesAtExit: Void = { _ = atexit { UnusedJournals.removeAll() } }()

    static func add(_ path: String) {
        _ = removesAtExit
        paths.withLock { _ = $0.insert(path) }
    }

    /// Its end says something from now on.
    static func forget(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    private static func removeAll() {
        for path in paths.withLock({ $0 }) { unlink(path) }
    }
}
