import Foundation

/// One line on stderr that says what is measured; nothing where stderr is no terminal.
struct ProgressLine: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        if isTerminal { write("\r\u{1B}[2K\(text) ...") }
    }

    func clear() {
        if isTerminal { write("\r\u{1B}[2K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
