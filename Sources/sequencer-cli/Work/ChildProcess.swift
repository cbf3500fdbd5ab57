import Foundation
import Sequencer

/// Runs a command as a child process in a separate process group.
///
/// The child reads nothing (its standard input is empty), inherits the environment and the working directory, and
/// starts with no signal blocked. Standard output and standard error come together, in the order of writing. No thread
/// of the cooperative pool waits for it.
///
/// ```swift
/// let output = try await ChildProcess(["./migrate", "--fast"]).run()
/// print(output)
/// ```
struct ChildProcess: Sendable {
    /// The command and its arguments.
    let command: [String]
    /// The most bytes of output that are kept, the last ones.
    let limit: Int
    /// Whether standard error is kept, with standard output; it is lost otherwise.
    let hasErrors: Bool
    /// How long a cancelled command may take to end by itself.
    let killDelay: Duration

    /// Told the processor time of a child that has ended, and how long it waited for a processor; nil for unknown.
    typealias Use = @Sendable (_ used: Duration, _ runnable: Duration?) -> Void

    /// - Parameter command: The command and its arguments. A command without a slash is looked up in `PATH`.
    init(_ command: [String], limit: Int = OutputTail.limit, hasErrors: Bool = true, killDelay: Duration = .milliseconds(200)) {
        (self.command, self.limit, self.hasErrors, self.killDelay) = (command, limit, hasErrors, killDelay)
    }

    /// Runs the command to its end, and returns its output.
    ///
    /// It does not wait for processes that the command left behind: they continue, and their later output is lost.
    ///
    /// Cancelling the task sends SIGTERM to the whole process group, and SIGKILL to the rest of it after `killDelay`. A
    /// task that is cancelled beforehand starts nothing.
    ///
    /// - Parameter use: told when the command has ended, before this returns.
    /// - Throws: `ChildProcessError` if the command cannot be started or ends with anything but status 0;
    ///   `CancellationError` if it was still running when the task was cancelled, once it has ended.
    func run(_ use: @escaping Use = { _, _ in }) async throws -> String {
        let result: Result<String, any Error>
        do { result = try await onThread { isCancelled in Result { try attend(isCancelled, use) } } } catch {
            throw failure(.system("could not be started: \(error)"))
        }
        return try result.get()
    }

    private func failure(_ reason: ChildProcessError.Reason, _ output: String = "") -> ChildProcessError {
        ChildProcessError(command: command.first ?? "", reason: reason, output: output)
    }

    /// Starts the child, reads its output until it has ended, and reaps it. A cancelled child's group is asked to end,
    /// and killed after the delay. If the child ends before, the rest of the group is killed as soon as nobody can
    /// write to the output any more.
    ///
    /// A single thread checks all of that, about a hundred times a second while nothing is written: a system has no
    /// call that waits for an end, an output and a cancellation at once.
    private func attend(_ isCancelled: () -> Bool, _ use: Use) throws -> String {
        if isCancelled() { throw CancellationError() }
        let child = try spawn(command, hasErrors: hasErrors)
        defer { close(child.output) }
        var (output, isOpen, wasCancelled) = (OutputTail(limit: limit), true, false)
        /// When the group is killed. Setting the wall clock does not end a command, nor does the machine's sleep.
        var killTime: SuspendingClock.Instant?
        var ending: Bool?
        repeat {
            // Most children end right after their output.
            if isOpen { waitForInput(from: child.output, atMost: .milliseconds(10)) } else { usleep(1_000) }
            isOpen = isOpen && output.read(child.output)
            // First: a child that was asked to end may have done so meanwhile.
            if !wasCancelled, isCancelled() {
                wasCancelled = true
                signalGroup(child.pid, SIGTERM)
                killTime = .now + killDelay
            }
            if let time = killTime, time <= .now {
                signalGroup(child.pid, SIGKILL)
                killTime = nil
            }
            ending = hasEnded(child.pid)
            // Others of a cancelled child's group that still have the output open get the rest of the delay.
        } while ending == false || ending == true && killTime != nil && isOpen
        // A group whose child ended by itself may continue: it may be a daemon. Until the child is reaped no other
        // group can have its number.
        if wasCancelled, ending == true { signalGroup(child.pid, SIGKILL) }
        let reason = LiveChildren.reap(child.pid, use)
        // Read the bytes that the ended child left in the pipe.
        if isOpen { _ = output.read(child.output) }
        // Checked before the status: a cancelled child counts as cancelled even if it ended well.
        if wasCancelled { throw CancellationError() }
        if reason != .status(0) { throw failure(reason, output.text) }
        return output.text
    }
}

/// Whether a child has ended, and is left to be reaped, so that its pid stays its own; nil where somebody else has
/// reaped it.
func hasEnded(_ pid: pid_t) -> Bool? {
    var information = siginfo_t()
    // WNOWAIT: the status stays, and with it the pid.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT | WNOHANG) != 0 {
        if errno != EINTR { return nil }
    }
    return information.si_signo != 0
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
    var output = ""

    /// The last line of output that is not blank, fit for a terminal.
    var lastLine: String? {
        // Any line break: programs of other systems write theirs.
        let lines = output.split(whereSeparator: \.isNewline).lazy.map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.last { !$0.isEmpty }.map { printable($0, limit: 200) }
    }

    var description: String {
        let name = command.isEmpty ? "''" : printable(command, limit: 200)
        let sentence =
            switch reason {
            case .notFound: "no such command: \(name)"
            case .notExecutable: "\(name) is not executable"
            case .status(let status): "\(name) ended with status \(status)"
            case .signal(let signal):
                "\(name) was ended by signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? "")
            case .system(let text): "\(name) \(text)"
            }
        return lastLine.map { "\(sentence): \($0)" } ?? sentence
    }
}

