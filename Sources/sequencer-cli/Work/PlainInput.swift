import Foundation
import Sequencer

/// Reads a whole file, or standard input for `-`, but never more than `limit` bytes; unpacks a file that gzip has
/// compressed.
///
/// Only standard input may be a pipe or a terminal. Elsewhere nothing but a regular file is read, and it is opened
/// without waiting: a named pipe without a writer would hold the tool for ever.
func readInput(_ path: String, limit: Int = ScenarioDocument.sizeLimit) throws(InputError) -> [UInt8] {
    let input = try PlainInput(path)
    defer { input.close() }
    return try input.readAll(limit: limit)
}

/// An input, from its beginning to its end, as it was before gzip compressed it, if that was done.
///
/// A compressed file is read as the output of `gzip -dc`, a child process, since the tool links no library for that.
/// The child reads the file from its descriptor, and is given no name and no shell. It is ended with the input, and
/// with the tool.
final class PlainInput {
    /// How files that gzip has compressed begin (RFC 1952), and no report does.
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    private let path: String
    private let file: Int32
    /// In bytes; nil for standard input, unless that is a file.
    private let size: Int?
    /// The file, or the output of the child.
    private var source: Int32
    /// Nil for a file that is not compressed, and once the child has ended.
    private var child: pid_t?
    /// How many bytes have been read.
    private(set) var total = 0
    /// Kept: to read a terminal again after its end (Ctrl-D) would wait for more.
    private var isAtEnd = false

    init(_ path: String) throws(InputError) {
        self.path = path
        (file, size) = try openInput(path)
        source = file
        // False for a pipe, which cannot be looked into without taking from it.
        let position = lseek(file, 0, SEEK_CUR)
        var head: [UInt8] = [0, 0]
        guard position >= 0, pread(file, &head, 2, position) == 2, head == Self.gzipMagic else { return }
        do throws(ChildProcessError) {
            // It begins where the file has been read to.
            let child = try spawn(["gzip", "-dc"], input: file, hasErrors: false)
            (self.child, source) = (child.pid, child.output)
        } catch {
            close()
            throw compressed("\(error)")
        }
    }

    private func compressed(_ problem: String) -> InputError {
        InputError(path: path, exitCode: .badData, reason: "it is compressed; \(problem)")
    }

    /// Fills the buffer, as far as the input goes.
    ///
    /// - Returns: how many bytes it has; 0 at the end.
    /// - Throws: also at the end, where the child says that the file is damaged or cut off.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        var filled = 0
        while filled < buffer.count, !isAtEnd {
            let count = try readAvailable(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            isAtEnd = count == 0
            filled += count
        }
        if isAtEnd, let ending = endOfChild(), ending != .status(0) {
            throw compressed("\(ChildProcessError(command: "gzip", reason: ending))")
        }
        // From a pipe, which `gzip -dc` can decompress, or compressed twice.
        if total == 0, buffer[..<filled].starts(with: Self.gzipMagic) { throw compressed("read the output of 'gzip -dc' with '-'") }
        total += filled
        return filled
    }

    /// Reads what there is, waiting until there is something.
    private func readAvailable(_ buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        while true {
            let count = read(source, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            // A signal came, which its own thread handles.
            if errno == EINTR { continue }
            guard errno == EAGAIN else { throw InputError(path, system: errno) }
            // It does not block, as the output of a child, or since another process made this terminal or pipe so.
            waitForInput(from: source)
        }
    }

    /// Reads all of it, but never more than `limit` bytes.
    func readAll(limit: Int = ScenarioDocument.sizeLimit) throws(InputError) -> [UInt8] {
        let tooLarge = InputError(path: path, exitCode: .badData, reason: "it is larger than the limit of \(limit) bytes")
        // Before anything is read: no memory for a file that is refused anyway (J1).
        if let size, size > limit { throw tooLarge }
        var bytes: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = try fill(piece)
            if count == 0 { return bytes }
            // The size may be unknown, grow while the file is read, or be that of a compressed file.
            if bytes.count + count > limit { throw tooLarge }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    /// The share that has been read, by the child, too, which has the same descriptor; nil for a pipe, whose size is
    /// unknown.
    var fraction: Double? { size.map { Double(lseek(file, 0, SEEK_CUR)) / Double(max($0, 1)) } }

    /// Ends the child if it has not come to the end of the file.
    func close() {
        if source != file { Foundation.close(source) }
        if let child { signalGroup(child, SIGKILL) }
        _ = endOfChild()
        // Standard input is not this type's to close.
        if !isStandardInput(path) { Foundation.close(file) }
    }

    private func endOfChild() -> ChildProcessError.Reason? {
        guard let pid = child else { return nil }
        child = nil
        // Taking the status must not wait, since it keeps others from starting children.
        while hasEnded(pid) == false { usleep(1_000) }
        return LiveChildren.reap(pid)
    }
}

/// Opens a file, or standard input for `-`, which alone may be a pipe or a terminal.
///
/// - Returns: also its size in bytes; nil for standard input, unless that is a file.
private func openInput(_ path: String) throws(InputError) -> (descriptor: Int32, size: Int?) {
    var status = stat()
    if isStandardInput(path) {
        // A closed descriptor 0 may belong to something else by now (A7).
        guard isOpenStandardStream(STDIN_FILENO) else { throw InputError(path, system: EBADF) }
        let isFile = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return (STDIN_FILENO, isFile ? Int(status.st_size) : nil)
    }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw InputError(path, system: errno) }
    // Of the descriptor, not of the path: the file may be another one by then.
    let code = fstat(descriptor, &status) == 0 ? 0 : errno
    let kind = status.st_mode & S_IFMT
    if code == 0, kind == S_IFREG { return (descriptor, Int(status.st_size)) }
    close(descriptor)
    if code != 0 || kind == S_IFDIR { throw InputError(path, system: code != 0 ? code : EISDIR) }
    let name = kind == S_IFIFO ? "a named pipe" : "not a regular file"
    throw InputError(path: path, exitCode: .noInput, reason: "it is \(name); read it with '-' as standard input")
}

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
