import Foundation

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
