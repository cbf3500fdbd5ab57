import Sequencer

@testable import StartupNetworking
@testable import StartupOps

/// A person who logs in, reads the tutorial and takes the first speaker; who can get no further with an account goes on as a guest.
@MainActor
final class AgreeablePerson: SplashPresenter, UpdatePresenter, RegionPresenter, LoginPresenter, TutorialPresenter, SpeakerPresenter,
    EntryPointPresenter, MainPresenter
{
    private struct State {
        var shown: [String] = []
        var content: MainContent?
    }

    private nonisolated let state = Locked(State())
    /// What happens while the onboarding shows.
    var onOnboarding: @Sendable () async -> Void = {}
    private let login: LoginAnswer

    nonisolated init(login: LoginAnswer = .logIn(email: "person@example.com", password: "correct horse")) { self.login = login }

    /// The screens, in order.
    nonisolated var shown: [String] { state.withLock { $0.shown } }
    /// What the main screen was made of; nil when it was not shown.
    nonisolated var content: MainContent? { state.withLock { $0.content } }

    private func show(_ screen: String) { state.withLock { $0.shown.append(screen) } }

    func showSplash() async { show("splash") }
    func splashEnded() async {}

    func showUpdate(_ decision: UpdateDecision) async {
        if case .maintenance = decision { show("maintenance") } else { show("update") }
    }

    func recommendUpdate(_ version: SemanticVersion) { show("recommended \(version)") }

    func chooseRegion(from countries: [Country]) async -> Region? {
        show("region")
        return countries.first.map { Region(country: $0.code, language: $0.languages.first ?? "en") }
    }

    func askForLogin(problem: String?) async -> LoginAnswer {
        show(problem.map { "login again: \($0)" } ?? "login")
        return problem == nil ? login : .continueAsGuest
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? {
        show("code")
        return problem == nil ? "000000" : nil
    }

    func askToRestore(_ account: StoredSession) async -> Bool {
        show("restore \(account.account?.name ?? "somebody")")
        return true
    }

    func showTutorial(_ pages: [TutorialPage]) async { show("tutorial") }

    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
        show("speakers: \(speakers.map(\.name).joined(separator: ", "))")
        return problem == nil ? speakers.first : nil
    }

    func showPush(_ push: PushPayload) async { show("push") }
    func follow(_ link: DeepLink) async { show("link") }
    func perform(_ shortcut: ShortcutItem) async { show("shortcut") }
    func confirm(_ entryPoint: EntryPoint) async -> Bool { false }

    func showMain(_ content: MainContent) async {
        show("main")
        state.withLock { $0.content = content }
    }

    func showOnboarding() async {
        show("onboarding")
        await onOnboarding()
    }
    func showPaywall() async { show("paywall") }
    func becameActive() async { show("active") }
}
