import Foundation

/// Reads a whole file, or standard input for `-`, but never more than `limit` bytes; of a file that gzip has compressed, what it was before.
///
/// Only standard input may be a pipe or a terminal. Elsewhere nothing but a regular file is read, and it is opened without
/// waiting: a named pipe without a writer would hold the tool for ever.
func readInput(_ path: String, limit: Int = ScenarioDocument.sizeLimit) throws(InputError) -> [UInt8] {
    let input = try PlainInput(path)
    defer { input.close() }
    return try input.readAll(limit: limit)
}

/// An input as it was before gzip compressed it, if that was done.
final class PlainInput {
    private let file: OpenInput
    private let archive: GzipInput?
    /// How many bytes have been read.
    private(set) var total = 0
    /// Kept: to read a terminal again after its end (Ctrl-D) would wait for more.
    private var isAtEnd = false

    init(_ path: String) throws(InputError) {
        let file = try OpenInput(path)
        do throws(InputError) {
            archive = try file.isCompressed ? GzipInput(file) : nil
        } catch {
            file.close()
            throw error
        }
        self.file = file
    }

    /// Fills the buffer, as far as the input goes.
    ///
    /// - Returns: how many bytes it has; 0 at the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        var filled = 0
        while filled < buffer.count, !isAtEnd {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count: Int
            if let archive { count = try archive.read(into: rest) } else { count = try file.read(into: rest) }
            isAtEnd = count == 0
            filled += count
        }
        // From a pipe, which `gzip -dc` can decompress, or compressed twice.
        if total == 0, buffer[..<filled].starts(with: OpenInput.gzipMagic) {
            throw InputError(path: file.path, category: .badData, reason: "it is compressed; read the output of 'gzip -dc' with '-'")
        }
        total += filled
        return filled
    }

    /// Reads all of it, but never more than `limit` bytes.
    func readAll(limit: Int = ScenarioDocument.sizeLimit) throws(InputError) -> [UInt8] {
        // Before anything is read: no memory for a file that is refused anyway (J1).
        if let size = file.size, size > limit { throw tooLarge(file.path, limit) }
        var bytes: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = try fill(piece)
            if count == 0 { return bytes }
            // The size may be unknown, grow while the file is read, or be that of a compressed file.
            if bytes.count + count > limit { throw tooLarge(file.path, limit) }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    /// The share that has been read; nil for a pipe, whose size is unknown.
    var fraction: Double? {
        let position = archive == nil ? total : file.position ?? 0
        return file.size.map { Double(position) / Double(max($0, 1)) }
    }

    func close() {
        archive?.close()
        file.close()
    }
}

/// A compressed file as it is without the compression: the output of `gzip -dc`, a child process, since the tool links no library for that.
///
/// The child reads the file from its descriptor, and is given no name and no shell. It is ended with the input, and with the tool.
final class GzipInput {
    private let path: String
    private let child: (pid: pid_t, output: Int32)
    private var isRunning = true

    /// Starts the child, which reads the file from where it has been read to.
    init(_ input: OpenInput) throws(InputError) {
        path = input.path
        do throws(ChildProcessError) {
            child = try spawn(["gzip", "-dc"], input: input.descriptor, hasErrors: false)
        } catch {
            throw InputError(path: input.path, category: .badData, reason: "it is compressed; \(error)")
        }
    }

    /// Reads what there is, waiting until there is something.
    ///
    /// - Returns: how many bytes; 0 at the end of a file that was whole.
    /// - Throws: also at the end, where the child says that the file is damaged or cut off.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        guard isRunning else { return 0 }
        let count = try readAvailable(child.output, of: path, into: buffer)
        if count > 0 { return count }
        let ending = end()
        if ending == .status(0) { return 0 }
        throw InputError(path: path, category: .badData, reason: "it is compressed; \(ChildProcessError(command: "gzip", reason: ending))")
    }

    /// Ends the child if it has not come to the end of the file.
    func close() {
        Foundation.close(child.output)
        guard isRunning else { return }
        signalGroup(child.pid, SIGKILL)
        _ = end()
    }

    private func end() -> ChildProcessError.Reason {
        isRunning = false
        // Taking the status must not wait, since it keeps others from starting children.
        _ = waitForExit(child.pid)
        return reap(child.pid)
    }
}
