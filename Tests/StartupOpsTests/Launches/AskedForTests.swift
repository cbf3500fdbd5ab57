import SequencerTesting
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

    /// Stays at the login form until it is taken away.
    @MainActor
    private final class Undecided: LoginPresenter {
        let isAsking = Gate()
        private let isTakenAway = Gate()

        nonisolated init() {}

        func askForLogin(problem: String?) async -> LoginAnswer {
            isAsking.open()
            await withTaskCancellationHandler {
                await isTakenAway.wait()
            } onCancel: {
                isTakenAway.open()
            }
            return .dismissed
        }

        func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
        func askToRestore(_ account: StoredSession) async -> Bool { true }
    }

    /// The real accounts; whoever logs in waits until they may.
    private struct HeldAccounts: AccountsOver {
        let real: any AccountService
        let isLoggingIn = Gate()
        let mayLogIn = Gate()

        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            isLoggingIn.open()
            await mayLogIn.wait()
            return try await real.logIn(email: email, password: password, by: deadline)
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
        try environment.configurations.know("6", onboarding: .dismissable)
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

    /// An environment of a guest, in which somebody is logging in and a second login waits for the first.
    private func twoLogins(
        _ person: AgreeablePerson
    ) async throws -> (environment: StartupEnvironment, accounts: HeldAccounts, logins: [Task<Account, any Error>]) {
        #expect(try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest)).content?.account.isAnonymous == true)
        var environment = device.environment(StartupPresenters(all: person))
        let accounts = HeldAccounts(real: environment.services.accounts)
        environment.services.accounts = accounts
        let (shared, options) = (environment, options)
        let first = Task { try await shared.run(.login, options: options) }
        await accounts.isLoggingIn.wait()
        let secondOptions = self.options
        let second = Task { try await shared.run(.login, options: secondOptions) }
        await eventually { shared.loginTurn.queueLength > 0 || person.shown.count > 1 }
        return (shared, accounts, [first, second])
    }

    @Test("F14: a guest who leaves a login half-way, at the code for a new account, is the same guest, whose session is the same")
    func leftHalfWay() async throws {
        let first = try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest))
        let guest = try #require(first.content?.account)
        var presenters = StartupPresenters(all: AgreeablePerson())
        presenters.login = FakePerson(logins: [.createAccount(email: "new@example.com", password: "correct horse")], codes: [nil])
        let environment = device.environment(presenters)
        await #expect(throws: DismissedByPerson(operation: "login")) { try await environment.run(.login, options: options) }
        let session = environment.services.accounts.storedSession().value
        #expect(session?.isAnonymous == true && session?.account == guest)
        #expect(try await environment.services.accounts.restore(by: .after(patience)).id == guest.id)
    }

    @Test("F14: a guest whose login is not completed, because the profile cannot be had, is the same guest", arguments: [true, false])
    func noProfile(isDismissed: Bool) async throws {
        let first = try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest))
        let guest = try #require(first.content?.account)
        var presenters = StartupPresenters(all: AgreeablePerson())
        presenters.login = FakePerson(logins: [
            .logIn(email: "person@example.com", password: "correct horse"), isDismissed ? .dismissed : .continueAsGuest,
        ])
        let environment = device.environment(presenters)
        device.outages.refuse("/v1/profile")
        if isDismissed {
            await #expect(throws: DismissedByPerson(operation: "login")) { try await environment.run(.login, options: options) }
        } else {
            #expect(try await environment.run(.login, options: options).id == guest.id)
        }
        #expect(environment.services.accounts.storedSession().value?.account == guest)
    }

    @Test("F14: of two who ask to log in at the same time one has the form; the other waits for its end, and uses its session")
    func twoAtOnce() async throws {
        let person = AgreeablePerson()
        let (environment, accounts, logins) = try await twoLogins(person)
        accounts.mayLogIn.open()
        for login in logins { #expect(try await login.value.email == "person@example.com") }
        #expect(person.shown == ["login"])
        #expect(environment.services.accounts.storedSession().value?.isAnonymous == false)
    }

    @Test("F14: who asks to log in beside the login form of a launch waits for that login, and uses its session")
    func besideLaunch() async throws {
        let person = AgreeablePerson()
        var made = device.environment(StartupPresenters(all: person))
        let accounts = HeldAccounts(real: made.services.accounts)
        made.services.accounts = accounts
        let environment = made
        defer { environment.devices.closeAll() }
        let (phone, graph, askedOptions) = (device, environment.graph(.firstLaunch), options)
        let launch = Task { try await phone.run(graph) }
        await accounts.isLoggingIn.wait()
        let asked = Task { try await environment.run(.login, options: askedOptions) }
        await eventually { environment.loginTurn.queueLength > 0 }
        accounts.mayLogIn.open()
        #expect(try await launch.value.outcome == .completed)
        #expect(try await asked.value.email == "person@example.com")
        #expect(person.shown.filter { $0 == "login" }.count == 1)
    }

    @Test("F14: a login that waits for another one and is cancelled ends at once, and leaves the other one alone")
    func cancelledWhileWaiting() async throws {
        let person = AgreeablePerson()
        let (environment, accounts, logins) = try await twoLogins(person)
        logins[1].cancel()
        await #expect(throws: (any Error).self) { try await logins[1].value }
        #expect(environment.loginTurn.queueLength == 0)
        accounts.mayLogIn.open()
        #expect(try await logins[0].value.email == "person@example.com")
        #expect(person.shown == ["login"])
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

    @Test("F14: what is asked for may wait for longer than a launch may take; a deadline that is given holds")
    func noDeadline() async throws {
        let patientStep = StartupStep<@Sendable (StepContext, LoadedConfiguration?) async throws -> Int>(
            "patient",
            "Wait for the screen",
            expected: .seconds(1),
            simulated: { _ in
                return { _, _ in 1 }
            },
            work: { _ in
                return { step, _ in
                    try await step.sleep(for: .seconds(600))
                    return 1
                }
            }
        )
        let environment = device.environment(StartupPresenters())
        #expect(try await environment.run(patientStep, options: options) == 1)
        var limited = options
        limited.deadline = .seconds(30)
        await #expect(throws: (any Error).self) { try await environment.run(patientStep, options: limited) }
    }

    @Test("F14, F15: when an update has taken the screen over, it is on top, and whatever is asked for is refused")
    @MainActor func refused() async throws {
        device.service.requireUpdate()
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person))
        // The check alone: in a whole launch the person may have logged in before its verdict, and is asked no more.
        var graph = OperationGraph("check")
        graph.add(.forceUpdate, of: StartupSteps(environment))
        #expect(try await device.run(graph).outcome.name == "aborted")
        #expect(environment.screenOnTop == "force-update")
        let shown = person.shown
        await #expect(throws: PresentationRefused.self) { try await environment.run(.login, options: options) }
        #expect(person.shown == shown && environment.screenOnTop == "force-update")
    }

    @Test("F14: an update that takes the screen over ends the login that asks, and the one that waits for it: both are refused")
    func takenOver() async throws {
        _ = try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest))
        var presenters = StartupPresenters(all: AgreeablePerson())
        let undecided = Undecided()
        presenters.login = undecided
        let (environment, firstOptions, secondOptions) = (device.environment(presenters), options, options)
        let first = Task { try await environment.run(.login, options: firstOptions) }
        await undecided.isAsking.wait()
        let second = Task { try await environment.run(.login, options: secondOptions) }
        await eventually { environment.loginTurn.queueLength == 1 }
        device.service.requireUpdate()
        var graph = OperationGraph("check")
        graph.add(.forceUpdate, of: StartupSteps(environment))
        #expect(try await device.run(graph).outcome.name == "aborted")
        for login in [first, second] { await #expect(throws: PresentationRefused.self) { try await login.value } }
        #expect(environment.services.accounts.storedSession().value?.isAnonymous == true)
    }
}
