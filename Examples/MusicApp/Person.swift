import StartupNetworking
import StartupOps

/// Who sits in front of the phone, and all of the app's screens: each screen is noted, each question answered at once.
///
/// An app has its view controllers here. Their answers may take as long as a person takes: that time does not count against the budget.
@MainActor
final class Person: SplashPresenter, UpdatePresenter, RegionPresenter, LoginPresenter, TutorialPresenter, SpeakerPresenter,
    EntryPointPresenter, MainPresenter, ScenePresenter
{
    /// What was shown, in order.
    private(set) var screens: [String] = []

    /// An app has its scene delegate here: it makes the window, and tells each phase when the system does.
    func connectScene(_ report: @escaping @MainActor @Sendable (LaunchPhase) -> Void) async {
        for phase in [LaunchPhase.sceneSession, .willConnect, .window, .keyAndVisible, .viewDidLoad] { report(phase) }
    }

    func showSplash() async { screens.append("splash") }
    func splashEnded() async {}

    func showUpdate(_ decision: UpdateDecision) async { screens.append("update") }
    func recommendUpdate(_ version: SemanticVersion) {}

    func chooseRegion(from countries: [Country]) async -> Region? {
        screens.append("region")
        return countries.first.map { Region(country: $0.code, language: $0.languages.first ?? "en") }
    }

    func askForLogin(problem: String?) async -> LoginAnswer {
        screens.append("login")
        return problem == nil ? .logIn(email: "person@example.com", password: "correct horse") : .continueAsGuest
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? {
        screens.append("verification code")
        return problem == nil ? "000000" : nil
    }

    func askToRestore(_ account: StoredSession) async -> Bool {
        screens.append("restore the account of \(account.account?.name ?? "somebody")")
        return true
    }

    func showTutorial(_ pages: [TutorialPage]) async { screens.append("tutorial") }

    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
        screens.append("choice of \(speakers.map(\.name).joined(separator: ", "))")
        return problem == nil ? speakers.first : nil
    }

    func showPush(_ push: PushPayload) async { screens.append("push \"\(push.body ?? "")\"") }
    func follow(_ link: DeepLink) async { screens.append("\(link.route) \(link.string("id") ?? "")") }
    func perform(_ shortcut: ShortcutItem) async { screens.append("\(shortcut)") }
    func confirm(_ entryPoint: EntryPoint) async -> Bool { false }

    func showMain(_ content: MainContent) async {
        screens.append("main for \(content.account.name)\(content.speaker.map { " with \($0.name)" } ?? "")")
    }

    func showOnboarding() async { screens.append("onboarding") }
    func showPaywall() async { screens.append("paywall") }
    func becameActive() async { screens.append("main, again") }
}
