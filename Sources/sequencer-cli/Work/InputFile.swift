import Foundation
import Sequencer

/// Why an input could not be read.
struct InputError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// 66 if there is nothing to read, 65 if the file cannot be the intended one.
    let exitCode: ExitCode
    let reason: String

    var description: String { "cannot read \(inputName(path)): \(reason)" }
}

/// The name of the input at `path` in messages.
func inputName(_ path: String) -> String { isStandardInput(path) ? "<stdin>" : printable(path) }

/// Whether a path means standard input.
func isStandardInput(_ path: String) -> Bool { path == "-" || path == "/dev/stdin" }

extension InputError {
    /// The system's words, and what to do about it.
    init(_ path: String, system code: Int32) {
        let words = String(cString: strerror(code))
        let reason =
            switch code {
            case EISDIR: "it is a directory; name a file in it"
            case ENOENT: words + missingHint(path)
            case ENOTDIR: "\(words); a part of its path is a file"
            case ELOOP: "\(words); a link in its path leads back to itself"
            case EACCES: "\(words); this user may not read it, or not enter a folder on the way to it"
            case EBADF: "\(words); it is closed: name a file, or write to it"
            default: words
            }
        self.init(path: path, exitCode: .noInput, reason: reason)
    }
}

/// The file of a similar name beside a path that leads to nothing.
private func missingHint(_ path: String) -> String {
    let start = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    // Sorted: a folder lists its files in no order, and the first of several near ones is named.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: start.isEmpty ? "." : start))?.sorted() ?? []
    return question(nearestName(to: String(path.dropFirst(start.count)), in: names).map { start + $0 })
}

/// Whether a standard stream is one: open, and not something that took its number because it was closed when the
/// process began.
///
/// The runtime opens descriptors (for events and timers) before the first line of the tool runs, and they get the
/// lowest free numbers. Reading from such a descriptor would wait for ever. They have no type of file.
func isOpenStandardStream(_ descriptor: Int32) -> Bool {
    var status = stat()
    // A type of 0 is that of an anonymous inode: an epoll or an eventfd of the runtime.
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != 0
}

/// Waits until the descriptor has something to read, or has ended; false if the time was over before.
@discardableResult
func waitForInput(from descriptor: Int32, atMost time: Duration? = nil) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, time.map { Int32($0 / .milliseconds(1)) } ?? -1) > 0
}
