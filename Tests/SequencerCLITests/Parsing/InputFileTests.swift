import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Input files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct InputFileTests {
    /// Runs the body with a directory of its own.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "/input-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    @Test("A file comes whole", arguments: [0, 1, 255 * 1024, 256 * 1024, 1_000_000])
    func reads(size: Int) throws {
        try withDirectory { directory in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Data(bytes).write(to: URL(fileURLWithPath: directory + "/a"))
            #expect(try readInput(directory + "/a") == bytes)
        }
    }

    @Test("What is missing or cannot hold a file is named, with what to do")
    func refuses() throws {
        try withDirectory { directory in
            expect(directory + "/none.json", .noInput, "No such file or directory")
            expect(directory, .noInput, "it is a directory; name a file in it")
            expect("/dev/null", .noInput, "it is not a regular file; read it with '-' as standard input")
            try Data("x".utf8).write(to: URL(fileURLWithPath: directory + "/file"))
            expect(directory + "/file/a.json", .noInput, "Not a directory; a part of its path is a file")
            expect(directory + "/fiel", .noInput, "No such file or directory; did you mean '\(directory)/file'?")
            expect(directory + "/no/file", .noInput, "No such file or directory")
            expect("", .noInput, "No such file or directory")
        }
    }

    @Test("fault J1: A named pipe without a writer does not hold the tool", .timeLimit(.minutes(30)))
    func namedPipe() throws {
        try withDirectory { directory in
            try #require(mkfifo(directory + "/pipe", 0o600) == 0)
            expect(directory + "/pipe", .noInput, "it is a named pipe; read it with '-' as standard input")
        }
    }

    @Test("fault J1: A file beyond the limit is not read, one of just its size is")
    func limit() throws {
        try withDirectory { directory in
            try Data(count: 100).write(to: URL(fileURLWithPath: directory + "/a"))
            #expect(try readInput(directory + "/a", limit: 100).count == 100)
            let error = #expect(throws: InputError.self) { try readInput(directory + "/a", limit: 99) }
            let reason = "it is larger than the limit of 99 bytes"
            #expect(error == InputError(path: directory + "/a", exitCode: .badData, reason: reason))
        }
    }

    @Test("An input is read to its end, and not behind it: on a terminal, one Ctrl-D ends it")
    func end() throws {
        try withDirectory { directory in
            let path = directory + "/a"
            try Data("one".utf8).write(to: URL(fileURLWithPath: path))
            let input = try PlainInput(path)
            defer { input.close() }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
            defer { buffer.deallocate() }
            #expect(try input.fill(buffer) == 3)
            // As a terminal, the file goes on behind its end.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data("two".utf8))
            try file.close()
            #expect(try input.fill(buffer) == 0)
        }
    }

    @Test("Messages call standard input by its name, and files by theirs")
    func names() {
        #expect(inputName("-") == "<stdin>")
        #expect(inputName("/dev/stdin") == "<stdin>")
        #expect(inputName("a\n.json") == "a\\n.json")
        let error = InputError(path: "none.json", exitCode: .noInput, reason: "No such file or directory")
        #expect(error.description == "cannot read none.json: No such file or directory")
    }

    private func expect(
        _ path: String,
        _ exitCode: ExitCode,
        _ reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: InputError.self, sourceLocation: sourceLocation) { try readInput(path) }
        #expect(error == InputError(path: path, exitCode: exitCode, reason: reason), sourceLocation: sourceLocation)
    }
}
