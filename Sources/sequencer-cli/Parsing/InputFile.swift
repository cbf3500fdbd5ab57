import Foundation
import Sequencer

/// Why an input could not be read.
struct InputError: Error, Equatable, CustomStringConvertible {
    /// Decides the exit code.
    enum Category: Equatable, Sendable {
        /// There is nothing to read: exit code 66.
        case noInput
        /// There is something, but it cannot be a scenario: exit code 65.
        case badData
    }

    let path: String
    let category: Category
    let reason: String

    var description: String { "cannot read \(inputName(path)): \(reason)" }
}

/// The name of the input at `path` in messages.
func inputName(_ path: String) -> String {
    isStandardInput(path) ? "<stdin>" : printable(path)
}

/// A file, or standard input for `-`, open for reading from its beginning to its end.
struct OpenInput {
    let path: String
    /// In bytes; nil for standard input, unless that is a file.
    let size: Int?
    let descriptor: Int32

    /// How files that gzip has compressed begin (RFC 1952), and no report does.
    static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    /// Only standard input may be a pipe or a terminal; see ``readInput(_:limit:)``.
    init(_ path: String) throws(InputError) {
        self.path = path
        var status = stat()
        // A closed descriptor 0 may belong to something else by now (A7).
        if isStandardInput(path) {
            guard isOpenStandardStream(STDIN_FILENO) else { throw systemError(path, EBADF) }
            descriptor = STDIN_FILENO
            size = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
            return
        }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { throw systemError(path, errno) }
        do throws(InputError) {
            // Of the descriptor, not of the path: the file may be another one by then.
            if fstat(descriptor, &status) != 0 { throw systemError(path, errno) }
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw systemError(path, EISDIR)
            case S_IFIFO: throw InputError(path: path, category: .noInput, reason: "it is a named pipe; read it with '-' as standard input")
            default:
                throw InputError(path: path, category: .noInput, reason: "it is not a regular file; read it with '-' as standard input")
            }
        } catch {
            Foundation.close(descriptor)
            throw error
        }
        // From here on the caller closes it.
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    /// Reads what there is, waiting until there is something.
    ///
    /// - Returns: how many bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        try readAvailable(descriptor, of: path, into: buffer)
    }

    /// How many bytes have been read, by children, too, that were given the descriptor; nil for a pipe or a terminal.
    var position: Int? {
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int(position)
    }

    /// Whether it goes on as a file that gzip has compressed begins; false for a pipe, which cannot be looked into without taking from it.
    var isCompressed: Bool {
        guard let position else { return false }
        var head: [UInt8] = [0, 0]
        let count = pread(descriptor, &head, 2, off_t(position))
        return count == 2 && head == Self.gzipMagic
    }

    /// Standard input is not this type's to close.
    func close() {
        if !isStandardInput(path) { Foundation.close(descriptor) }
    }
}

/// Reads what a descriptor has, waiting until there is something.
///
/// - Parameter path: the input, for the error.
/// - Returns: how many bytes; 0 at the end.
func readAvailable(_ descriptor: Int32, of path: String, into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        // A signal came, which its own thread handles.
        if errno == EINTR { continue }
        guard errno == EAGAIN else { throw systemError(path, errno) }
        // It does not block, as the output of a child, or since another process made this terminal or pipe so: wait for it instead.
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, -1)
    }
}

/// Whether a path means standard input.
func isStandardInput(_ path: String) -> Bool {
    path == "-" || path == "/dev/stdin"
}

/// The system's words, and what to do about it.
private func systemError(_ path: String, _ code: Int32) -> InputError {
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
    return InputError(path: path, category: .noInput, reason: reason)
}

/// Where a path that leads to nothing ends: at a link, before a folder, or beside a file of a similar name.
private func missingHint(_ path: String) -> String {
    if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
        return "; it is a link to \(quoted(target, limit: 200)), which is not there"
    }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) }
    if let folder, !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
        return "; there is no folder \(quoted(folder, limit: 200))"
    }
    let start = folder.map { $0 + "/" } ?? ""
    // Sorted: a folder lists its files in no order, and the first of several near ones is named.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: start.isEmpty ? "." : start))?.sorted() ?? []
    let nearest = nearestName(to: String(path.dropFirst(start.count)), in: names)
    return nearest.map { "; did you mean \(quoted(start + $0, limit: 200))?" } ?? ""
}

func tooLarge(_ path: String, _ limit: Int) -> InputError {
    InputError(path: path, category: .badData, reason: "it is larger than the limit of \(limit) bytes")
}

/// Whether a standard stream is one: open, and not something that took its number because it was closed when the process began.
///
/// The runtime opens descriptors of its own (for events and timers) before the first line of the tool runs, and they get the lowest numbers
/// that are free. Reading from one would wait for ever. They have no type of file.
func isOpenStandardStream(_ descriptor: Int32) -> Bool {
    var status = stat()
    // A type of 0 is that of an anonymous inode: an epoll or an eventfd of the runtime.
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != 0
}
