import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// What a newer version of the app has stored.
@Suite("Newer formats", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct NewerFormatTests {
    private let folder: TemporaryFolder
    private let problems = Problems()
    private let store: FileStore

    init() throws {
        folder = try TemporaryFolder()
        store = try FileStore(directory: folder("store"), onProblem: problems.add)
    }

    private func put(_ header: String, _ value: String) throws {
        try text("\(header)\n\(value)").write(to: folder("store/key"))
        #expect(chmod(folder("store/key").path, 0o600) == 0)
    }

    @Test("fault S5: a value of a newer format is read where what is known of its header holds")
    func known() throws {
        let whole = String(decoding: StoredFile.encode(text("value"), for: StoreFileName("key")), as: UTF8.self)
        let header = try #require(whole.split(separator: "\n").first)
        try put(header.replacing("sequencer.value/1", with: "sequencer.value/2") + " owner=app", "value")
        #expect(store.read("key") == .value(text("value")))
        #expect(problems.all.isEmpty)
    }

    @Test(
        "fault S5: a value of a format that is newer, and not known, stays where it is, is unavailable, and is told once",
        arguments: ["sequencer.value/2", "sequencer.value/2 sha256=00 length=5", "sequencer.value/17 crc32=00000000 length=5"]
    )
    func unknown(_ header: String) throws {
        try put(header, "value")
        guard case .unavailable(let error) = store.read("key") else {
            Issue.record("it was taken for damage")
            return
        }
        #expect(error.code == .newerFormat && error.description.contains("newer version of the app"))
        _ = store.read("key")
        #expect(problems.all == [error] && names(in: folder("store")) == ["key"])
        #expect(try Data(contentsOf: folder("store/key")) == text("\(header)\nvalue"))
    }

    @Test("fault S5: settings and counts of a newer format are left alone, whatever is to be changed in them")
    func changes() throws {
        for name in ["settings", "app-starts"] {
            try text("sequencer.value/2\nvalue").write(to: folder("store/\(name)"))
            #expect(chmod(folder("store/\(name)").path, 0o600) == 0)
        }
        let settings = Settings(store)
        #expect(throws: StorageError.self) { try settings.set(.dismissable, for: .onboarding) }
        _ = settings.deviceIdentifier
        #expect(throws: StorageError.self) { try LaunchState(store).countAppStart(isLoggedIn: true, isAnonymous: false) }
        for name in ["settings", "app-starts"] {
            #expect(try Data(contentsOf: folder("store/\(name)")) == text("sequencer.value/2\nvalue"))
        }
    }

    @Test("fault S5: entry points of a newer format wait for the version of the app that knows them")
    func entryPoints() async throws {
        let mailbox = EntryPointMailbox(store)
        mailbox.receive(EntryPointSamples.shortcut("known"))
        let stored = String(decoding: store.read("entry-points").value ?? Data(), as: UTF8.self)
        let newer = stored.replacing(#""records":["#, with: #""records":[{"id":"n","entryPoint":{"gesture":{}}},"#)
        try store.write(text(newer), for: "entry-points")
        let next = EntryPointMailbox(store)
        next.receive(EntryPointSamples.shortcut("more"))
        next.mainScreenDidAppear()
        #expect(await next.deliver { _ in } == 2)
        #expect(String(decoding: store.read("entry-points").value ?? Data(), as: UTF8.self).contains("gesture"))
    }
}
