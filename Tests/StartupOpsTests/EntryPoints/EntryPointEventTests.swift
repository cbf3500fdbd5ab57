import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("Entry points that wait for an event", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointEventTests {
    private let store = MemoryStore()
    private let window = ExternalEvent<String>("window-connected")

    private func mailbox() -> EntryPointMailbox {
        let mailbox = EntryPointMailbox(store, now: { Date(timeIntervalSince1970: 1_000) })
        mailbox.mainScreenDidAppear()
        return mailbox
    }

    private func delivered(_ mailbox: EntryPointMailbox) async -> [String] {
        let handled = EntryPointLog()
        await mailbox.deliver { handled.add($0) }
        return handled.all
    }

    @Test("a link is delivered after its window, and what belongs to none right away")
    func afterWindow() async throws {
        let mailbox = mailbox()
        #expect(mailbox.receive(try EntryPointSamples.link("https://good.example/"), after: window) == .stored)
        mailbox.receive(EntryPointSamples.shortcut())
        #expect(await delivered(mailbox) == ["shortcut favourites"])
        #expect(mailbox.waiting().map(\.description) == ["link to home"])
        window.fulfill("main")
        #expect(await delivered(mailbox) == ["link to home"])
        mailbox.receive(try EntryPointSamples.link("https://good.example/speakers/new"), after: window)
        #expect(await delivered(mailbox) == ["link to new-speaker"], "the window is there already")
    }

    @Test("a window that connects while something is delivered is followed by what belongs to it, in the same delivery")
    func meanwhile() async throws {
        let mailbox = mailbox()
        mailbox.receive(try EntryPointSamples.link("https://good.example/"), after: window)
        mailbox.receive(EntryPointSamples.shortcut())
        let handled = EntryPointLog()
        await mailbox.deliver { [window] delivery in
            handled.add(delivery)
            window.fulfill("main")
        }
        #expect(handled.all == ["shortcut favourites", "link to home"])
    }

    @Test("where the event fails, or in a later process, nothing is lost")
    func failed() async throws {
        let mailbox = mailbox()
        mailbox.receive(try EntryPointSamples.link("https://good.example/"), after: window)
        window.fail("the scene was discarded")
        #expect(await delivered(mailbox) == ["link to home"])

        let other = ExternalEvent<Void>("other-window")
        mailbox.receive(try EntryPointSamples.link("https://good.example/speakers/new"), after: other)
        #expect(await delivered(mailbox) == [])
        #expect(await delivered(self.mailbox()) == ["link to new-speaker"])
    }

    @Test("one that comes twice waits once")
    func twice() async throws {
        let mailbox = mailbox()
        let link = try EntryPointSamples.link("https://good.example/")
        #expect(mailbox.receive(link, id: "1", after: window) == .stored)
        #expect(mailbox.receive(link, id: "1", after: window) == .duplicate)
        #expect(await delivered(mailbox) == [])
        mailbox.receive(link, id: "2")
        #expect(mailbox.receive(link, id: "2", after: window) == .duplicate)
        #expect(await delivered(mailbox) == ["link to home"], "it was there before, and waits for no window")
        window.fulfill("main")
        #expect(await delivered(mailbox) == ["link to home"])
    }

    @Test("fault D33: one that comes twice at once waits for its window all the same")
    func twiceAtOnce() async throws {
        let store = EntryPointInterruptedStore()
        let mailbox = EntryPointMailbox(store, now: { Date(timeIntervalSince1970: 1_000) })
        mailbox.mainScreenDidAppear()
        let link = try EntryPointSamples.link("https://good.example/")
        // The second call is made, and has ended, while the first is on its way to the store.
        store.interrupt { [window] in #expect(mailbox.receive(link, id: "1", after: window) == .stored) }
        #expect(mailbox.receive(link, id: "1", after: window) == .duplicate)
        #expect(await delivered(mailbox) == [])
        window.fulfill("main")
        #expect(await delivered(mailbox) == ["link to home"])
    }

    @Test("fault D34: what waits for a window does not choose the scenario")
    func origin() async throws {
        let mailbox = mailbox()
        mailbox.receive(try EntryPointSamples.push(), after: window)
        #expect(mailbox.origin(for: nil) == .icon)
        mailbox.receive(EntryPointSamples.shortcut())
        #expect(mailbox.origin(for: nil) == .shortcut)
        window.fulfill("main")
        #expect(mailbox.origin(for: nil) == .push)
    }

    @Test("the report says what an entry point waits for")
    func note() async throws {
        let mailbox = mailbox()
        mailbox.receive(try EntryPointSamples.push(), after: window)
        let operation = EntryPointOperation(mailbox: mailbox, presenter: Shown(), stage: Stage())
        let (report, _) = try await runAlone("entry-points") { launch in
            try await operation.presentPush(in: launch)
            try await operation.deliver(in: launch)
        }
        #expect(report.notes == ["push waits: it is delivered when the event that it waits for has come"])
    }

    /// Is shown nothing.
    private struct Shown: EntryPointPresenter {
        func showPush(_ push: PushPayload) async { Issue.record("a push was shown") }
        func follow(_ link: DeepLink) async {}
        func perform(_ shortcut: ShortcutItem) async {}
        func confirm(_ entryPoint: EntryPoint) async -> Bool { false }
    }
}
