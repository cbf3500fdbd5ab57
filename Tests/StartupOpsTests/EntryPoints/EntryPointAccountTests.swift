import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Entry points that are for one account, that come twice, or that are of no use any more.
@Suite("Whom entry points are for", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointAccountTests {
    private let store = MemoryStore()
    private let tune = "https://good.example/tune/\(EntryPointSamples.speakerID)?volume=1"

    private func mailbox(at seconds: TimeInterval = 1_000) -> EntryPointMailbox {
        EntryPointMailbox(store, now: { Date(timeIntervalSince1970: seconds) })
    }

    private func delivered(_ mailbox: EntryPointMailbox) async -> [String] {
        let handled = EntryPointLog()
        mailbox.mainScreenDidAppear()
        await mailbox.deliver { handled.add($0) }
        return handled.all
    }

    private func push(_ json: String) throws -> EntryPoint { .push(try PushPayloadParser(categories: []).payload(from: text(json))) }

    @Test("fault D11: what is for one account waits for it, through launches, and is handed to no other and to no guest")
    func account() async throws {
        mailbox().receive(try push(#"{"aps":{"alert":"For Ada"},"account":"ada"}"#))
        mailbox().receive(EntryPointSamples.shortcut(), for: "ada")
        let guest = mailbox()
        #expect(await delivered(guest) == [])
        guest.setSession(.loggedIn(nil))
        #expect(await delivered(guest) == [])
        guest.setSession(.loggedIn("eve"))
        #expect(await delivered(guest) == [])
        #expect(await !guest.deliver(guest.waiting()[0].id) { _ in })
        #expect(guest.waiting().map(\.account) == ["ada", "ada"])
        let next = mailbox()
        #expect(next.origin(for: "eve") == .icon && next.origin(for: "ada") == .push)
        next.setSession(.loggedIn("ada"))
        #expect(await delivered(next) == ["push", "shortcut favourites"])
    }

    @Test("fault D11: what needs a login is for the account that was logged in when it came; what came to a guest is for whoever logs in")
    func currentAccount() async throws {
        let mailbox = mailbox()
        mailbox.receive(try EntryPointSamples.link(tune), id: "guest's")
        mailbox.setSession(.loggedIn("ada"))
        mailbox.receive(try EntryPointSamples.link(tune), id: "ada's")
        mailbox.receive(EntryPointSamples.shortcut(), id: "anybody's")
        mailbox.setSession(.loggedIn("eve"))
        mailbox.mainScreenDidAppear()
        var ids: Set<String> { Set(mailbox.waiting().map(\.id)) }
        #expect(await mailbox.deliver { _ in } == 2)
        #expect(ids == ["ada's"])
        mailbox.setSession(.loggedIn("ada"))
        #expect(await mailbox.deliver { _ in } == 1)
        #expect(ids == [])
    }

    @Test("fault D30: what needs a login and starts the app is for the account whose session is stored, whoever logs in then")
    func coldStart() async throws {
        func start() -> EntryPointMailbox {
            EntryPointMailbox(store, storedAccount: { "ada" }, now: { Date(timeIntervalSince1970: 1_000) })
        }
        let mailbox = start()
        mailbox.receive(try EntryPointSamples.link(tune), id: "ada's")
        mailbox.receive(EntryPointSamples.shortcut(), id: "anybody's")
        #expect(mailbox.waiting().map(\.account) == ["ada", nil])
        // Her session has ended, and somebody else logs in.
        mailbox.setSession(.loggedIn("eve"))
        mailbox.receive(try EntryPointSamples.link(tune), id: "eve's")
        #expect(await delivered(mailbox) == ["link to tune with id, volume", "shortcut favourites"])
        #expect(mailbox.waiting().map(\.id) == ["ada's"])
        let next = start()
        #expect(await delivered(next) == [], "a stored session is nobody who is logged in")
        next.setSession(.guest)
        next.receive(try EntryPointSamples.link(tune), id: "a guest's")
        #expect(next.waiting().map(\.account) == ["ada", nil])
        next.setSession(.loggedIn("ada"))
        #expect(await delivered(next) == ["link to tune with id, volume", "link to tune with id, volume"])
    }

    @Test("fault D30: a push for the account whose session is stored is handed over before the service has said that it still is")
    func pushAtColdStart() async throws {
        mailbox().receive(try push(#"{"aps":{"alert":"For Ada"},"account":"ada"}"#), id: "ada's")
        for (account, isHandedOver) in [("eve", false), ("ada", true)] {
            let start = EntryPointMailbox(store, storedAccount: { account }, now: { Date(timeIntervalSince1970: 1_000) })
            #expect(start.waiting().map(start.isForWhoeverIsThere) == [isHandedOver])
            #expect(await start.deliver("ada's") { _ in } == isHandedOver)
        }
    }

    @Test("fault D11: what an older version of the app has stored names no account, and is for whoever there is")
    func olderFormat() async throws {
        mailbox().receive(EntryPointSamples.shortcut())
        let stored = String(decoding: store.read("entry-points").value ?? Data(), as: UTF8.self)
        #expect(!stored.contains("account") && !stored.contains("expiresAt"))
        #expect(await delivered(mailbox()) == ["shortcut favourites"])
    }

    @Test("fault D10: one that comes again after hundreds of others is known; those that the mailbox has named take no room")
    func duplicates() async throws {
        let mailbox = mailbox()
        for number in 0..<300 {
            #expect(mailbox.receive(EntryPointSamples.shortcut(), id: "\(number)") == .stored)
            mailbox.receive(EntryPointSamples.shortcut())
            #expect(await delivered(mailbox).count == 2)
        }
        for number in 0..<300 { #expect(self.mailbox().receive(EntryPointSamples.shortcut(), id: "\(number)") == .duplicate) }
        let ledger = try JSONDecoder().decode(EntryPointLedger.self, from: store.read("entry-points").value ?? Data())
        #expect(ledger.accepted.count == 300)
    }

    @Test("fault D10: what has expired is dropped with a reason, starts no launch, and is known when it comes again")
    func expiry() async throws {
        mailbox(at: 1_000).receive(EntryPointSamples.shortcut(), id: "1", expiresAt: Date(timeIntervalSince1970: 2_000))
        mailbox(at: 1_000).receive(try push(#"{"aps":{},"expires":2000.5}"#), id: "2")
        #expect(mailbox(at: 1_999).waiting().count == 2)
        let late = mailbox(at: 2_001)
        #expect(late.waiting() == [] && late.origin(for: nil) == .icon)
        #expect(await delivered(late) == [])
        #expect(late.takeLosses() == ["shortcut favourites was dropped: its time was over", "push was dropped: its time was over"])
        #expect(late.receive(EntryPointSamples.shortcut(), id: "1") == .duplicate)
    }

    @Test("fault D10: what has expired is dropped where nothing else waits, too, and once")
    func expiryAlone() throws {
        mailbox(at: 1_000).receive(EntryPointSamples.shortcut(), id: "1", expiresAt: Date(timeIntervalSince1970: 2_000))
        #expect(mailbox(at: 1_999).dropExpired() == [])
        let late = mailbox(at: 2_001)
        #expect(late.dropExpired().map(\.id) == ["1"] && late.takeLosses().count == 1)
        #expect(mailbox(at: 2_001).dropExpired() == [])
    }

    @Test(
        "fault D31: what does not say when it has expired, or cannot be understood, has expired after a week",
        arguments: ["", #","expires":"tomorrow""#, #","expires":null"#, #","expires":{}"#, #","expires":true"#]
    )
    func defaultLife(_ expiry: String) async throws {
        let week: TimeInterval = 7 * 24 * 3600
        let early = mailbox(at: 1_000)
        early.receive(try push("{\"aps\":{}\(expiry)}"), id: "1")
        early.receive(try EntryPointSamples.link("https://good.example/"))
        early.receive(EntryPointSamples.shortcut("long"), expiresAt: Date(timeIntervalSince1970: 1_000 + 2 * week))
        #expect(mailbox(at: 999 + week).waiting().count == 3)
        let late = mailbox(at: 1_000 + week)
        #expect(late.waiting().map(\.description) == ["shortcut long"])
        #expect(await delivered(late) == ["shortcut long"])
        #expect(late.takeLosses().count == 2)
        #expect(late.receive(try push(#"{"aps":{}}"#), id: "1") == .duplicate)
    }

    @Test("fault D31: what came later than now, by a clock that was wrong then, has come now; its own expiry counts as it is")
    func receivedInFuture() throws {
        let week: TimeInterval = 7 * 24 * 3600
        let wrong = mailbox(at: 1_000 + 99 * week)
        wrong.receive(EntryPointSamples.shortcut("short"))
        wrong.receive(EntryPointSamples.shortcut("long"), expiresAt: Date(timeIntervalSince1970: 1_000 + 100 * week))
        let right = mailbox(at: 1_000)
        #expect(right.dropExpired() == [] && right.waiting().count == 2)
        #expect(mailbox(at: 999 + week).dropExpired() == [])
        #expect(mailbox(at: 1_000 + week).dropExpired().map(\.entryPoint.description) == ["shortcut short"])
        #expect(mailbox(at: 1_000 + week).waiting().map(\.description) == ["shortcut long"])
    }

    @Test("fault D11: an account that a push names is read, whole numbers too; one that cannot be told is shown to nobody")
    func payloads() throws {
        let parser = PushPayloadParser(categories: [])
        #expect(try parser.payload(from: text(#"{"aps":{},"account":"ada"}"#)).account == "ada")
        #expect(try parser.payload(from: text(#"{"aps":{},"account":42}"#)).account == "42")
        #expect(try parser.payload(from: ["aps": [String: String](), "account": 42]).account == "42")
        #expect(try parser.payload(from: text(#"{"aps":{},"account":null}"#)).account == nil)
        for strange in ["1.5", "1e300", "[]", "{}", "true", "false", "9007199254740993", "-9007199254740993"] {
            #expect(throws: PushPayloadError.self, "\(strange)") { try parser.payload(from: text("{\"aps\":{},\"account\":\(strange)}")) }
        }
        #expect(try parser.payload(from: text(#"{"aps":{},"expires":1e300}"#)).expiresAt == .distantFuture)
        let strange = try parser.payload(from: text(#"{"aps":{},"expires":"soon"}"#))
        #expect(strange.expiresAt == nil && strange.problems == ["expires is a string where a number was expected"])
        #expect(try parser.payload(from: text(#"{"aps":{},"expires":null}"#)).problems == [])
    }
}
