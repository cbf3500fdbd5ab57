import Foundation
import Sequencer

/// Held while a pipe is made and while a child starts: a pipe is inherited until it is marked, and `pipe2`, which makes it marked, is
/// not visible to Swift.
private let spawning = Locked(0)

/// Starts the command in a process group of its own.
///
/// - Returns: Its pid, and the end of a pipe from which its output comes; reading from it does not block.
func spawn(_ command: [String]) throws(ChildProcessError) -> (pid: pid_t, output: Int32) {
    let name = command.first ?? ""
    // C strings end there, and the command would run with something else than it was given.
    if command.contains(where: { $0.utf8.contains(0) }) {
        throw ChildProcessError(command: name, reason: .system("could not be started: an argument contains a zero byte"))
    }
    let pipe = try makePipe(for: name)
    defer { close(pipe.writing) }

    var actions = FileActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The input comes last: if the tool itself was started without one, the pipe has its number.
    posix_spawn_file_actions_adddup2(&actions, pipe.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, pipe.writing, STDERR_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)

    var attributes = SpawnAttributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What the tool ignores or blocks for itself would otherwise be ignored or blocked by its children too.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = copies(command)
    let environment = copies(ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
    defer { (arguments + environment).forEach { free($0) } }
    var pid: pid_t = 0
    let code = spawning.withLock { _ in posix_spawnp(&pid, name, &actions, &attributes, arguments, environment) }
    if code != 0 {
        close(pipe.reading)
        throw startFailure(of: name, code: code)
    }
    return (pid, pipe.reading)
}

#if canImport(Darwin)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias SpawnAttributes = posix_spawnattr_t?
#else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias SpawnAttributes = posix_spawnattr_t
#endif

/// The texts as C wants a list of them: to be freed, and ended by nil.
private func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
}

/// A pipe that no child inherits, and whose reading end does not block.
func makePipe(for name: String) throws(ChildProcessError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try spawning.withLock { _ throws(ChildProcessError) in
        if pipe(&ends) != 0 { throw startFailure(of: name, code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
}

private func startFailure(of name: String, code: Int32) -> ChildProcessError {
    switch code {
    case ENOENT, ENOTDIR: ChildProcessError(command: name, reason: .notFound)
    case EACCES: ChildProcessError(command: name, reason: .notExecutable)
    default: ChildProcessError(command: name, reason: .system("could not be started: \(String(cString: strerror(code)))"))
    }
}
