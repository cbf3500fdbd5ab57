import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("The mailbox of entry points", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointMailboxTests {
    private struct Refused: Error {}

    private let log = EntryPointLog()
    private let new = "https://good.example/speakers/new"
    private let tune = "https://good.example/tune/\(EntryPointSamples.speakerID)?volume=1"

    private func mailbox(_ store: any DataStore = MemoryStore(), capacity: Int = 32) -> EntryPointMailbox {
        EntryPointMailbox(store, capacity: capacity, now: { Date(timeIntervalSince1970: 1_000) })
    }

    /// Delivers all there is, and tells what it was.
    private func delivered(_ mailbox: EntryPointMailbox) async -> [String] {
        let handled = EntryPointLog()
        await mailbox.deliver { handled.add($0) }
        return handled.all
    }

    @Test("B54, B55, B57, B58: nothing is delivered before the main screen is visible, and all of it right then, without a delay")
    func mainScreen() async throws {
        let mailbox = EntryPointMailbox(MemoryStore(), sleep: { _ in Issue.record("nobody may wait") })
        #expect(mailbox.receive(try EntryPointSamples.push()) == .stored)
        #expect(mailbox.receive(try EntryPointSamples.link(new)) == .stored)
        #expect(mailbox.receive(EntryPointSamples.shortcut()) == .stored)
        #expect(await delivered(mailbox) == [])
        mailbox.mainScreenDidAppear()
        #expect(await delivered(mailbox) == ["push", "link to new-speaker", "shortcut favourites"])
        #expect(await delivered(mailbox) == [])
        #expect(mailbox.waiting() == [])
    }

    @Test("B55: a delay that is cancelled delivers nothing, and loses nothing")
    func cancelledDelay() async throws {
        let mailbox = EntryPointMailbox(MemoryStore(), delay: .seconds(Int64.max), sleep: { _ in throw CancellationError() })
        mailbox.receive(EntryPointSamples.shortcut())
        mailbox.mainScreenDidAppear()
        #expect(await delivered(mailbox) == [])
        #expect(mailbox.waiting().count == 1)
        #expect(mailbox.delay == .seconds(60))
    }

    @Test("fault L20: push, link and shortcut of one cold start are all delivered once: by kind, then in the order they came")
    func order() async throws {
        let mailbox = mailbox()
        let entries = try coldStart()
        for entry in entries { mailbox.receive(entry) }
        #expect(mailbox.waiting().map(\.entryPoint) == [2, 5, 1, 4, 0, 3].map { entries[$0] })
        mailbox.mainScreenDidAppear()
        let order = EntryPointLog()
        let count = await mailbox.deliver { delivery in order.add("\(entries.firstIndex(of: delivery.entryPoint) ?? -1)") }
        #expect(count == 6)
        #expect(order.all == ["2", "5", "1", "4", "0", "3"])
    }

    /// What has arrived before the app runs, in no order.
    private func coldStart() throws -> [EntryPoint] {
        [
            EntryPointSamples.shortcut("one"), try EntryPointSamples.link(new), try EntryPointSamples.push(),
            EntryPointSamples.shortcut("two"),
            try EntryPointSamples.link("https://good.example/"), try EntryPointSamples.push("again"),
        ]
    }

    @Test("B59, fault L20: every order of arrival gives every entry point, once, also when many deliver at the same time")
    func concurrentDeliveries() async throws {
        let store = MemoryStore()
        let mailbox = mailbox(store, capacity: 100)
        let handled = EntryPointLog()
        mailbox.mainScreenDidAppear()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    mailbox.receive(EntryPointSamples.shortcut("\(number)"))
                    await mailbox.deliver { handled.add($0) }
                }
            }
        }
        await mailbox.deliver { handled.add($0) }
        #expect(handled.all.sorted() == (0..<50).map { "shortcut \($0)" }.sorted())
    }

    @Test("B54: what is received while another is being delivered is delivered by the same call")
    func whileDelivering() async throws {
        let mailbox = mailbox()
        mailbox.mainScreenDidAppear()
        mailbox.receive(EntryPointSamples.shortcut("one"))
        let handled = EntryPointLog()
        let count = await mailbox.deliver { delivery in
            handled.add(delivery)
            if handled.all.count == 1 {
                mailbox.receive(EntryPointSamples.shortcut("two"))
                #expect(await mailbox.deliver { _ in Issue.record("two deliver at once") } == 0)
            }
        }
        #expect(count == 2)
        #expect(handled.all == ["shortcut one", "shortcut two"])
    }

    @Test("B57: what the system tells of twice is kept once, before and after it was delivered")
    func duplicates() async throws {
        let mailbox = mailbox()
        #expect(mailbox.receive(EntryPointSamples.shortcut(), id: "request-1") == .stored)
        #expect(mailbox.receive(EntryPointSamples.shortcut(), id: "request-1") == .duplicate)
        mailbox.mainScreenDidAppear()
        #expect(await delivered(mailbox).count == 1)
        #expect(mailbox.receive(EntryPointSamples.shortcut(), id: "request-1") == .duplicate)
        #expect(mailbox.receive(EntryPointSamples.shortcut(), id: "request-2") == .stored)
    }

    @Test("B56, fault D12: under a required update nothing is delivered; it is reported, and waits for the next launch")
    func requiredUpdate() async throws {
        let store = MemoryStore()
        let mailbox = mailbox(store)
        mailbox.receive(try EntryPointSamples.push())
        #expect(mailbox.stop().map(\.description) == ["push"])
        mailbox.mainScreenDidAppear()
        #expect(await delivered(mailbox) == [])
        mailbox.receive(try EntryPointSamples.link(new))

        let nextLaunch = self.mailbox(store)
        nextLaunch.mainScreenDidAppear()
        #expect(await delivered(nextLaunch) == ["push", "link to new-speaker"], "neither was delivered before")
    }

    @Test("fault D12: an update that is required while entry points are delivered stops before the next one")
    func lateUpdate() async throws {
        let mailbox = mailbox()
        mailbox.mainScreenDidAppear()
        for name in ["one", "two"] { mailbox.receive(EntryPointSamples.shortcut(name)) }
        let count = await mailbox.deliver { _ in _ = mailbox.stop() }
        #expect(count == 1)
        #expect(mailbox.waiting().map(\.description) == ["shortcut two"])
    }

    @Test(
        "fault D12: a handler that runs when the screen is taken over is told to cancel, and shows nothing; what it had is kept, uncounted"
    )
    @MainActor
    func handlerUnderUpdate() async throws {
        let mailbox = mailbox()
        mailbox.mainScreenDidAppear()
        mailbox.receive(EntryPointSamples.shortcut())
        let (stage, hasBegun) = (Stage(), Gate())
        stage.takenOver.whenSettled(.atOnce) { _ in mailbox.stopDelivering() }
        let delivery = Task {
            await mailbox.deliver { _ in
                hasBegun.open()
                try? await Task.sleep(for: .seconds(600))
                try await stage.present(by: "link") { _ = Issue.record("presented") }
            }
        }
        await hasBegun.wait()
        await stage.takeOver(by: "force-update") {}
        #expect(await delivery.value == 0)
        #expect(mailbox.waiting().map(\.isRedelivery) == [false])
        #expect(await mailbox.deliver { _ in Issue.record("delivered") } == 0)
    }

    @Test("B56: a handler that throws gets it again with the next delivery, marked, and three times in all")
    func postponed() async throws {
        let mailbox = mailbox()
        mailbox.mainScreenDidAppear()
        mailbox.receive(EntryPointSamples.shortcut())
        let seen = EntryPointLog()
        for _ in 0..<5 {
            await mailbox.deliver { delivery in
                seen.add(delivery)
                throw Refused()
            }
        }
        #expect(seen.all == ["shortcut favourites", "shortcut favourites, again", "shortcut favourites, again"])
        #expect(mailbox.takeLosses() == ["shortcut favourites was dropped: 3 deliveries began and none ended well"])
        #expect(mailbox.waiting() == [])
    }

    @Test("B56: a cancelled delivery does not count, and the rest waits")
    func cancelled() async throws {
        let mailbox = mailbox()
        mailbox.mainScreenDidAppear()
        for name in ["one", "two"] { mailbox.receive(EntryPointSamples.shortcut(name)) }
        let task = Task {
            await mailbox.deliver { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            }
        }
        #expect(await task.value == 0)
        #expect(mailbox.waiting().map(\.description) == ["shortcut one", "shortcut two"])
        #expect(await delivered(mailbox) == ["shortcut one", "shortcut two"])
    }

    @Test("B56: of more than there is room for, the oldest are dropped, and reported")
    func bounded() async throws {
        let mailbox = mailbox(capacity: 3)
        for number in 0..<5 { mailbox.receive(EntryPointSamples.shortcut("\(number)")) }
        #expect(mailbox.waiting().map(\.description) == ["shortcut 2", "shortcut 3", "shortcut 4"])
        #expect(
            mailbox.takeLosses()
                == (0..<2).map { "shortcut \($0) was dropped: more than 3 entry points were waiting, and it was the oldest" }
        )
    }
}
