import Foundation
import Sequencer
import TestSupport
import Testing

/// A terminal of a test's own: the test is the person who sees what is shown and types, the code under test has the other end.
///
/// It is nobody's controlling terminal, so no signal comes from it.
final class PseudoTerminal: Sendable {
    struct Unavailable: Error {
        let code: Int32
    }

    private struct State {
        var shown = ""
        var isOver = false
        var waiters: [(text: String, count: Int, tell: @Sendable (Bool) -> Void)] = []

        func hasShown(_ text: String, _ count: Int) -> Bool { shown.components(separatedBy: text).count > count }
    }

    /// The end of the code under test.
    let descriptor: Int32
    /// Under which a terminal can be opened once more.
    let path: String
    private let master: Int32
    private let state = Locked(State())

    /// - Parameter isWatched: whether what is shown is read. Only where it is not does ``hangUp()`` work: closing needs every reader gone.
    init(isWatched: Bool = true) throws {
        // `posix_openpt` is not visible to Swift on Linux.
        var (master, descriptor): (Int32, Int32) = (-1, -1)
        guard openpty(&master, &descriptor, nil, nil, nil) == 0 else { throw Unavailable(code: errno) }
        for end in [master, descriptor] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (self.master, self.descriptor) = (master, descriptor)
        var name = [CChar](repeating: 0, count: 1024)
        guard ttyname_r(descriptor, &name, name.count) == 0 else { throw Unavailable(code: errno) }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if isWatched { Thread.detachNewThread { [master = self.master, state] in Self.watch(master, state) } }
    }

    deinit {
        // The thread ends with the last descriptor of this end, and closes the other one.
        close(descriptor)
    }

    private static func watch(_ master: Int32, _ state: Locked<State>) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            bytes += buffer.prefix(max(count, 0))
            // Characters may come in pieces.
            let text = String(decoding: bytes, as: UTF8.self)
            let ready = state.withLock { state in
                state.shown = text
                state.isOver = count <= 0
                let waiters = state.waiters
                state.waiters = waiters.filter { !state.isOver && !state.hasShown($0.text, $0.count) }
                return waiters.filter { state.isOver || state.hasShown($0.text, $0.count) }
                    .map { ($0.tell, state.hasShown($0.text, $0.count)) }
            }
            for (tell, isThere) in ready { tell(isThere) }
            if count <= 0 { break }
        }
        close(master)
    }

    /// What the person has seen so far.
    var shown: String { state.withLock { $0.shown } }

    /// Waits until the person has seen the text this many times.
    ///
    /// - Returns: false when they never will.
    func shows(_ text: String, times count: Int = 1) async -> Bool {
        await callback(orElse: false) { tell in
            let isThere = state.withLock { state -> Bool? in
                if state.hasShown(text, count) { return true }
                if state.isOver { return false }
                state.waiters.append((text, count, tell))
                return nil
            }
            if let isThere { tell(isThere) }
        }
    }

    /// What the person does. `\u{4}` is Ctrl-D.
    func type(_ text: String) {
        type(Array(text.utf8))
    }

    func type(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(master, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    /// What the code under test shows.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { offset += count } else if errno != EINTR { return }
        }
    }

    /// The window is closed.
    func hangUp() {
        close(master)
    }

    /// Whether what is typed is shown.
    var echoes: Bool { modes.map { $0.c_lflag & tcflag_t(ECHO) != 0 } ?? false }

    /// All that a terminal remembers about its keys and its lines; nil where it is gone.
    var modes: termios? {
        var modes = termios()
        return tcgetattr(descriptor, &modes) == 0 ? modes : nil
    }
}

/// Whether two terminals would treat keys and lines alike.
func areEqual(_ first: termios?, _ second: termios?) -> Bool {
    guard var first, var second else { return false }
    guard first.c_iflag == second.c_iflag, first.c_oflag == second.c_oflag else { return false }
    guard first.c_cflag == second.c_cflag, first.c_lflag == second.c_lflag else { return false }
    return withUnsafeBytes(of: &first.c_cc) { first in withUnsafeBytes(of: &second.c_cc) { first.elementsEqual($0) } }
}
