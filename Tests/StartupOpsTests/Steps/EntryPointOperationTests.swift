import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("What started the app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointOperationTests {
    /// Shows what it is given, and stays on a push until it is dismissed.
    private struct Screen: EntryPointPresenter {
        let shown = Locked<[String]>([])
        /// Nil leaves without an answer.
        var confirms: Bool? = true
        var dismissal: (@Sendable () async -> Void)?

        private func show(_ text: String) { shown.withLock { $0.append(text) } }

        func showPush(_ push: PushPayload) async {
            show("push \(push.body ?? "")")
            await dismissal?()
        }

        func follow(_ link: DeepLink) async { show("link \(link.route)") }
        func perform(_ shortcut: ShortcutItem) async { show("shortcut \(shortcut.type)") }

        struct NoAnswer: Error {}

        func confirm(_ entryPoint: EntryPoint) async throws -> Bool {
            show("confirm")
            guard let confirms else { throw NoAnswer() }
            return confirms
        }
    }

    private let mailbox = EntryPointMailbox(MemoryStore())

    /// The push graph around the operation: the content first, then the main screen, then whatever else waits.
    private func launch(
        _ screen: Screen?,
        by clock: VirtualClock = VirtualClock(patience: .seconds(300))
    ) async throws -> LaunchReport {
        let operation = EntryPointOperation(mailbox: mailbox, presenter: screen, stage: Stage())
        let mailbox = mailbox
        var steps = StartupSteps.simulated()
        steps[.presentPushInformation] = { launch in try await operation.presentPush(in: launch) }
        steps[.mainApp] = { _, _ in
            screen?.shown.withLock { $0.append("main") }
            mailbox.mainScreenDidAppear()
        }
        steps[.deeplink] = { launch in try await operation.deliver(in: launch) }
        var graph = Scenario.push.graph(steps)
        graph.addAfterMain(.deeplink, of: steps)
        return try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: clock)).report
    }

    @Test("A27: a push that started the app is shown before the main screen, which appears when the person has dismissed it")
    func push() async throws {
        mailbox.receive(try EntryPointSamples.push("Hello"))
        let isDismissed = Gate()
        let mainBeforeDismissal = Locked<Bool?>(nil)
        let shown = Locked<[String]>([])
        var screen = Screen()
        let seen = screen.shown
        let clock = VirtualClock(patience: .seconds(300))
        screen.dismissal = {
            try? await clock.sleep(for: .seconds(1))
            mainBeforeDismissal.withLock { $0 = seen.withLock { $0.contains("main") } }
            shown.withLock { $0 = seen.withLock { $0 } }
            isDismissed.open()
        }
        let report = try await launch(screen, by: clock)
        await isDismissed.wait()
        #expect(report.outcome == .completed && mainBeforeDismissal.withLock { $0 } == false)
        #expect(shown.withLock { $0 } == ["push Hello"] && seen.withLock { $0 } == ["push Hello", "main"])
        #expect(report["present-push-information"]?.isInteractive == true)
        let (push, main) = (try #require(report["present-push-information"]), try #require(report["main-app"]?.start))
        #expect(main >= push.end && push.end >= .seconds(1))
        #expect(mailbox.waiting().isEmpty)
    }

    @Test("B55: a delay that the app has set passes by the clock of the launch, between the main screen and the first delivery")
    func delay() async throws {
        mailbox.delay = .seconds(2)
        mailbox.receive(try EntryPointSamples.link("https://good.example/"))
        mailbox.receive(EntryPointSamples.shortcut())
        let screen = Screen()
        let report = try await launch(screen)
        #expect(report.outcome == .completed && report["deeplink"]?.duration == .seconds(2))
        #expect(screen.shown.withLock { $0 } == ["main", "link home", "shortcut favourites"])
        mailbox.delay = .seconds(-1)
        #expect(mailbox.delay == .zero)
    }

    /// Takes what the app has of its own, too.
    private struct OwnScreen: EntryPointPresenter {
        struct Refusal: Error {}
        let shown = Locked<[String]>([])
        var takes = true

        private func take(_ text: String) throws {
            if !takes { throw Refusal() }
            shown.withLock { $0.append(text) }
        }

        func showPush(_ push: PushPayload) async { shown.withLock { $0.append("push") } }
        func follow(_ link: DeepLink) async {}
        func perform(_ shortcut: ShortcutItem) async {}
        func confirm(_ entryPoint: EntryPoint) async -> Bool { true }
        func enter(by entryPoint: AppEntryPoint) async throws { try take("\(entryPoint) \(entryPoint.content(as: [Int].self))") }
        func takeSilentPush(_ push: PushPayload) async throws { try take("\(push)") }
    }

    private func receiveOwn() throws {
        mailbox.receive(.app(try AppEntryPoint("handoff", [4711])))
        let parser = PushPayloadParser(categories: [])
        mailbox.receive(.push(try parser.payload(from: Data(#"{"aps":{"content-available":1}}"#.utf8))))
    }

    @Test("fault D32: a silent push, and a kind of the app's own, go to methods of their own; nobody is shown a push")
    func own() async throws {
        try receiveOwn()
        #expect(mailbox.origin(for: nil) == .link)
        mailbox.mainScreenDidAppear()
        let screen = OwnScreen()
        let operation = EntryPointOperation(mailbox: mailbox, presenter: screen, stage: Stage())
        _ = try await runAlone("present-push-information") { launch in try await operation.presentPush(in: launch) }
        #expect(screen.shown.withLock { $0 } == [])
        let (report, _) = try await runAlone("deeplink") { launch in try await operation.deliver(in: launch) }
        #expect(screen.shown.withLock { $0 } == ["silent push", "handoff [4711]"])
        #expect(report.notes == [] && mailbox.waiting().isEmpty)
    }

    @Test("fault D32: what a presenter does not take is kept, and the report says so, without what it carries")
    func notTaken() async throws {
        try receiveOwn()
        mailbox.mainScreenDidAppear()
        let plain = EntryPointOperation(mailbox: mailbox, presenter: Screen(), stage: Stage())
        let (report, _) = try await runAlone("deeplink") { launch in try await plain.deliver(in: launch) }
        #expect(
            report.notes == [
                "silent push was not taken: the presenter has no method takeSilentPush(_:)",
                "handoff was not taken: the presenter has no method enter(by:)",
                "silent push waits: it is delivered at the next resume or launch",
                "handoff waits: it is delivered at the next resume or launch",
            ]
        )
        let refusing = EntryPointOperation(mailbox: mailbox, presenter: OwnScreen(takes: false), stage: Stage())
        let (second, _) = try await runAlone("deeplink") { launch in try await refusing.deliver(in: launch) }
        #expect(second.notes.prefix(2) == ["silent push was not taken", "handoff was not taken"])
        #expect(!"\(report) \(second)".contains("4711") && mailbox.waiting().count == 2)
    }

    @Test("B56: what was not taken three times is dropped, and the report says so")
    func dropped() async throws {
        mailbox.receive(.app(try AppEntryPoint("handoff", [4711])))
        mailbox.mainScreenDidAppear()
        let refusing = EntryPointOperation(mailbox: mailbox, presenter: OwnScreen(takes: false), stage: Stage())
        for number in 1...3 {
            let (report, _) = try await runAlone("deeplink") { launch in try await refusing.deliver(in: launch) }
            let isDropped = report.notes.contains { $0.contains("3 deliveries began and none ended well") }
            #expect(isDropped == (number == 3) && mailbox.waiting().isEmpty == isDropped, "\(number): \(report.notes)")
        }
    }

    @Test(
        "fault D6: what changes something is confirmed first; what is refused is left out, what has no answer is kept, and the report says so",
        arguments: [true, false, nil] as [Bool?]
    )
    func confirmed(confirms: Bool?) async throws {
        mailbox.receive(try EntryPointSamples.link("https://good.example/reset?code=canary-4711"))
        var screen = Screen()
        screen.confirms = confirms
        let operation = EntryPointOperation(mailbox: mailbox, presenter: screen, stage: Stage())
        mailbox.mainScreenDidAppear()
        let (report, _) = try await runAlone("deeplink") { launch in try await operation.deliver(in: launch) }
        #expect(screen.shown.withLock { $0 } == (confirms == true ? ["confirm", "link reset"] : ["confirm"]))
        let notes =
            switch confirms {
            case true?: [String]()
            case false?: ["was not confirmed, and was left out"]
            case nil: ["was not taken", "waits: it is delivered at the next resume or launch"]
            }
        #expect(report.notes == notes.map { "link to reset with code \($0)" } && report.isInteractive)
        #expect(!"\(report)".contains("canary") && mailbox.waiting().isEmpty == (confirms != nil))
    }

    @Test("A27, fault O17: where nothing can be shown the operation fails by name, the main screen appears, and nothing is lost")
    func nobody() async throws {
        mailbox.receive(try EntryPointSamples.push())
        let report = try await launch(nil)
        #expect(report.outcome == .completed)
        #expect(report["present-push-information"]?.message?.hasPrefix("there is no presenter for present-push-information") == true)
        #expect(mailbox.waiting().count == 1)
    }

    @Test("A11, B56, fault D12: where the update has taken the screen over, a push is not shown, and is kept")
    func takenOver() async throws {
        mailbox.receive(try EntryPointSamples.push())
        let screen = Screen()
        let stage = Stage()
        await stage.takeOver(by: "force-update") {}
        let operation = EntryPointOperation(mailbox: mailbox, presenter: screen, stage: stage)
        _ = try await runAlone("present-push-information") { launch in try await operation.presentPush(in: launch) }
        #expect(screen.shown.withLock { $0 }.isEmpty && mailbox.waiting().count == 1)
    }
}
