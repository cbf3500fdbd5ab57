import Foundation
import Sequencer

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
