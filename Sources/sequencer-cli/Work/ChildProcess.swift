import Foundation
import Sequencer

/// Runs a command as a child process of its own process group.
///
/// The child reads nothing (its standard input is empty), inherits the environment and the working directory, and starts with no
/// signal blocked. Standard output and standard error come together, in the order of writing. No thread of the cooperative pool
/// waits for it.
///
/// ```swift
/// let output = try await ChildProcess(["./migrate", "--fast"]).run()
/// print(output.tail)
/// ```
struct ChildProcess: Sendable {
    /// The output of the command.
    struct Output: Equatable, Sendable {
        /// The last bytes, 64 KB unless asked otherwise, with bytes that are not UTF-8 replaced.
        let tail: String
        /// Whether there was more than `tail` holds.
        let isTruncated: Bool
    }

    /// Which output is kept.
    struct Capture: Equatable, Sendable {
        /// The most bytes.
        var limit = OutputTail.limit
        /// Whether standard error is kept, with standard output; it is lost otherwise.
        var hasErrors = true
    }

    /// The command and its arguments.
    let command: [String]
    let capture: Capture
    /// How long a cancelled command may take to end by itself.
    let killDelay: Duration

    /// - Parameter command: The command and its arguments. A command without a slash is looked up in `PATH`.
    init(_ command: [String], capture: Capture = Capture(), killDelay: Duration = .milliseconds(200)) {
        self.command = command
        self.capture = capture
        self.killDelay = killDelay
    }

    /// Runs the command to its end, and returns its output.
    ///
    /// It does not wait for processes that the command left behind: they go on, and their later output is lost.
    ///
    /// Cancelling the task sends SIGTERM to the whole process group, and SIGKILL to the rest of it after `killDelay`. A task that
    /// is cancelled beforehand starts nothing.
    ///
    /// - Throws: `ChildProcessError` if the command cannot be started or ends with anything but status 0; `CancellationError` if it was
    ///   still running when the task was cancelled, once it has ended.
    func run() async throws -> Output {
        let child = RunningChild(command, capture, killDelay: killDelay)
        // A handler and not a child task: the process is outside of Swift's cancellation.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { child.start($0) }
        } onCancel: {
            child.cancel()
        }
    }
}

/// Why a command did not end with status 0.
///
/// Its description is one line: `migrate ended with status 3: table users is locked`.
struct ChildProcessError: Error, Equatable, CustomStringConvertible {
    enum Reason: Equatable, Sendable {
        case notFound
        case notExecutable
        /// It ended by itself, with this status.
        case status(Int32)
        /// This signal ended it.
        case signal(Int32)
        /// The system refused; the text is the rest of the sentence that begins with the command's name.
        case system(String)
    }

    /// The command, as it was given.
    let command: String
    let reason: Reason
    /// The output of the command before its end.
    var output = ChildProcess.Output(tail: "", isTruncated: false)

    /// The last line of output that is not blank, fit for a terminal.
    var lastLine: String? {
        // Any line break: programs of other systems write theirs.
        let lines = output.tail.split(whereSeparator: \.isNewline)
        guard let line = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
        return printable(line.trimmingCharacters(in: .whitespaces), limit: 200)
    }

    var description: String {
        let name = command.isEmpty ? "''" : printable(command, limit: 200)
        let sentence =
            switch reason {
            case .notFound: "no such command: \(name)"
            case .notExecutable: "\(name) is not executable"
            case .status(let status): "\(name) ended with status \(status)"
            case .signal(let signal): "\(name) was ended by signal \(signal)" + (signalNames[signal].map { " (\($0))" } ?? "")
            case .system(let text): "\(name) \(text)"
            }
        return lastLine.map { "\(sentence): \($0)" } ?? sentence
    }
}

/// The names of signals that end a process: their numbers differ between systems.
private let signalNames: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
    SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM",
    SIGPROF: "SIGPROF", SIGSYS: "SIGSYS",
]

/// The last bytes of an output of any length.
struct OutputTail {
    static let limit = 64 * 1024

    private let limit: Int
    private var bytes: [UInt8] = []
    private var hasCut = false

    init(limit: Int = Self.limit) {
        self.limit = limit
    }

    mutating func append(_ chunk: some Collection<UInt8>) {
        bytes.append(contentsOf: chunk)
        // Cut at twice the limit, so that small chunks do not move all the bytes each time.
        if bytes.count > 2 * limit {
            bytes.removeFirst(bytes.count - limit)
            hasCut = true
        }
    }

    var output: ChildProcess.Output {
        var kept = bytes.suffix(limit)
        let isTruncated = hasCut || kept.count < bytes.count
        if isTruncated {
            // The cut may have gone through a character: drop the rest of it.
            kept = kept.dropFirst(kept.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count)
        }
        return ChildProcess.Output(tail: String(decoding: kept, as: UTF8.self), isTruncated: isTruncated)
    }
}
