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

/// What messages call the input at `path`.
func inputName(_ path: String) -> String {
    isStandardInput(path) ? "<stdin>" : printable(path)
}

/// Reads a whole file, or standard input for `-`, but never more than `limit` bytes.
///
/// Only standard input may be a pipe or a terminal. Elsewhere nothing but a regular file is read, and it is opened without
/// waiting: a named pipe without a writer would hold the tool for ever.
func readInput(_ path: String, limit: Int = ScenarioDocument.sizeLimit) throws(InputError) -> [UInt8] {
    if isStandardInput(path) {
        guard isOpenStandardStream(STDIN_FILENO) else { throw systemError(path, EBADF) }
        return try readAll(STDIN_FILENO, path: path, limit: limit)
    }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw systemError(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw systemError(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw InputError(path: path, category: .noInput, reason: "it is a directory")
    case S_IFIFO: throw InputError(path: path, category: .noInput, reason: "it is a named pipe; read it with '-' as standard input")
    default: throw InputError(path: path, category: .noInput, reason: "it is not a regular file")
    }
    if status.st_size > limit { throw tooLarge(path, limit) }
    return try readAll(descriptor, path: path, limit: limit)
}

private func isStandardInput(_ path: String) -> Bool {
    path == "-" || path == "/dev/stdin"
}

private func readAll(_ descriptor: Int32, path: String, limit: Int) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count == 0 { return bytes }
        if count < 0 {
            if errno == EINTR { continue }
            if errno == EAGAIN {
                // Whoever shares this terminal or pipe made it non-blocking: wait for it instead.
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
                continue
            }
            throw systemError(path, errno)
        }
        if bytes.count + count > limit { throw tooLarge(path, limit) }
        bytes.append(contentsOf: chunk[..<count])
    }
}

private func systemError(_ path: String, _ code: Int32) -> InputError {
    InputError(path: path, category: .noInput, reason: String(cString: strerror(code)))
}

private func tooLarge(_ path: String, _ limit: Int) -> InputError {
    InputError(path: path, category: .badData, reason: "it is larger than the limit of \(limit) bytes")
}
