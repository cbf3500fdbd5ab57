import Sequencer
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// Screens that hang, and take no notice of their cancellation.
@Suite("Public API: a screen that hangs", .serialized, .timeLimit(.minutes(30)), .real)
struct RealHangingScreenTests {
    private func environment(_ presenters: StartupPresenters) throws -> StartupEnvironment {
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        return try Bootstrap(.complete(), app: app, directory: .inMemory(), http: JSONService()).environment(presenters: presenters)
    }

    @Test("it loses its turn after its cancellation, and does not pass on that of the next one when it ends at last")
    @MainActor
    func turn() async throws {
        let stage = try environment(StartupPresenters()).stage
        let (hangs, isShown, isNext, isDone) = (Signal(), Signal(), Signal(), Signal())
        var shown: [String] = []
        let hanging = Task {
            try await stage.present(by: "news") {
                isShown.give()
                await hangs.waitWhateverHappens()
            }
        }
        await isShown.wait()
        hanging.cancel()
        let main = Task {
            try await stage.present(by: "main") {
                shown.append("main")
                isNext.give()
                await isDone.wait()
            }
        }
        await isNext.wait()
        let menu = Task { try await stage.present(by: "menu") { shown.append("menu") } }
        hangs.give()
        _ = await hanging.result
        for _ in 0..<100 { await Task.yield() }
        #expect(shown == ["main"])
        isDone.give()
        try await main.value
        try await menu.value
        #expect(shown == ["main", "menu"])
    }

    @Test("a splash that hangs keeps the main screen away until its timeout, and no longer")
    @MainActor
    func splash() async throws {
        let screens = Screens()
        var presenters = StartupPresenters()
        (presenters.splash, presenters.login, presenters.main) = (screens, screens, screens)
        let environment = try environment(presenters)
        let options = LaunchOptions(admission: .oneAtATime)
        let report = try await environment.graph(.bootstrap).run(budget: .seconds(3), options: options).report
        screens.hangs.give()
        #expect(report.outcome == .completed && screens.shown == ["splash", "main"])
        #expect(report["splash"]?.outcome == .timedOut)
    }
}

extension Signal {
    /// Waits also where the task is cancelled.
    fileprivate func waitWhateverHappens() async { await Task.detached { await self.wait() }.value }
}

@MainActor
private final class Screens: SplashPresenter, LoginPresenter, MainPresenter {
    nonisolated let hangs = Signal()
    private(set) var shown: [String] = []

    func showSplash() async {
        shown.append("splash")
        await hangs.waitWhateverHappens()
    }
    func splashEnded() async {}
    func askForLogin(problem: String?) async -> LoginAnswer { .continueAsGuest }
    func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
    func askToRestore(_ account: StoredSession) async -> Bool { true }
    func showMain(_ content: MainContent) async { shown.append("main") }
    func showOnboarding() async {}
    func showPaywall() async {}
    func becameActive() async {}
}
