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
    /// What the command wrote.
    struct Output: Equatable, Sendable {
        /// The last 64 KB, with whatever is not UTF-8 replaced.
        let tail: String
        /// Whether there was more than `tail` holds.
        let isTruncated: Bool
    }

    /// The command and its arguments.
    let command: [String]
    /// How long a cancelled command may take to end by itself.
    let killDelay: Duration

    /// - Parameter command: The command and its arguments. A command without a slash is looked up in `PATH`.
    init(_ command: [String], killDelay: Duration = .milliseconds(200)) {
        self.command = command
        self.killDelay = killDelay
    }

    /// Runs the command to its end, and returns what it wrote.
    ///
    /// It does not wait for processes that the command left behind: they go on, and what they write later is lost.
    ///
    /// Cancelling the task sends SIGTERM to the whole process group, and SIGKILL to what is left of it after `killDelay`. A task that
    /// is cancelled beforehand starts nothing.
    ///
    /// - Throws: `ChildProcessError` if the command cannot be started or ends with anything but status 0; `CancellationError` if it was
    ///   still running when the task was cancelled, once it has ended.
    func run() async throws -> Output {
        let child = RunningChild(command, killDelay: killDelay)
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
    /// What the command wrote before it ended.
    var output = ChildProcess.Output(tail: "", isTruncated: false)

    /// The last line of output that is not blank, fit for a terminal.
    var lastLine: String? {
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
            case .signal(let signal): "\(name) was ended by signal \(signal)" + (signalName(signal).map { " (\($0))" } ?? "")
            case .system(let text): "\(name) \(text)"
            }
        return lastLine.map { "\(sentence): \($0)" } ?? sentence
    }
}

/// What the manual calls the signal, for those that end a process.
private func signalName(_ signal: Int32) -> String? {
    // The numbers differ between systems, so only the names are written out.
    switch signal {
    case SIGHUP: "SIGHUP"
    case SIGINT: "SIGINT"
    case SIGQUIT: "SIGQUIT"
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGABRT: "SIGABRT"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGKILL: "SIGKILL"
    case SIGUSR1: "SIGUSR1"
    case SIGSEGV: "SIGSEGV"
    case SIGUSR2: "SIGUSR2"
    case SIGPIPE: "SIGPIPE"
    case SIGALRM: "SIGALRM"
    case SIGTERM: "SIGTERM"
    case SIGXCPU: "SIGXCPU"
    case SIGXFSZ: "SIGXFSZ"
    case SIGVTALRM: "SIGVTALRM"
    case SIGPROF: "SIGPROF"
    case SIGSYS: "SIGSYS"
    default: nil
    }
}
