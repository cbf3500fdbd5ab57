import Foundation

/// What the process writes: each line at once, also to a pipe, for scripts wait for it.
enum Output {
    static func line(_ text: String) { write(text, to: .standardOutput) }

    static func message(_ text: String) { write(text, to: .standardError) }

    private static func write(_ text: String, to file: FileHandle) {
        // Nobody reads: there is nobody to tell.
        try? file.write(contentsOf: Data("\(text)\n".utf8))
    }
}
