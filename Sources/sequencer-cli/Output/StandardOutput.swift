import Foundation
import Sequencer

/// Why a result could not be written: exit code 73.
struct OutputError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The system's number of the error.
    let code: Int32

    var description: String { "cannot write \(printable(path, limit: 200)): \(String(cString: strerror(code)))" }
}

/// Where a command writes its result.
struct Output: Equatable, Sendable {
    private let path: String
    private let isFile: Bool

    /// The output that `-o` names; nil and `-` are standard output.
    init(_ path: String?) {
        // Opened by its name, `/dev/stdout` would be another description: with a separate offset it would write over a
        // file that both lead to.
        isFile = ![nil, "-", "/dev/stdout"].contains(path)
        self.path = isFile ? path ?? "" : "<stdout>"
    }

    /// Whether a result has been written, to any output.
    static let hasWritten = Locked(false)

    /// Whether the user sees the output.
    var isTerminal: Bool { !isFile && Terminal.standardOutput.isTerminal }

    /// The columns that its lines may have.
    var width: Int { Terminal.standardOutput.size(ProcessInfo.processInfo.environment).width }

    /// Writes the whole text, or throws.
    ///
    /// A regular file appears, or is replaced, in one step once all of it is on disk: on an error nothing has changed.
    /// Anything else that exists (a device, a named pipe) is written to directly. The reader of standard output may
    /// stop early, as `head` does: that is not an error, and the rest is dropped.
    func write(_ text: String) throws(OutputError) {
        LiveView.replace(by: nil)
        if isFile {
            try writeFile(text)
        } else {
            // Again at the end: a launch may have closed it meanwhile.
            try check()
            let code = writeAll(text, to: STDOUT_FILENO)
            // `head` has read enough (A4).
            if code != 0, code != EPIPE { throw error(code) }
        }
        Self.hasWritten.withLock { $0 = true }
    }

    /// Finds out early whether writing must fail, before a launch takes its time; it creates nothing.
    func check() throws(OutputError) {
        if !isFile {
            if !isOpenStandardStream(STDOUT_FILENO) { throw error(EBADF) }
        } else if let target = try target(), access(folder(of: target.path), W_OK | X_OK) != 0 {
            // The folder is written to, not the file: it gets a new entry.
            throw error()
        }
    }

    private func error(_ code: Int32 = errno) -> OutputError { OutputError(path: path, code: code) }
}

/// Makes writing to a pipe that nobody reads an error that can be handled, rather than the end of the process.
///
/// Processes that are started afterwards inherit this, unless their signals are reset.
func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

/// Writes a message for people on standard error, each of its lines with the name of the tool before it.
func message(_ text: String) {
    // Empty lines are kept, and a text without any is one line.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let view = LiveView.current.withLock { $0 }
    view?.pause()
    // In one write, so that messages of two threads do not mix.
    Terminal.standardError.write(lines.map { "sequencer-cli: \($0)\n" }.joined())
    view?.resume()
}

extension Terminal {
    /// Writes text as it is. Nothing can be done when that fails.
    func write(_ text: String) {
        // A message that cannot be written has no other place to go.
        if isOpenStandardStream(descriptor) { _ = writeAll(text, to: descriptor) }
    }
}

// MARK: Writing

extension Output {
    private func writeFile(_ text: String) throws(OutputError) {
        guard let target = try target() else {
            // No new controlling terminal, should the special file be one.
            return try write(text, to: try openFile(path, O_WRONLY | O_NOCTTY))
        }
        // Beside the file, for a rename cannot cross file systems; by a name that nobody can have prepared.
        let temporary = folder(of: target.path) + "/.sequencer-cli-" + String(UInt64.random(in: .min ... .max), radix: 36) + ".tmp"
        // O_EXCL and O_NOFOLLOW: nobody can put a link in its place.
        let descriptor = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(OutputError) {
            try write(text, to: descriptor, mode: target.mode, syncs: true)
            if rename(temporary, target.path) != 0 { throw error() }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes all of it and closes the descriptor.
    private func write(_ text: String, to descriptor: Int32, mode: mode_t? = nil, syncs: Bool = false) throws(OutputError) {
        defer { close(descriptor) }
        // Before the content: a file that only its owner may read must not be open to others for a moment.
        if let mode, fchmod(descriptor, mode) != 0 { throw error() }
        let code = writeAll(text, to: descriptor)
        if code != 0 { throw error(code) }
        // Without this, a crash of the machine could leave an empty file under the final name.
        while syncs, fsync(descriptor) != 0 {
            if errno != EINTR { throw error() }
        }
    }

    /// The file to be replaced, at the end of all symbolic links, with the permissions it has, or to be created; nil
    /// for something that must be written to as it is.
    private func target() throws(OutputError) -> (path: String, mode: mode_t?)? {
        if path.isEmpty { throw error(ENOENT) }
        // To the system the path would end at the zero, and be another file's.
        if path.utf8.contains(0) { throw error(EINVAL) }
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw error(EISDIR) }
            if status.st_mode & S_IFMT != S_IFREG { return nil }
            // Replacing needs no permission for the file itself, but a write protection is there on purpose.
            guard access(path, W_OK) == 0, let real = realpath(path, nil) else { throw error() }
            defer { free(real) }
            return (String(cString: real), status.st_mode & 0o7777)
        }
        // Only a file that is not there may be created; a folder that cannot be searched is an error.
        guard errno == ENOENT else { throw error() }
        // A path to a folder that does not exist cannot become a file.
        if path.hasSuffix("/") { throw error(EISDIR) }
        return (path, nil)
    }

    private func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func openFile(_ path: String, _ flags: Int32) throws(OutputError) -> Int32 {
        while true {
            // The mask of the process takes its part, as for a file that a shell makes.
            let descriptor = open(path, flags | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return descriptor }
            // A signal while a slow file system opens the file.
            if errno != EINTR { throw error() }
        }
    }
}

/// - Returns: the system's error; 0 once all of it is written.
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            // A pipe or a terminal may take less than it is given.
            rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
            // Another process made this terminal or pipe non-blocking: wait for it instead.
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // Without a limit: the reader decides when it continues, and a signal ends the tool.
            _ = poll(&request, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

extension JSONTree {
    /// The text of a document of the tool: an object that begins with the name of its format, then a line feed.
    static func document(_ schema: String, pretty: Bool = true, _ members: JSONTree) -> String {
        (["schema": .text(schema)] + members).document(pretty: pretty) + "\n"
    }

    /// A number to six decimals; NaN, and a number that is too large, is null.
    static func decimal(_ value: Double?) -> JSONTree {
        // Only whole millionths fit: a NaN fails the conversion as well.
        guard let value, let millionths = Int64(exactly: (value * 1e6).rounded()) else { return .null }
        // Milliseconds are written as decimal numbers, exact to the nanosecond.
        return .milliseconds(.nanoseconds(millionths))
    }

    /// Nanoseconds as milliseconds.
    static func nanoseconds(_ value: Double?) -> JSONTree { decimal(value.map { $0 / 1e6 }) }
}

/// Where a command writes its result, and how.
struct ResultPage {
    let output: Output
    let style: TextStyle
    let isJSON: Bool

    /// Finds out before the work, which may take long, that a result could not be written.
    init(_ common: CommonArguments) throws(OutputError) {
        output = Output(common.output)
        try output.check()
        style = TextStyle(common.color, for: output)
        isJSON = common.json
    }

    func write(json: @autoclosure () throws -> String, text: @autoclosure () throws -> String) throws {
        try output.write(isJSON ? json() : text())
    }
}
