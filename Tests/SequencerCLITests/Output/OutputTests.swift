import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Writing results", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OutputTests {
    /// Runs the body with a folder of its own.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/output-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func entries(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func content(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    private func expectFailure(_ path: String, _ code: Int32, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation)
    {
        let error = #expect(throws: OutputError.self, comment, sourceLocation: sourceLocation) { try Output(path).write("text") }
        #expect(error?.code == code, comment, sourceLocation: sourceLocation)
        #expect(error?.path == path, comment, sourceLocation: sourceLocation)
    }

    @Test("The dash, no path and the device of that name are standard output")
    func standardOutput() {
        #expect(Output("-") == Output(nil))
        #expect(Output("/dev/stdout") == Output(nil))
        #expect(Output("./-") != Output(nil))
        #expect(!Output("a").isTerminal)
    }

    @Test("A file appears whole, and nothing else does", arguments: [0, 1, 3_000_000])
    func creates(size: Int) throws {
        try withFolder { folder in
            let text = String(repeating: "é", count: size)
            try Output(folder + "/a.txt").write(text)
            #expect(try content(folder + "/a.txt") == text)
            #expect(try entries(folder) == ["a.txt"])
        }
    }

    @Test("A file is replaced and keeps its permissions")
    func replaces() throws {
        try withFolder { folder in
            let path = folder + "/a.txt"
            try Data("something longer".utf8).write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, 0o640) == 0)
            try Output(path).write("new")
            #expect(try content(path) == "new")
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o640)
            #expect(try entries(folder) == ["a.txt"])
        }
    }

    @Test("A symbolic link stays, and what it leads to is written; one that leads to nothing is replaced")
    func links() throws {
        try withFolder { folder in
            try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/there"))
            try #require(symlink("there", folder + "/link") == 0)
            try Output(folder + "/link").write("new")
            #expect(try content(folder + "/there") == "new")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "there")
            try #require(symlink("missing", folder + "/lost") == 0)
            try Output(folder + "/lost").write("new")
            #expect(try content(folder + "/lost") == "new")
            try #require(symlink("loop", folder + "/loop") == 0)
            expectFailure(folder + "/loop", ELOOP)
        }
    }

    @Test("What cannot be a file is refused with the system's reason, and nothing is left")
    func refuses() throws {
        try withFolder { folder in
            expectFailure(folder, EISDIR)
            expectFailure(folder + "/", EISDIR)
            expectFailure(folder + "/new/", EISDIR)
            expectFailure(folder + "/none/a.txt", ENOENT)
            expectFailure("", ENOENT)
            expectFailure(folder + "/" + String(repeating: "n", count: 300), ENAMETOOLONG)
            try Data("kept".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
            expectFailure(folder + "/file/a.txt", ENOTDIR)
            #expect(try content(folder + "/file") == "kept")
            #expect(try entries(folder) == ["file"])
        }
    }

    @Test("A folder that cannot be written to is found before anything runs", .enabled(if: geteuid() != 0, "root may write anywhere"))
    func permissions() throws {
        try withFolder { folder in
            try #require(chmod(folder, 0o500) == 0)
            defer { chmod(folder, 0o700) }
            #expect(throws: OutputError(path: folder + "/a", code: EACCES)) { try Output(folder + "/a").check() }
            expectFailure(folder + "/a", EACCES)
        }
    }

    @Test("Checking finds what cannot be written, and creates nothing")
    func check() throws {
        try withFolder { folder in
            try Output(folder + "/a.txt").check()
            try Output("/dev/null").check()
            try Output(nil).check()
            #expect(throws: OutputError(path: folder, code: EISDIR)) { try Output(folder).check() }
            #expect(throws: OutputError(path: folder + "/none/a", code: ENOENT)) { try Output(folder + "/none/a").check() }
            #expect(try entries(folder).isEmpty)
        }
    }

    @Test("Devices and named pipes are written to, not replaced")
    func special() throws {
        try Output("/dev/null").write("text")
        var status = stat()
        try #require(stat("/dev/null", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
        try withFolder { folder in
            let path = folder + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            // Open for reading and writing, so that nobody has to wait for the other end.
            let descriptor = open(path, O_RDWR)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try Output(path).write("through")
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = read(descriptor, &bytes, bytes.count)
            #expect(String(decoding: bytes[..<max(count, 0)], as: UTF8.self) == "through")
            #expect(try entries(folder) == ["pipe"])
        }
    }

    #if os(Linux)
        @Test("A full disk is an error")
        func full() {
            expectFailure("/dev/full", ENOSPC)
        }
    #endif

    @Test("The message has the path and the reason, and nothing a terminal obeys")
    func description() {
        let error = OutputError(path: "a\u{1B}[2J/b", code: ENOENT)
        #expect(!error.description.unicodeScalars.contains("\u{1B}"))
        #expect(OutputError(path: "a/b", code: ENOENT).description == "cannot write a/b: No such file or directory")
    }
}
