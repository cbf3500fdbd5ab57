import Foundation
import Sequencer

/// Why a result could not be written: exit code 73.
struct OutputError: Error, Equatable, CustomStringConvertible {
    let path: String
    let reason: String

    init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: String, code: Int32) {
        self.init(path: path, reason: String(cString: strerror(code)))
    }

    var description: String { "cannot write \(printable(path, limit: 200)): \(reason)" }
}

/// Where a command writes its result.
enum Output: Equatable, Sendable {
    case standardOutput
    case file(String)

    /// The output that `-o` names; nil and `-` are standard output.
    init(_ path: String?) {
        switch path {
        // Opened by its name it would be another description: with an offset of its own it would write over a file that both lead to.
        case nil, "-"?, "/dev/stdout"?: self = .standardOutput
        case let path?: self = .file(path)
        }
    }

    /// Whether a result has been written, to any output.
    static let hasWritten = Locked(false)

    /// Whether a person sees the output.
    var isTerminal: Bool { self == .standardOutput && Terminal.standardOutput.isTerminal }

    /// The columns that its lines may have.
    var width: Int { Terminal.standardOutput.size(ProcessInfo.processInfo.environment).width }

    /// Writes the whole text, or throws.
    ///
    /// A regular file appears, or is replaced, in one step once all of it is on disk: on an error nothing has changed. Anything else that
    /// exists (a device, a named pipe) is written to directly. The reader of standard output may stop early, as `head` does: that is not an
    /// error, and the rest is dropped.
    func write(_ text: String) throws(OutputError) {
        switch self {
        case .standardOutput:
            // Again at the end: a launch may have closed it meanwhile.
            try check()
            do throws(SystemError) {
                try writeAll(text, to: STDOUT_FILENO)
            } catch {
                // `head` has read enough (A4).
                if error.code != EPIPE { throw OutputError(path: "<stdout>", code: error.code) }
            }
        case .file(let path):
            do throws(SystemError) {
                try writeFile(text, to: path)
            } catch {
                throw OutputError(path: path, code: error.code)
            }
        }
        Self.hasWritten.withLock { $0 = true }
    }

    /// Finds out early whether writing must fail, before a launch takes its time; it creates nothing.
    func check() throws(OutputError) {
        guard case .file(let path) = self else {
            if isOpenStandardStream(STDOUT_FILENO) { return }
            throw OutputError(path: "<stdout>", code: EBADF)
        }
        do throws(SystemError) {
            guard case .regular(let target, _) = try resolve(path) else { return }
            // The folder is written to, not the file: it gets a new entry.
            if access(folder(of: target), W_OK | X_OK) != 0 { throw SystemError(code: errno) }
        } catch {
            throw OutputError(path: path, code: error.code)
        }
    }
}

/// Makes writing to a pipe that nobody reads an error that can be handled, rather than the end of the process.
///
/// Processes that are started afterwards inherit this, unless their signals are reset.
func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
}

/// Writes a message for people on standard error, each of its lines with the name of the tool before it.
func message(_ text: String) {
    // Empty lines are kept, and a text without any is one line.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // In one write, so that messages of two threads do not mix.
    Terminal.standardError.write(lines.map { "sequencer-cli: \($0)\n" }.joined())
}

extension Terminal {
    /// Writes text as it is. Nothing can be done when that fails.
    func write(_ text: String) {
        // A message that cannot be written has no other place to go.
        guard isOpenStandardStream(descriptor) else { return }
        do throws(SystemError) { try writeAll(text, to: descriptor) } catch {}
    }
}

// MARK: Writing

private struct SystemError: Error {
    let code: Int32
}

/// Where a path leads.
private enum Target {
    /// A file to be replaced, or to be created, at the end of all symbolic links; with the permissions it has.
    case regular(String, mode: mode_t?)
    /// Something that must be written to as it is.
    case special
}

private func writeFile(_ text: String, to path: String) throws(SystemError) {
    switch try resolve(path) {
    case .regular(let target, let mode): try replaceFile(at: target, mode: mode, with: text)
    case .special:
        // No new controlling terminal, should the special file be one.
        let descriptor = try openFile(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        try writeAll(text, to: descriptor)
    }
}

/// Follows symbolic links, so that the file they lead to is replaced, not the link.
private func resolve(_ path: String) throws(SystemError) -> Target {
    if path.isEmpty { throw SystemError(code: ENOENT) }
    // To the system the path would end at the zero, and be another file's.
    if path.utf8.contains(0) { throw SystemError(code: EINVAL) }
    var status = stat()
    if stat(path, &status) == 0 {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw SystemError(code: EISDIR)
        case S_IFREG: break
        default: return .special
        }
        // Replacing needs no permission for the file itself, but a write protection is there on purpose.
        guard access(path, W_OK) == 0, let real = realpath(path, nil) else { throw SystemError(code: errno) }
        defer { free(real) }
        return .regular(String(cString: real), mode: status.st_mode & 0o7777)
    }
    // Only a file that is not there may be created; a folder that cannot be searched is an error.
    guard errno == ENOENT else { throw SystemError(code: errno) }
    return .regular(try endOfLinks(path), mode: nil)
}

