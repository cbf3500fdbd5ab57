import Foundation
import StartupOps

/// Answers what the sample app asks as an agreeable person would, at once: for launches that nobody watches.
@MainActor
final class DefaultAnswers: SplashPresenter, UpdatePresenter, RegionPresenter, LoginPresenter, TutorialPresenter, SpeakerPresenter,
    EntryPointPresenter, MainPresenter
{
    nonisolated init() {}

    func showSplash() async {}
    func splashEnded() async {}

    func showUpdate(_ decision: UpdateDecision) async {}
    func recommendUpdate(_ version: SemanticVersion) {}

    func chooseRegion(from countries: [Country]) async -> Region? {
        countries.first.map { Region(country: $0.code, language: $0.languages.first ?? "en") }
    }

    /// The account that every sample service has. Where that is not accepted, or cannot be checked, a guest will do.
    func askForLogin(problem: String?) async -> LoginAnswer {
        problem == nil ? .logIn(email: "person@example.com", password: "correct horse") : .continueAsGuest
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? { problem == nil ? "000000" : nil }
    func askToRestore(_ account: StoredSession) async -> Bool { true }

    func showTutorial(_ pages: [TutorialPage]) async {}

    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? { problem == nil ? speakers.first : nil }

    func showPush(_ push: PushPayload) async {}
    func follow(_ link: DeepLink) async {}
    func perform(_ shortcut: ShortcutItem) async {}
    /// Nothing is changed that nobody has agreed to.
    func confirm(_ entryPoint: EntryPoint) async -> Bool { false }

    func showMain(_ content: MainContent) async {}
    func showOnboarding() async {}
    func showPaywall() async {}
    func becameActive() async {}
}
