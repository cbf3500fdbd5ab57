import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("The mailbox of entry points: stores and processes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointMailboxStoreTests {
    /// One that processes share.
    private static func store(_ path: String) throws -> FileStore {
        try FileStore(directory: URL(fileURLWithPath: path), lockTimeout: .seconds(300))
    }

    private func mailbox(_ store: any DataStore, process: EntryPointProcess = EntryPointProcess(), at seconds: Double = 1_000)
        -> EntryPointMailbox
    {
        EntryPointMailbox(
            store,
            capacity: 100,
            delay: .zero,
            now: { Date(timeIntervalSince1970: seconds) },
            sleep: { _ in },
            process: process
        )
    }

    private func delivered(_ mailbox: EntryPointMailbox) async -> [String] {
        let handled = EntryPointLog()
        mailbox.mainScreenDidAppear()
        await mailbox.deliver { handled.add($0) }
        return handled.all
    }

    @Test("B55, B56, fault L20: what arrived survives a kill; what was being delivered comes again, marked")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder("store").path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder("store").path as String] in
            let mailbox = EntryPointMailbox(try EntryPointMailboxStoreTests.store(path))
            mailbox.receive(try EntryPointSamples.push())
            mailbox.receive(try EntryPointSamples.link("https://good.example/speakers/new"))
            mailbox.receive(EntryPointSamples.shortcut())
            mailbox.mainScreenDidAppear()
            await mailbox.deliver { delivery in
                if case .link = delivery.entryPoint { kill(getpid(), SIGKILL) }
            }
        }
        let nextLaunch = mailbox(store, at: Date().timeIntervalSince1970)
        #expect(nextLaunch.waiting().map(\.isRedelivery) == [true, false])
        #expect(await delivered(nextLaunch) == ["link to new-speaker, again", "shortcut favourites"])
        #expect(await delivered(mailbox(store)) == [])
    }

    @Test("B59: what one process is delivering no other delivers, until it dies or takes ten minutes")
    func twoDeliverers() async throws {
        let store = MemoryStore()
        let areAlive = Locked(true)
        func process(_ number: Int32) -> EntryPointProcess {
            EntryPointProcess(number: number, isAlive: { _ in areAlive.withLock { $0 } })
        }
        let app = mailbox(store, process: process(1))
        let other = mailbox(store, process: process(2), at: 1_600)
        let late = mailbox(store, process: process(3), at: 1_601)
        app.receive(EntryPointSamples.shortcut())
        app.mainScreenDidAppear()
        await app.deliver { _ in
            #expect(await delivered(other) == [])
            #expect(other.waiting() == [])
            #expect(late.waiting().map(\.isRedelivery) == [true])
            areAlive.withLock { $0 = false }
            #expect(await delivered(other) == ["shortcut favourites, again"])
        }
        #expect(await delivered(other) == [])
    }

    @Test("B56: a store that cannot be read keeps nothing from being delivered, and what it holds is not overwritten")
    func unreadableStore() async throws {
        let store = FailingSecureStore()
        mailbox(store).receive(EntryPointSamples.shortcut("stored"))
        store.fail { $0.reads = FailingSecureStore.error }
        let mailbox = mailbox(store)
        let receipt = mailbox.receive(EntryPointSamples.shortcut("in memory"))
        #expect(receipt == .keptInMemory(FailingSecureStore.error))
        #expect(mailbox.receive(EntryPointSamples.shortcut("second"), id: "2") != .stored)
        #expect(mailbox.receive(EntryPointSamples.shortcut("second"), id: "2") == .duplicate)
        #expect(await delivered(mailbox) == ["shortcut in memory", "shortcut second"])
        #expect(await delivered(mailbox) == [])
        mailbox.receive(EntryPointSamples.shortcut("third"))
        store.fail { $0.reads = nil }
        #expect(mailbox.receive(EntryPointSamples.shortcut("fourth")) == .stored)
        #expect(mailbox.receive(EntryPointSamples.shortcut("second"), id: "2") == .duplicate)
        let nextLaunch = self.mailbox(store)
        #expect(await delivered(nextLaunch) == ["shortcut stored", "shortcut third", "shortcut fourth"])
    }

    @Test("B56: a store that cannot be written, or locked, delivers once all the same", arguments: [true, false])
    func unwritableStore(locking: Bool) async throws {
        let store = FailingSecureStore()
        let mailbox = mailbox(store)
        mailbox.receive(EntryPointSamples.shortcut("before"))
        store.fail { if locking { $0.lock = FailingSecureStore.error } else { $0.writes = FailingSecureStore.error } }
        mailbox.receive(EntryPointSamples.shortcut("after"))
        mailbox.mainScreenDidAppear()
        #expect(await delivered(mailbox) == (locking ? ["shortcut after"] : ["shortcut before", "shortcut after"]))
        #expect(await delivered(mailbox) == [])
        store.fail { $0 = .init() }
        #expect(await delivered(mailbox) == (locking ? ["shortcut before"] : []))
        #expect(await delivered(self.mailbox(store)) == [])
    }

    @Test("B56, fault S5: of what is stored, what cannot be read stays as it is; garbage is nothing")
    func corruptStore() async throws {
        let store = MemoryStore()
        mailbox(store).receive(EntryPointSamples.shortcut("good"))
        let text = String(decoding: store.read("entry-points").value ?? Data(), as: UTF8.self)
        store.write(Data(text.replacing("\"records\":[", with: "\"records\":[7,{\"id\":\"x\"},").utf8), for: "entry-points")
        let reader = mailbox(store)
        #expect(await delivered(reader) == ["shortcut good"])
        let left = String(decoding: store.read("entry-points").value ?? Data(), as: UTF8.self)
        #expect(left.contains("\"records\":[7,{\"id\":\"x\"}]"), "\(left)")
        for garbage in ["", "null", "{}", "[]", "\u{0}", "{\"records\":{}}", "{\"records\":[],\"nextNumber\":1e300,\"accepted\":7}"] {
            store.write(Data(garbage.utf8), for: "entry-points")
            let mailbox = mailbox(store)
            #expect(mailbox.receive(EntryPointSamples.shortcut()) == .stored)
            #expect(await delivered(mailbox) == ["shortcut favourites"], "\(garbage)")
        }
    }

    @Test("fault D7: what a mailbox tells shows nothing of what links and pushes carry")
    func redacted() async throws {
        let store = FailingSecureStore()
        let mailbox = mailbox(store)
        mailbox.receive(try EntryPointSamples.link("https://good.example/reset?code=CANARY"))
        mailbox.receive(try EntryPointSamples.push("CANARY"))
        mailbox.mainScreenDidAppear()
        await mailbox.deliver { _ in throw StorageError(.corrupt, "CANARY", "CANARY") }
        store.fail { $0.writes = FailingSecureStore.error }
        for _ in 0..<3 { await mailbox.deliver { _ in throw StorageError(.corrupt, "CANARY", "CANARY") } }
        let told = mailbox.takeLosses() + mailbox.stop().map(\.description)
        #expect(told.count == 2 && !told.joined().contains("CANARY"), "\(told)")
    }
}
