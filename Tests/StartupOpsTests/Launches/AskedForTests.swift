import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Steps of a launch that other parts of the app start, and the screen on top.
@Suite("Steps that the person asks for", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AskedForTests {
    /// Looks at which screen is on top whenever it is shown.
    @MainActor
    private final class Looking: TutorialPresenter, SpeakerPresenter {
        var screenOnTop: @MainActor () -> String? = { nil }
        private(set) var seen: [String?] = []
        private let choosesSpeaker: Bool

        nonisolated init(choosesSpeaker: Bool = true) { self.choosesSpeaker = choosesSpeaker }

        func showTutorial(_ pages: [TutorialPage]) async { seen.append(screenOnTop()) }

        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
            seen.append(screenOnTop())
            return choosesSpeaker ? speakers.first : nil
        }
    }

    private let device: SampleDevice
    /// Of a launch of its own, each time.
    private var options: LaunchOptions { LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300))) }

    init() throws { device = try SampleDevice() }

    @Test("F14: a guest asks to log in: the form asks, whatever the kind of onboarding; who is logged in is not asked")
    func login() async throws {
        let guest = AgreeablePerson(login: .continueAsGuest)
        #expect(try await device.launch(.firstLaunch, guest).content?.account.isAnonymous == true)
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person))
        try environment.configurations.beginTrial(
            of: AppConfiguration(version: "6", country: "DE", language: "de", onboarding: .dismissable)
        )
        try environment.configurations.confirmTrial()
        let account = try await environment.run(.login, options: options)
        #expect(account.email == "person@example.com" && person.shown == ["login"])
        #expect(try await environment.run(.login, options: options).id == account.id)
        #expect(person.shown == ["login"])
        #expect(try await device.launch().content?.account == account)
    }

    @Test(
        "F14: a guest who leaves the login form, or chooses to stay one, stays the same guest",
        arguments: [LoginAnswer.dismissed, .continueAsGuest]
    )
    func stillGuest(answer: LoginAnswer) async throws {
        let first = try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest))
        let environment = device.environment(StartupPresenters(all: AgreeablePerson(login: answer)))
        let sessions = device.service.counts["POST /oauth/token"]
        if answer == .dismissed {
            await #expect(throws: DismissedByPerson(operation: "login")) { try await environment.run(.login, options: options) }
        } else {
            #expect(try await environment.run(.login, options: options).id == first.content?.account.id)
        }
        #expect(environment.services.accounts.storedSession().value?.isAnonymous == true)
        #expect(device.service.counts["POST /oauth/token"] == sessions)
    }

    @Test("F14: the tutorial is shown again to who asks for it")
    func tutorial() async throws {
        #expect(try await device.launch().shown.contains("tutorial"))
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person))
        try await environment.run(.tutorial, options: options)
        #expect(person.shown == ["tutorial"])
        let without = device.environment(StartupPresenters())
        await #expect(throws: MissingPresenterError.self) { try await without.run(.tutorial, options: options) }
        #expect(try await device.launch().shown == ["splash", "main"])
    }

    @Test(
        "F14: the assistant asks again for a speaker; the choice takes the place of the speaker that is connected, and no choice changes nothing"
    )
    func speaker() async throws {
        #expect(try await device.launch().content?.speaker?.name == "Kitchen")
        for chooses in [true, false] {
            var presenters = StartupPresenters(all: AgreeablePerson())
            let looking = Looking(choosesSpeaker: chooses)
            presenters.speaker = looking
            let environment = device.environment(presenters)
            defer { environment.devices.closeAll() }
            #expect(try await device.run(environment.graph(.regular)).outcome == .completed)
            let before = await looking.seen
            #expect(before.isEmpty && environment.devices.all.count == 1)
            let speaker = try await environment.run(.connectSpeaker, options: options)
            #expect(speaker?.name == (chooses ? "Kitchen" : nil))
            let after = await looking.seen
            #expect(after.count == 1 && environment.devices.all.count == 1)
            #expect(environment.state.lastSpeaker.value?.name == "Kitchen" && !environment.state.hasDeclinedSpeaker)
        }
    }

    @Test(
        "F15: a launch says which screen is on top: that of the step that asks, and in the end the main screen, also under what is asked for later"
    )
    @MainActor func screenOnTop() async throws {
        let looking = Looking()
        var presenters = StartupPresenters(all: AgreeablePerson())
        presenters.tutorial = looking
        presenters.speaker = looking
        let environment = device.environment(presenters)
        defer { environment.devices.closeAll() }
        looking.screenOnTop = { environment.screenOnTop }
        #expect(environment.screenOnTop == nil)
        #expect(try await device.run(environment.graph(.firstLaunch)).outcome == .completed)
        #expect(looking.seen == ["tutorial", "connect-speaker"] && environment.screenOnTop == "main-app")
        try await environment.run(.tutorial, options: options)
        #expect(looking.seen.last == "tutorial" && environment.screenOnTop == "main-app")
    }

    @Test("F14, F15: when an update has taken the screen over, it is on top, and whatever is asked for is refused")
    @MainActor func refused() async throws {
        device.service.requireUpdate()
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person))
        #expect(try await device.run(environment.graph(.firstLaunch)).outcome.name == "aborted")
        #expect(environment.screenOnTop == "force-update")
        let shown = person.shown
        await #expect(throws: PresentationRefused.self) { try await environment.run(.login, options: options) }
        #expect(person.shown == shown && environment.screenOnTop == "force-update")
    }
}
