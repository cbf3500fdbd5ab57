import Observation
import StartupOps

/// The presenter of everything: the operations ask it for screens, and a view or a view controller shows what ``current`` says.
///
/// Each question changes the screen, waits for its answer, and leaves the screen to what comes next.
@MainActor @Observable
final class Screens {
    /// What is to be seen now.
    private(set) var current = Screen.starting
    private var recommended: SemanticVersion?
    private var main: MainScreen?
    private var changes = 0
    /// Nothing covers the update screen: neither the end of a question that it has covered nor a failure.
    private(set) var isTakenOver = false

    /// A launch begins.
    func startAgain() {
        (isTakenOver, main, recommended) = (false, nil, nil)
        changes += 1
        current = .starting
    }

    /// Says why the launch has failed, and returns when the person wants to try again.
    func explainFailure(_ message: String) async {
        _ = await choose(Question(title: "The app could not be started", text: message, choices: ["Try again"]))
    }

    func show(_ screen: Screen) {
        guard !isTakenOver else { return }
        changes += 1
        current = screen
    }

    /// Shows a question, waits for the answer, and goes back to what is below, unless something else is shown by then.
    func ask<Value: Sendable>(_ screen: (Answer<Value>) -> Screen, whenCancelled substitute: Value) async -> Value {
        let answer = Answer<Value>()
        show(screen(answer))
        let change = changes
        let value = await answer.get(whenCancelled: substitute)
        if change == changes { show(main.map(Screen.main) ?? .starting) }
        return value
    }

    /// - Returns: the number of the choice; nil when there was none.
    func choose(_ question: Question) async -> Int? {
        await ask({ .question(question, $0) }, whenCancelled: nil)
    }
}

extension Screens: SplashPresenter {
    func showSplash() async { show(.splash) }
    /// It stands still.
    func splashEnded() async {}
}

extension Screens: UpdatePresenter {
    func showUpdate(_ decision: UpdateDecision) async {
        show(.update(UpdateNotice(decision)))
        isTakenOver = true
    }

    func recommendUpdate(_ version: SemanticVersion) {
        recommended = version
        guard var main else { return }
        main.recommended = version
        goTo(main)
    }
}

extension Screens: TutorialPresenter {
    func showTutorial(_ pages: [TutorialPage]) async { await ask({ .tutorial(pages, $0) }, whenCancelled: ()) }
}

extension Screens: MainPresenter {
    func showMain(_ content: MainContent) async { goTo(MainScreen(content: content, recommended: recommended)) }

    func showOnboarding() async {
        _ = await choose(Question(title: "Welcome", text: "Play music on every speaker in the house.", choices: ["Start"]))
    }

    func showPaywall() async {
        _ = await choose(Question(title: "Premium", text: "Music without interruptions.", choices: ["Subscribe"], refusal: "Not now"))
    }

    /// The main screen is what it was.
    func becameActive() async {}

    private func goTo(_ screen: MainScreen) {
        main = screen
        show(.main(screen))
    }

    /// Where the person is, for iOS to keep with the scene.
    var place: String? { main?.place }

    /// Goes somewhere in the app.
    func goTo(place: String) {
        guard var main else { return }
        main.place = place
        goTo(main)
    }
}
