import Foundation
import StartupNetworking
import StartupOps

/// Shows the sample app's screens on a terminal, and gives the user's answers.
///
/// Without a terminal it answers as an agreeable user would, at once: for launches that nobody watches.
@MainActor
final class SamplePresenter: SplashPresenter, UpdatePresenter, RegionPresenter, LoginPresenter, TutorialPresenter, SpeakerPresenter,
    EntryPointPresenter, MainPresenter, ScenePresenter
{
    private let screens: TerminalScreens?

    nonisolated init(_ screens: TerminalScreens?) { self.screens = screens }

    /// Tells the phases at once: a terminal can be seen from the beginning.
    func connectScene(_ report: @escaping @MainActor @Sendable (LaunchPhase) -> Void) async {
        for phase in [LaunchPhase.sceneSession, .willConnect, .window, .keyAndVisible, .viewDidLoad] { report(phase) }
    }

    func showSplash() async { await screens?.message(title: "Sample", lines: ["Music in every room."]) }

    func splashEnded() async {}

    func showUpdate(_ decision: UpdateDecision) async {
        switch decision {
        case .required(let minimum, let message, let store):
            let text = message ?? "This version can no longer be used."
            let place = store.map { ["It can be had at \($0.absoluteString)."] } ?? []
            await screens?.message(title: "Update required", lines: [text, "Version \(minimum) or newer is needed."] + place)
        case .maintenance(let message, let until):
            let end = until.map { ["Until \($0.formatted(.iso8601))."] } ?? []
            await screens?.message(title: "Closed for maintenance", lines: [message ?? "Please try again later."] + end)
        case .mayContinue, .recommended: break
        }
    }

    func recommendUpdate(_ version: SemanticVersion) {
        // Not awaited: a recommendation must not keep the launch waiting, and the screen may be somebody else's for
        // long.
        let screens = screens
        Task { await screens?.message(title: "Update available", lines: ["Version \(version) can be installed."]) }
    }

    func chooseRegion(from countries: [Country]) async -> Region? {
        guard let screens else { return countries.first.map { Region(country: $0.code, language: $0.languages.first ?? "en") } }
        let regions = countries.flatMap { country in country.languages.map { (country, $0) } }
        let index = await screens.menu(
            title: "Country and language",
            question: "Where are you, and which language do you want?",
            options: regions.map { country, language in "\(country.name), \(language)" }
        )
        return index.map { Region(country: regions[$0].0.code, language: regions[$0].1) }
    }

    func askForLogin(problem: String?) async -> LoginAnswer {
        // The account that every sample service has. A service that has refused it refuses it again: a second attempt
        // would make a loop.
        guard let screens else { return problem == nil ? .logIn(email: "person@example.com", password: "correct horse") : .continueAsGuest }
        let choice = await screens.menu(
            title: "Welcome",
            question: problem ?? "Who is there?",
            options: ["Log in", "Create an account", "Go on as a guest"]
        )
        guard let choice else { return .dismissed }
        // Before the form, which asks for an address and a password that a guest does not have.
        if choice == 2 { return .continueAsGuest }
        let answers = await screens.form(
            title: choice == 0 ? "Log in" : "Create an account",
            fields: [("E-mail", isSecret: false), ("Password", isSecret: true)]
        )
        guard let answers, answers.count == 2 else { return .dismissed }
        // Wrapped at once: a secret has no description that could end in an output (T23).
        let password = Secret(answers[1])
        return choice == 0 ? .logIn(email: answers[0], password: password) : .createAccount(email: answers[0], password: password)
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? {
        guard let screens else { return problem == nil ? "000000" : nil }
        let answers = await screens.form(
            title: "Verify \(email)",
            problem: problem,
            fields: [("The code that was sent to you", isSecret: false)]
        )
        return answers?.first.map { Secret($0) }
    }

    func askToRestore(_ account: StoredSession) async throws -> Bool {
        guard let screens else { return true }
        let name = account.account?.name ?? "an account"
        return try Self.answer(await screens.confirm(question: "Go on as \(name), found on this device?", default: true))
    }

    func showTutorial(_ pages: [TutorialPage]) async throws {
        try await showPages("Tutorial", pages.map { ($0.title, $0.text) })
    }

    func chooseSpeaker(from speakers: [Speaker], problem: String?) async throws -> Speaker? {
        guard let screens else { return problem == nil ? speakers.first : nil }
        let choice = await screens.menu(
            title: "Your speaker",
            question: problem ?? (speakers.isEmpty ? "No speaker was found." : "Which speaker do you want to use?"),
            options: speakers.map(\.name) + ["Go on without a speaker"]
        )
        let index = try Self.answer(choice)
        // The last entry lies past the speakers.
        return speakers.indices.contains(index) ? speakers[index] : nil
    }

    func showPush(_ push: PushPayload) async {
        await screens?.pages(title: "Notification", [(push.title ?? "Message", push.body ?? "")])
    }

    func follow(_ link: DeepLink) async { await screens?.message(title: "Link", lines: ["Showing the \(link.route)."]) }

    func perform(_ shortcut: ShortcutItem) async {
        await screens?.message(title: "Shortcut", lines: ["Doing: \(shortcut.type)."])
    }

    func confirm(_ entryPoint: EntryPoint) async throws -> Bool {
        // Nothing is changed that nobody has agreed to.
        guard let screens else { return false }
        // Return alone must not change anything: a link may come from anybody.
        return try Self.answer(await screens.confirm(question: "\(entryPoint) changes something. Go on?", default: false))
    }

    func showMain(_ content: MainContent) async {
        let speaker = content.speaker.map { "Connected to \($0.name)." } ?? "No speaker is connected."
        await screens?.message(title: "Music", lines: ["Hello, \(content.account.name).", speaker])
    }

    func showOnboarding() async throws {
        try await showPages("Welcome", [("Try it out", "Log in later to keep your playlists.")])
    }

    func showPaywall() async {
        _ = await screens?.confirm(question: "Subscribe for music without pauses?", default: false)
    }

    func becameActive() async { await screens?.message(title: "Music", lines: ["Welcome back."]) }

    // MARK: No answer

    /// The user has left a question with Ctrl-D: that is neither yes nor no, and nothing of it is kept for the next
    /// launch.
    private struct NoAnswer: Error {}

    private static func answer<Answer>(_ answer: Answer?) throws -> Answer {
        guard let answer else { throw NoAnswer() }
        return answer
    }

    private func showPages(_ title: String, _ pages: [(title: String, text: String)]) async throws {
        if let screens, await !screens.pages(title: title, pages) { throw NoAnswer() }
    }
}
