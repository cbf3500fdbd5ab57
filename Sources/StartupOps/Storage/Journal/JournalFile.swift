import Foundation
import Sequencer

/// The file of a launch that goes on: lines are added to its end, each by one system call, and nothing is kept back.
///
/// What was written is there for the next process when this one is killed, whatever kills it: the kernel has it. After a power cut or a crash of
/// the kernel the last lines, or all of them, may be missing: waiting for the disk would cost each event milliseconds.
final class JournalFile: Sendable {
    private struct State: ~Copyable {
        let file: PosixFile
        var size: Int
        /// Whether a line was not written to its end, as on a full disk.
        var isTorn = false
        /// The attempts of operations that were written down.
        var started: Set<String> = []
    }

    /// Mutable state behind a lock of its own. The one system call is made while holding it: lines must not be torn, and who starts an operation
    /// must not go on before that is written down, whoever writes it.
    private let state: Locked<Box>
    let path: String
    let number: Int

    private final class Box {
        var state: State
        init(_ state: consuming State) { self.state = state }
    }

    init(_ file: consuming PosixFile, path: String, number: Int, size: Int) {
        self.path = path
        self.number = number
        state = Locked(Box(State(file: file, size: size)))
    }

    /// Adds a line.
    ///
    /// - Parameter attempt: identifies what is to be written down only once; nil for what may come again.
    func append(_ line: JournalLine, once attempt: String? = nil) throws(StorageError) {
        let bytes = line.bytes
        try state.withLock { box throws(StorageError) in
            if let attempt, !box.state.started.insert(attempt).inserted { return }
            // What was torn is one broken line, not two.
            let whole = box.state.isTorn ? [UInt8(ascii: "\n")] + bytes : bytes
            do throws(StorageError) {
                try box.state.file.append(whole, after: box.state.size)
                box.state.size += whole.count
                box.state.isTorn = false
            } catch {
                box.state.isTorn = true
                throw StorageError(error.code, path, error.reason, systemError: error.systemError)
            }
        }
    }

    /// Removes the file: there was no launch.
    func remove() { unlink(path) }
}
