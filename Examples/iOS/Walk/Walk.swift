import BackgroundTasks
import Foundation
import Sequencer
import StartupOps
import StartupSamples
import UIKit
import os

/// The app, run where there is no iOS: its launches are real, its frameworks are stand-ins, and this plays iOS and the person.
///
/// `Scripts/test-apps` runs it. It waits for screens, never for a time; what does not come is found by the script's time limit.
@main @MainActor
struct Walk {
    private static var failures = 0

    static func main() async {
        await signposts()
        let app = AppDelegate()
        _ = app.application(.shared, willFinishLaunchingWithOptions: nil)
        _ = app.application(.shared, didFinishLaunchingWithOptions: nil)
        let coordinator = LaunchCoordinator.shared
        let person = Person(coordinator.screens)
        let scene = UIWindowScene()
        let delegate = WindowSceneDelegate()
        delegate.scene(scene, willConnectTo: scene.session, options: UIScene.ConnectionOptions())
        delegate.window?.rootViewController?.viewDidLoad()

        check("an app that was never opened refreshes nothing", await !coordinator.refresh())
        check("nothing is shown before a scene comes to the front", person.isStarting)

        delegate.sceneWillEnterForeground(scene)
        check(
            "the first launch asks, and ends on the main screen",
            asked: await person.goOn { $0.isMain },
            ["Country and language", "login", "tutorial", "No speaker was found"]
        )

        coordinator.inbox.receive(URL(fileURLWithPath: "/playlists/42"))
        if let link = URL(string: "https://music.example.com/playlists/42") { coordinator.inbox.receive(link) }
        coordinator.deliver()
        check("a link to the app is followed, another is refused", asked: await person.goOn { $0.place == "playlist 42" })
        check(
            "a shortcut is taken when the app has it",
            coordinator.inbox.receive(shortcut: "play") && !coordinator.inbox.receive(shortcut: "p")
        )
        coordinator.deliver()
        check("it is performed", asked: await person.goOn { $0.place == "play" })
        let kept = delegate.stateRestorationActivity(for: scene)?.userInfo?["place"] as? String
        check("iOS is told where the person is, to keep it", kept == "play")
        let intent = PlayPlaylistIntent()
        intent.playlist = "7"
        _ = try? await intent.perform()
        check("an intent leads to its playlist", asked: await person.goOn { $0.place == "playlist 7" })

        delegate.sceneDidEnterBackground(scene)
        await refresh(coordinator)
        await takeOver(coordinator, person)
        check("no phase was reported wrongly", coordinator.phases.problems.isEmpty)

        let journal = coordinator.composition.directory().location
        let kinds = journal.map { LaunchJournal.launches(in: $0, named: "background-journal").map(\.kind) }
        check("the refreshes were written down as launches in the background", kinds == [.background, .background])
        exit(failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    /// Before anything else has intervals.
    private static func signposts() async {
        struct NoAnswer: Error {}
        var graph = OperationGraph("signposts")
        let first = graph.add("first") {}
        graph.add("second", .retry(attempts: 2, backoff: .zero), after: first) { step in
            if step.attempt == 1 { throw NoAnswer() }
        }
        let launch = try? await graph.run(options: LaunchOptions().withSignposts())
        let counts = OSSignpostIntervalState.counts
        check("each attempt has an interval when its launch has ended", launch != nil && counts == (begun: 3, ended: 3))
    }

    private static func refresh(_ coordinator: LaunchCoordinator) async {
        let whole = RefreshTask()
        BackgroundRefresh.run({ await coordinator.refresh() }, in: whole)
        check("a refresh completes its task", await whole.completed() == [true])

        coordinator.composition.backend.service.setFault(.hang, for: "/v1/configuration")
        let expired = RefreshTask()
        BackgroundRefresh.run({ await coordinator.refresh() }, in: expired)
        expired.expirationHandler?()
        expired.expirationHandler?()
        check("one that expires completes it too, and once", await expired.completed() == [false])
        coordinator.composition.backend.service.removeFaults()
    }

    private static func takeOver(_ coordinator: LaunchCoordinator, _ person: Person) async {
        let service = coordinator.composition.backend.service
        service.setVersionPolicy(["minimumVersion": "1.0.0", "maintenance": ["message": "Closed"]])
        coordinator.enterForeground()
        check("back at the front, the app learns that the service is closed", asked: await person.goOn { $0.isUpdate })
        coordinator.screens.goTo(place: "somewhere")
        check("nothing covers that screen", coordinator.screens.current.isUpdate)

        service.setVersionPolicy(["minimumVersion": "1.0.0"])
        service.endSessions()
        service.expireTokens()
        person.dismissesNextLogin = true
        coordinator.enterBackground()
        coordinator.restore(place: "playlist 42")
        coordinator.enterForeground()
        check(
            "back again when it is open, the app starts, and goes where the person was; who leaves the login form can try again",
            // Nobody is asked about a speaker: the first launch was told that none is wanted.
            asked: await person.goOn { $0.place == "playlist 42" },
            ["login", "The app could not be started", "login"]
        )
    }

    private static func check(_ what: String, asked: [String], _ expected: [String] = []) {
        check(what, asked == expected)
        if asked != expected { print("      asked \(asked), expected \(expected)") }
    }

    private static func check(_ what: String, _ isSo: Bool) {
        if !isSo { failures += 1 }
        print(isSo ? "PASS " : "FAIL ", what)
        // What comes next may never come, and then the process is ended.
        fflush(nil)
    }
}

/// A task that remembers how it was completed.
final class RefreshTask: BGTask, @unchecked Sendable {
    // Unchecked: the queue has each completion, in order; `expirationHandler` is used by one thread, after it was set.
    private let (completions, continuation) = AsyncStream.makeStream(of: Bool.self)

    override func setTaskCompleted(success: Bool) { continuation.yield(success) }

    /// What it was completed with: the first, and any other that came until everything else on the main actor had its turn.
    @MainActor
    func completed() async -> [Bool] {
        var all: [Bool] = []
        for await success in completions {
            all.append(success)
            for _ in 0..<100 { await Task.yield() }
            continuation.finish()
        }
        return all
    }
}