/// The last bytes of an output of any length.
struct OutputTail {
    static let limit = 64 * 1024

    private let limit: Int
    private var bytes: [UInt8] = []
    private var hasCut = false

    init(limit: Int = Self.limit) { self.limit = limit }

    mutating func append(_ chunk: some Collection<UInt8>) {
        bytes.append(contentsOf: chunk)
        // Cut at twice the limit, so that small chunks do not move all the bytes each time.
        if bytes.count > 2 * limit {
            bytes.removeFirst(bytes.count - limit)
            hasCut = true
        }
    }

    /// Reads what a pipe has that does not block.
    ///
    /// - Returns: false at the end of the output.
    mutating func read(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        // No pipe is larger than this; another process that has it open may continue writing for ever.
        for _ in 0..<16 {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            // It does not block, so nothing interrupts it either.
            if count < 0, errno == EAGAIN { return true }
            if count <= 0 { return false }
            append(buffer[..<count])
        }
        return true
    }

    /// Bytes that are not UTF-8 are replaced.
    var text: String {
        let kept = bytes.suffix(limit)
        // A cut may have gone through a character: drop the rest of it.
        let isCut = hasCut || kept.count < bytes.count
        let rest = isCut ? kept.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count : 0
        return String(decoding: kept.dropFirst(rest), as: UTF8.self)
    }
}

/// Starts the command in a new process group. The caller reaps it, by ``LiveChildren``.
///
/// - Parameters:
///   - input: its standard input; nil is an empty one.
///   - hasErrors: whether the output has its standard error, too.
/// - Returns: Its pid, and the reading end of a pipe with its output; reading from it does not block.
func spawn(
    _ command: [String],
    input: Int32? = nil,
    hasErrors: Bool = true
) throws(ChildProcessError) -> (pid: pid_t, output: Int32) {
    let name = command.first ?? ""
    // C strings end there, and the command would run with something else than it was given.
    if command.contains(where: { $0.utf8.contains(0) }) {
        throw ChildProcessError(command: name, reason: .system("could not be started: an argument contains a zero byte"))
    }
    let pipe = try makePipe(for: name)
    // The child has its own: with this one open, the output would never end.
    defer { close(pipe.writing) }
    let (pid, code) = LiveChildren.start { start(command, input, pipe.writing, hasErrors, &$0) }
    if code != 0 {
        close(pipe.reading)
        throw startFailure(of: name, code: code)
    }
    return (pid, pipe.reading)
}

/// Starts a command without a signal that is ignored or blocked.
///
/// - Returns: the system's error; 0 when it was started.
private func start(
    _ command: [String],
    _ input: Int32?,
    _ output: Int32,
    _ hasErrors: Bool,
    _ pid: inout pid_t
) -> Int32 {
    var actions = noFileActions
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The given descriptor comes first: if the tool itself was started without a standard stream, it has its number.
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    if hasErrors {
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    } else {
        // Dropped and not closed: a program without standard streams may write into a file that got the number.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    if input == nil { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }

    var attributes = noSpawnAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Otherwise children would ignore and block the signals that the tool ignores and blocks for itself.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // SIGHUP is not among them: under `nohup` the children must survive as well. Exec itself resets handlers.
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // A new group, for signals to it and to its children; Ctrl-C does not reach it directly.
    posix_spawnattr_setpgroup(&attributes, 0)
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
        // Of descriptors that were made by others without the mark.
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = copies(command)
    let environment = copies(ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
    defer { (arguments + environment).forEach { free($0) } }
    // With PATH, as a shell would find it; the error is that of exec, in the parent.
    return posix_spawnp(&pid, command.first ?? "", &actions, &attributes, arguments, environment)
}

// They are pointers on Apple's systems, and structures elsewhere.
#if canImport(Darwin)
    private var noFileActions: posix_spawn_file_actions_t? { nil }
    private var noSpawnAttributes: posix_spawnattr_t? { nil }
#else
    private var noFileActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    private var noSpawnAttributes: posix_spawnattr_t { posix_spawnattr_t() }
#endif

/// The texts as C wants a list of them: to be freed, and ended by nil.
private func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }

/// A pipe that no child inherits, and whose reading end does not block. `pipe2`, which makes it so, is not visible to
/// Swift.
///
/// Neither end has the number of a standard stream, also where the tool was started without one: a reader of standard
/// input would read this pipe.
func makePipe(for name: String) throws(ChildProcessError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // Between making a pipe and marking it a child could inherit both ends.
    let code = LiveChildren.whileNoneStarts {
        if pipe(&ends) != 0 { return errno }
        // Duplicates above the standard streams, marked in the same call.
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
        // Before closing, which sets errno as well.
        let code = moved.contains(-1) ? errno : 0
        for end in code == 0 ? ends : ends + moved where end >= 0 { close(end) }
        ends = moved
        return code
    }
    if code != 0 { throw startFailure(of: name, code: code) }
    // The reading end only: a child expects its output to block.
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
}

private func startFailure(of name: String, code: Int32) -> ChildProcessError {
    switch code {
    case ENOENT, ENOTDIR: ChildProcessError(command: name, reason: .notFound)
    case EACCES: ChildProcessError(command: name, reason: .notExecutable)
    default: ChildProcessError(command: name, reason: .system("could not be started: \(resourceText(code))"))
    }
}
