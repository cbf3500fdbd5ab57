import Behaviours
import Foundation
import StartupStorage
import Synchronization

/// What StartupStorage says of itself, shown by a program that imports nothing else of the package. Its argument is a folder for its state.
@main
enum Storage {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--hold", let folder = arguments.last { return hold(URL(fileURLWithPath: folder)) }
        guard arguments.count == 1, let path = arguments.first else {
            print("usage: storage FOLDER")
            exit(64)
        }
        let root = URL(fileURLWithPath: path, isDirectory: true)
        let shown = Behaviours()
        try showValues(root.appending(path: "values"), shown)
        try showDamage(root.appending(path: "damage"), shown)
        try showMemory(root.appending(path: "memory"), shown)
        try await showLock(root.appending(path: "lock"), shown)
        shown.end()
    }

    private static func showValues(_ folder: URL, _ shown: Behaviours) throws {
        let first = StateDirectory.open(at: folder)
        shown.show("a folder that is missing is made", first.problems.isEmpty && first.location == folder, first.problems)
        try first.settings.save(["de", "en"], for: "languages")
        let second = StateDirectory.open(at: folder)
        let languages = second.settings.value([String].self, for: "languages")
        shown.show("a value is there in the next launch", languages == .value(["de", "en"]), languages)

        try second.settings.save(["fr"], for: "languages")
        let replaced = first.settings.value([String].self, for: "languages")
        shown.show("a value is replaced as a whole", replaced == .value(["fr"]), replaced)

        try second.settings.remove("languages")
        try second.settings.remove("languages")
        let removed = second.settings.value([String].self, for: "languages")
        shown.show("a value that is removed is absent, and may be removed again", removed == .absent, removed)

        let odd = StoreKey("../Ä/\u{0}")
        try second.state.write(Data("odd".utf8), for: odd)
        shown.show("any text can be a key", second.state.read(odd) == .value(Data("odd".utf8)))

        try second.secure.write(Data("token".utf8), for: "session")
        shown.show("a secret is kept", StateDirectory.open(at: folder).secure.read("session") == .value(Data("token".utf8)))

        var entries = 0
        try second.cache.withExclusiveAccess { try second.cache.withExclusiveAccess { entries += 1 } }
        shown.show("who has exclusive access may ask for it again", entries == 1)
    }

    private static func showDamage(_ folder: URL, _ shown: Behaviours) throws {
        let problems = Problems()
        let directory = StateDirectory.open(at: folder) { problems.add($0) }
        let file = folder.appending(path: "state").appending(path: "launches")
        try directory.state.save(7, for: "launches")
        let contents = try String(contentsOf: file, encoding: .utf8)

        try write(contents.replacingOccurrences(of: "sequencer.value/1", with: "sequencer.value/2"), to: file)
        let newer = directory.state.value(Int.self, for: "launches")
        shown.show("what a newer version has stored is read as far as it is known", newer == .value(7), newer)

        let unknown = "sequencer.value/2 packed\n\(contents)"
        try write(unknown, to: file)
        let left = directory.state.read("launches")
        let isLeftAlone = try String(contentsOf: file, encoding: .utf8) == unknown
        shown.show("what it cannot read of that is unavailable, and left alone", isUnavailable(left) && isLeftAlone, left)

        try write(contents.replacingOccurrences(of: "length=1", with: "length=9"), to: file)
        let damaged = directory.state.read("launches")
        shown.show("a damaged value is absent", damaged == .absent, damaged)
        shown.show("it is kept beside its place", directory.state.hasSetAside("launches"))
        shown.show("each problem is told", problems.all.contains { $0.code == .corrupt }, problems.all)
        try directory.state.save(8, for: "launches")
        shown.show("a value can be stored in its place", directory.state.value(Int.self, for: "launches") == .value(8))

        try directory.state.save("eight", for: "launches")
        let other = directory.state.value(Int.self, for: "launches")
        shown.show("a value of another type is set aside, and absent", other == .absent, other)
    }

    private static func showMemory(_ file: URL, _ shown: Behaviours) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("no folder".utf8).write(to: file)
        let directory = StateDirectory.open(at: file)
        shown.show(
            "where no folder can be, values are in memory, and it says why",
            directory.location == nil && !directory.problems.isEmpty
        )
        try directory.state.save(1, for: "launches")
        shown.show("they are kept until the end of the process", directory.state.value(Int.self, for: "launches") == .value(1))
        shown.show("a folder in memory on purpose is no problem", StateDirectory.inMemory().problems.isEmpty)
        let store = StateDirectory.inMemory().state
        try store.save(2, for: "launches")
        shown.show("a store in memory works as one of files does", store.value(Int.self, for: "launches") == .value(2))

        shown.show("a deadline knows what is left", Deadline.after(.seconds(60)).remaining.map { $0 > .zero && $0 <= .seconds(60) } == true)
        shown.show("one that is over has nothing left", Deadline.after(.zero).isOver && Deadline.after(.seconds(-1)).remaining == .zero)
        shown.show("there may be none", Deadline.never.remaining == nil && !Deadline.never.isOver)
    }

    /// Another process keeps the store locked.
    private static func showLock(_ folder: URL, _ shown: Behaviours) async throws {
        let store = StateDirectory.open(at: folder).state
        try store.save(1, for: "launches")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--hold", folder.path]
        process.standardInput = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        shown.show("another process can have exclusive access", said == "held\n", said)

        let waited = await Task.detached { Self.refusal(of: store) }.value
        shown.show(
            "a process that keeps a store locked is named",
            waited?.reason.contains("process \(process.processIdentifier)") == true,
            waited
        )
        let atOnce = await MainActor.run { Self.refusal(of: store) }
        shown.show("the main thread does not wait for it", atOnce?.reason.contains("the main thread does not wait") == true, atOnce)
        try store.save(2, for: "launches")
        let value = store.value(Int.self, for: "launches")
        shown.show("reading and writing alone do not wait", value == .value(2), value)
    }

    /// Keeps the store locked until its input ends, or it is killed.
    private static func hold(_ folder: URL) {
        try? StateDirectory.open(at: folder).state.withExclusiveAccess {
            try FileHandle.standardOutput.write(contentsOf: Data("held\n".utf8))
            _ = try FileHandle.standardInput.readToEnd()
        }
    }

    private static func refusal(of store: any DataStore) -> StorageError? {
        do {
            try store.withExclusiveAccess {}
            return nil
        } catch {
            return error as? StorageError
        }
    }

    private static func isUnavailable(_ answer: StoredAnswer<Data>) -> Bool {
        if case .unavailable = answer { true } else { false }
    }

    /// In its place, with the rights that it has.
    private static func write(_ contents: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(contents.utf8))
    }
}

/// The problems that were told, on whichever thread.
private final class Problems: Sendable {
    private let problems = Mutex<[StorageError]>([])

    var all: [StorageError] { problems.withLock { $0 } }

    func add(_ problem: StorageError) { problems.withLock { $0.append(problem) } }
}
