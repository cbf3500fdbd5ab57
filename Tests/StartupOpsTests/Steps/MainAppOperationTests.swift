import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("The main screen", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MainAppOperationTests {
    private let person = AgreeablePerson()
    private let store = MemoryStore()

    private func content(_ onboarding: OnboardingType? = nil, from source: LoadedConfiguration.Source = .remote, isGuest: Bool = false)
        -> MainContent
    {
        MainContent(
            configuration: LoadedConfiguration(
                AppConfiguration(version: "7", country: "DE", language: "de", onboarding: onboarding),
                from: source
            ),
            account: Account(id: "7", name: "Person", isAnonymous: isGuest),
            speaker: nil
        )
    }

    private func run(
        _ content: MainContent,
        in store: (any DataStore)? = nil,
        presenter: (any MainPresenter)? = nil,
        problems: [StorageError] = [],
        earlyOnboarding: OnboardingType? = nil,
        mailbox: EntryPointMailbox = EntryPointMailbox(MemoryStore())
    ) async throws -> OperationReport {
        let store = store ?? self.store
        let operation = MainAppOperation(
            presenter: presenter,
            store: store,
            mailbox: mailbox,
            directory: .over(cache: MemoryStore(), problems: problems),
            earlyOnboarding: earlyOnboarding
        )
        return try await runAlone("main-app") { launch in try await operation.run(content, in: launch) }.report
    }

    @Test(
        "A40, B17, B26: the main screen is shown, then the launch counts: it is the first no more, and its configuration is one to fall back on"
    )
    func recorded() async throws {
        let configurations = ConfigurationStore(store)
        try configurations.beginTrial(of: AppConfiguration(version: "7", country: "DE", language: "de"))
        #expect(LaunchState(store).isFirstLaunch)
        #expect(try await run(content(), presenter: person).outcome == .succeeded)
        #expect(person.shown == ["main"])
        #expect(!LaunchState(store).isFirstLaunch && LaunchState(store).appStarts == 1)
        #expect(configurations.lastKnown.source == .cached && configurations.onTrial == nil)
        _ = try await run(content(isGuest: true))
        #expect(LaunchState(store).appStarts == 1, "a guest's start is not counted")
    }

    @Test("what came in and was refused, or left out of a push, is in the report, without what it carried")
    func refused() async throws {
        let mailbox = EntryPointMailbox(MemoryStore())
        let router = try EntryPointSamples.router()
        func refuse(_ text: String) {
            do { mailbox.receive(.link(try router.link(text))) } catch { mailbox.refuse(because: error) }
        }
        for _ in 0..<2 { refuse("ftp://good.example/CANARY") }
        refuse("https://good.example/reset?code=CANARY&code=CANARY")
        mailbox.refuse(because: CancellationError())
        let parser = PushPayloadParser(categories: [])
        mailbox.receive(.push(try parser.payload(from: Data(#"{"aps":{"alert":7},"url":"CANARY"}"#.utf8))))
        let report = try await run(content(), presenter: person, mailbox: mailbox)
        #expect(
            report.notes == [
                "2 times: link refused (ftp:): the scheme is none of http, https, speakers",
                "link refused (route reset): parameter code is there twice",
                "an entry point was refused: CancellationError",
                "a part of a push was left out: aps.alert is a number where a text or an object was expected",
                "a part of a push was left out: url was ignored: the app follows no links in pushes",
            ]
        )
        #expect(mailbox.takeLosses() == [])
        for number in 1...10 { mailbox.refuse(because: UnknownShortcutItem(type: "\(number)", nearest: nil)) }
        #expect(mailbox.takeLosses().count == 9 && mailbox.takeLosses().isEmpty)
    }

    @Test("A11: where the update has the screen, nothing is shown, and the launch is not recorded as one")
    func takenOver() async throws {
        let stage = Stage()
        await stage.takeOver(by: "force-update") {}
        let operation = MainAppOperation(presenter: person, stage: stage, store: store)
        let content = content()
        let (report, _) = try await runAlone("main-app") { launch in try await operation.run(content, in: launch) }
        #expect(report.message == "main-app may not present: force-update has taken over the screen")
        #expect(person.shown.isEmpty && LaunchState(store).isFirstLaunch)
    }

    @Test("What cannot be recorded is noted, each by itself, and the app starts")
    func notRecorded() async throws {
        let failing = FailingSecureStore()
        failing.fail { $0.lock = FailingSecureStore.error }
        let report = try await run(content(), in: failing, presenter: person)
        #expect(report.outcome == .succeeded && person.shown == ["main"])
        #expect(report.notes.count == 1 && report.notes.first?.hasPrefix("the start could not be recorded: ") == true)
        // Counting the start needs the store to itself; that must not make the next launch the first one again.
        #expect(!LaunchState(failing).isFirstLaunch)
    }

    @Test("fault S1: what is only kept in memory is noted, with the reason")
    func inMemory() async throws {
        let problem = StorageError(.noSpace, "/state", "there is no room")
        #expect(
            try await run(content(), problems: [problem]).notes == [
                "kept in memory, and only until the app ends: /state: there is no room"
            ]
        )
    }

    @Test(
        "B66: a launch that was decided with one kind of onboarding, before a configuration came that says another, names both",
        arguments: OnboardingType.allCases,
        OnboardingType.allCases
    )
    func lateOnboarding(_ decided: OnboardingType, _ fetched: OnboardingType) async throws {
        let notes = try await run(content(fetched), earlyOnboarding: decided).notes
        guard decided != fetched else { return #expect(notes.isEmpty) }
        #expect(
            notes == [
                "the launch was decided with \(decided.rawValue) onboarding, before the configuration came that says \(fetched.rawValue): "
                    + "\(fetched.rawValue) counts from the next launch"
            ]
        )
    }

    @Test("B66: nothing is late where nothing was decided early, the server has not answered, or it leaves the matter to the app")
    func notLate() async throws {
        #expect(try await run(content(.dismissable)).notes.isEmpty)
        for source in [LoadedConfiguration.Source.cached, .bundled] {
            #expect(try await run(content(.dismissable, from: source), earlyOnboarding: .regular).notes.isEmpty)
        }
        #expect(try await run(content(nil), earlyOnboarding: .regular).notes.isEmpty)
    }
}