/// The file that does not exist yet, where a chain of links may lead to.
private func endOfLinks(_ path: String) throws(SystemError) -> String {
    var path = path
    // As many links as Linux follows.
    for _ in 0..<40 {
        // A path to a folder that does not exist cannot become a file.
        if path.hasSuffix("/") { throw SystemError(code: EISDIR) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = readlink(path, &bytes, bytes.count)
        // Not a link: the end of the chain.
        if count < 0 { return path }
        let link = String(decoding: bytes[..<count], as: UTF8.self)
        // A relative link starts from the folder of the link, not of the process.
        path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
    }
    throw SystemError(code: ELOOP)
}

private func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Writes beside the file, then puts the new one in the place of the old.
private func replaceFile(at path: String, mode: mode_t?, with text: String) throws(SystemError) {
    // In the same folder: a rename cannot cross file systems.
    let (descriptor, temporary) = try createFile(in: folder(of: path))
    do throws(SystemError) {
        defer { close(descriptor) }
        // Before the content: a file that only its owner may read must not be open to others for a moment.
        if let mode, fchmod(descriptor, mode) != 0 { throw SystemError(code: errno) }
        try writeAll(text, to: descriptor)
        // Without this, a crash of the machine could leave an empty file under the final name.
        while fsync(descriptor) != 0 {
            if errno != EINTR { throw SystemError(code: errno) }
        }
        if rename(temporary, path) != 0 { throw SystemError(code: errno) }
    } catch {
        unlink(temporary)
        throw error
    }
}

/// Creates a file of a name that nobody can have prepared.
private func createFile(in folder: String) throws(SystemError) -> (descriptor: Int32, path: String) {
    // A clash is hardly possible; without a bound an odd file system could hold the tool here.
    for _ in 0..<100 {
        let path = folder + "/.sequencer-cli-" + String(UInt64.random(in: .min ... .max), radix: 36) + ".tmp"
        do throws(SystemError) {
            // O_EXCL and O_NOFOLLOW: nobody can put a link in its place.
            return (try openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC), path)
        } catch {
            if error.code != EEXIST { throw error }
        }
    }
    throw SystemError(code: EEXIST)
}

private func openFile(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    while true {
        // The mask of the process takes its part, as for a file that a shell makes.
        let descriptor = open(path, flags, 0o666)
        if descriptor >= 0 { return descriptor }
        // A signal while a slow file system opens the file.
        if errno != EINTR { throw SystemError(code: errno) }
    }
}

private func writeAll(_ text: String, to descriptor: Int32) throws(SystemError) {
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
        let count = bytes[offset...].withUnsafeBytes { systemWrite(descriptor, $0) }
        if count >= 0 {
            // A pipe or a terminal may take less than it is given.
            offset += count
            continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
            // Another process made this terminal or pipe non-blocking: wait for it instead.
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // Without a limit: the reader decides when it goes on, and a signal ends the tool.
            _ = poll(&request, 1, -1)
        default: throw SystemError(code: errno)
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

extension JSONWriter {
    /// A document of the tool: an object that begins with the name of its format, then a line feed.
    static func document(_ schema: String, pretty: Bool = true, _ members: (inout JSONWriter) -> Void) -> String {
        object(pretty: pretty) { json in
            json.write(schema, for: "schema")
            // A file of text ends with a line feed (POSIX).
            members(&json)
        } + "\n"
    }
}

extension DocumentWriter {
    /// Writes a number to six decimals; NaN, and a number that is too large, is null.
    mutating func write(decimal value: Double?, for key: String? = nil) {
        // Only whole millionths fit: a NaN fails the conversion as well.
        guard let value, let millionths = Int64(exactly: (value * 1e6).rounded()) else { return writeNull(for: key) }
        // Milliseconds are written as decimal numbers, exact to the nanosecond.
        write(milliseconds: .nanoseconds(millionths), for: key)
    }

    /// Writes nanoseconds as milliseconds.
    mutating func write(nanoseconds value: Double?, for key: String? = nil) {
        write(decimal: value.map { $0 / 1e6 }, for: key)
    }
}
