import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Histories on disk", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchHistoryFileTests {
    /// A folder of its own, removed afterwards.
    private func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private func names(in folder: URL) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    @Test("Launches add up in the file, which is the only one")
    func record() async throws {
        try await withFolder { folder in
            let file = LaunchHistoryFile(folder.appendingPathComponent("history.json"), maximumDurations: 2) { Issue.record("\($0)") }
            #expect(try file.read().isEmpty)
            #expect(try names(in: folder) == [])
            var graph = OperationGraph("regular")
            graph.wait("config", 300)
            let report = try await graph.run(options: .virtual()).report
            for count in [1, 2, 2] {
                let history = try file.record(report)
                #expect(history.durations(of: "config", in: "regular") == Array(repeating: .milliseconds(300), count: count))
                #expect(try file.read() == history)
            }
            #expect(try file.record(report, report).durations(of: "config", in: "regular").count == 2)
            #expect(try names(in: folder) == ["history.json"])
        }
    }

    @Test("A file that makes no sense is kept beside a new one, with a warning once it is free", arguments: [true, false])
    func corrupt(byReading: Bool) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("history.json")
            for text in ["{\"schema\":", "something else"] {
                try Data(text.utf8).write(to: url)
                let warnings = Locked<[String]>([])
                let file = LaunchHistoryFile(url) { warning in
                    #expect(throws: Never.self) { try LaunchHistoryFile(url, timeout: .milliseconds(1)).read() }
                    warnings.withLock { $0.append(warning) }
                }
                if byReading { #expect(try file.read().isEmpty) }
                try file.update { $0.record(["a": .seconds(1)], in: "regular") }
                #expect(try file.read().durations(of: "a", in: "regular") == [.seconds(1)])
                #expect(try names(in: folder) == ["history.json", "history.json.corrupt"])
                #expect(try String(contentsOf: folder.appendingPathComponent("history.json.corrupt"), encoding: .utf8) == text)
                let expected =
                    "\(url.path) is no history of launches: it is no JSON object with a schema; it is kept as \(url.path).corrupt, and a new one begun"
                #expect(warnings.withLock { $0 } == [expected])
            }
        }
    }

    @Test("A file of another version is left alone")
    func otherVersion() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("history.json")
            let text = #"{"schema":"sequencer.history/2","more":1}"#
            try Data(text.utf8).write(to: url)
            let file = LaunchHistoryFile(url) { Issue.record("\($0)") }
            #expect(throws: HistoryError.self) { try file.read() }
            let error = try #require(throws: HistoryError.self) { try file.update { _ in } }
            #expect(error.code == .otherVersion)
            #expect(
                error.description
                    == "the history in \(url.path): its schema is 'sequencer.history/2', expected 'sequencer.history/1'; choose another file"
            )
            #expect(try String(contentsOf: url, encoding: .utf8) == text)
            #expect(try names(in: folder) == ["history.json"])
        }
    }

    @Test("fault J50: a place where no file can be is an error that says so")
    func noFile() async throws {
        try await withFolder { folder in
            let missing = LaunchHistoryFile(folder.appendingPathComponent("missing/history.json"))
            #expect(try missing.read().isEmpty)
            let error = try #require(throws: HistoryError.self) { try missing.update { _ in } }
            #expect(error.code == .noFolder && error == missing.missingFolder)
            #expect(
                error.description.hasSuffix(
                    "missing/history.json: there is no folder \(folder.path)/missing; make it, or choose another path"
                )
            )
            let pathThroughFile = folder.appendingPathComponent("file")
            try Data().write(to: pathThroughFile)
            let inFile = LaunchHistoryFile(pathThroughFile.appendingPathComponent("history.json"))
            #expect(inFile.missingFolder?.reason == "\(folder.path)/file is no folder; choose another path")
            #expect(try #require(throws: HistoryError.self) { try LaunchHistoryFile(folder).read() }.code == .unreadable)
            let pipe = folder.appendingPathComponent("pipe")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            #expect(try #require(throws: HistoryError.self) { try LaunchHistoryFile(pipe).read() }.reason == "it is no regular file")
        }
    }

    @Test("Its mode stays, a link stays one, and what a killed process left behind goes away")
    func place() async throws {
        try await withFolder { folder in
            let (url, link) = (folder.appendingPathComponent("history.json"), folder.appendingPathComponent("link"))
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "history.json")
            try Data().write(to: url)
            try Data("half".utf8).write(to: folder.appendingPathComponent(".history.json.tmp"))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
            try LaunchHistoryFile(link).update { $0.record(["a": .seconds(1)], in: "regular") }
            #expect(try LaunchHistoryFile(url).read().recorded.map(\.name) == ["regular"])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "history.json")
            #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o640)
            #expect(try names(in: folder) == ["history.json", "link"])
        }
    }

    @Test("Somebody who holds the lock for too long is an error, and does not keep anybody from reading")
    func locked() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("history.json")
            let file = LaunchHistoryFile(url, timeout: .milliseconds(20))
            try file.update { $0.record(["a": .seconds(1)], in: "regular") }
            try SharedFile(path: url.path).withLock(timeout: .seconds(10)) {
                let error = try #require(throws: HistoryError.self) { try file.update { _ in } }
                #expect(error.code == .locked)
                #expect(error.reason == "somebody else kept it locked for more than 20 ms; try again")
                #expect(try file.read().recorded.map(\.name) == ["regular"])
            }
            try file.update { $0.record(["a": .seconds(1)], in: "other") }
            #expect(try file.read().recorded.map(\.name).sorted() == ["other", "regular"])
        }
    }

    /// Each of two processes, and of three threads here, adds 20 launches: none is lost, and readers find a history each time.
    @Test("Several processes add to one history at the same time, and nothing is lost")
    func contention() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("history.json")
            let file = LaunchHistoryFile(url, maximumDurations: 1000, timeout: .seconds(300)) { Issue.record("\($0)") }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = url.path as String] in
                            let url = URL(fileURLWithPath: path)
                            let file = LaunchHistoryFile(url, maximumDurations: 1000, timeout: .seconds(300)) { _ in exit(1) }
                            for _ in 0..<20 { try file.update { $0.record(["a": .seconds(1)], in: "regular") } }
                        }
                    }
                }
                for writer in 0..<3 {
                    group.addTask {
                        #expect(throws: Never.self) {
                            for launch in 0..<20 {
                                try file.update { $0.record(["a": .seconds(1), "b": .milliseconds(100 * writer + launch)], in: "regular") }
                                let count = try file.read().durations(of: "a", in: "regular").count
                                #expect(count > launch && count <= 100)
                            }
                        }
                    }
                }
            }
            let history = try file.read()
            #expect(history.durations(of: "a", in: "regular").count == 100)
            let own = history.durations(of: "b", in: "regular")
            let expected = (0..<3).flatMap { writer in (0..<20).map { launch -> Duration in .milliseconds(100 * writer + launch) } }
            #expect(Set(own) == Set(expected))
            #expect(own.count == 60)
            #expect(try names(in: folder) == ["history.json"])
        }
    }
}
