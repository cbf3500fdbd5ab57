import Foundation
import Sequencer

/// Where results go: standard output, or a file that is there whole or not at all.
struct Output: Sendable {
    /// Nil for standard output.
    let path: String?

    init(_ path: String?) {
        self.path = path
    }

    /// Whether a person sees it as it is written.
    var isTerminal: Bool { path == nil && isatty(STDOUT_FILENO) == 1 }

    /// Writes all of `text`.
    func write(_ text: String) throws(OutputError) {
        guard let path else { return try writeAll(text, to: STDOUT_FILENO, path: "standard output") }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            try writeDirectly(text, to: path)
        } else {
            try replace(path, with: text)
        }
    }

    /// Devices and pipes cannot be replaced.
    private func writeDirectly(_ text: String, to path: String) throws(OutputError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0 { throw OutputError(path: path, code: errno) }
        defer { close(descriptor) }
        try writeAll(text, to: descriptor, path: path)
    }

    /// Writes a file beside the one that is wanted, and gives it that one's name once it is whole and on disk.
    private func replace(_ path: String, with text: String) throws(OutputError) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw OutputError(path: path, code: errno) }
        do throws(OutputError) {
            defer { close(descriptor) }
            try writeAll(text, to: descriptor, path: path)
            if fsync(descriptor) != 0 { throw OutputError(path: path, code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        if rename(temporary, path) != 0 {
            let code = errno
            unlink(temporary)
            throw OutputError(path: path, code: code)
        }
    }

    private func writeAll(_ text: String, to descriptor: Int32, path: String) throws(OutputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { bytes in Foundation.write(descriptor, bytes.baseAddress, bytes.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Whoever shares this pipe made it non-blocking: wait for it instead.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            } else if errno != EINTR {
                throw OutputError(path: path, code: errno)
            }
        }
    }
}

/// A result that could not be written.
struct OutputError: Error, Equatable, CustomStringConvertible {
    let path: String
    let code: Int32

    /// The reader has gone away: nobody is there to be told.
    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { "cannot write \(printable(path)): \(String(cString: strerror(code)))" }
}

/// Says something about the run itself, on standard error.
func message(_ text: String) {
    let line = "\(HelpText.tool): \(text)\n"
    _ = line.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) }
}
