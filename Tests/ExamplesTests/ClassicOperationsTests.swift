import Foundation
import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

@testable import ClassicOperations

/// How a launch in the classic style is tested: by dependency, without running anything, and by completion, an operation at a time.
@Suite("Launches in the classic style", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ClassicOperationsTests {
    /// What it shows, and no delays.
    private func phone(isOutdated: Bool = false, hasSpeaker: Bool = true, screens: Locked<[String]> = Locked([])) -> Phone {
        Phone(isOutdated: isOutdated, hasSpeaker: hasSpeaker, isSlow: false, show: { line in screens.withLock { $0.append(line) } })
    }

    // MARK: By dependency

    @Test("In the first launch, what asks the person comes one after the other")
    func firstLaunch() throws {
        let graph = try LaunchBuilder(phone()).firstLaunch().validated()
        #expect(
            graph.levels == [["splash", "force-update"], ["fetch-config"], ["login"], ["tutorial"], ["connect-speaker"], ["main-app"]]
        )
        #expect(try graph.dependencies(of: "tutorial") == ["login"])
        #expect(try graph.dependencies(of: "connect-speaker") == ["tutorial"])
        #expect(try graph.ancestors(of: "main-app") == Set(graph.levels.joined()).subtracting(["main-app"]))
    }

    @Test("In a regular launch, and after a push, five operations start at once", arguments: ["tutorial", "present-push-information"])
    func regular(shown: String) throws {
        let builder = LaunchBuilder(phone())
        let graph = try (shown == "tutorial" ? builder.regular() : builder.push()).validated()
        #expect(
            graph.levels == [["splash", "force-update", "fetch-config", "login", "connect-speaker"], [shown], ["main-app"]]
        )
        #expect(try graph.dependencies(of: shown) == ["splash"])
        #expect(try graph.ancestors(of: "main-app") == Set(graph.levels.joined()).subtracting(["main-app"]))
        #expect(graph.milestone == "main-app")
    }

    // MARK: By completion

    /// Runs an operation alone, in a queue of its own.
    private func complete(_ operation: Operation) async {
        await callback { done in
            operation.completionBlock = done
            OperationQueue().addOperation(operation)
        }
    }

    @Test("Operations that leave a value have it when they have finished")
    func values() async {
        let config = FetchConfigOperation(phone())
        await complete(config)
        #expect(config.value == Configuration(country: "SE"))
        let login = LoginOperation(phone(), Configuration(country: "DE"))
        await complete(login)
        #expect(login.value == Session(user: "Ann", country: "DE"))
        let speaker = ConnectSpeakerOperation(phone())
        await complete(speaker)
        #expect(speaker.value == "Kitchen")
    }

    @Test("Operations that show something have shown it, and nothing else")
    func screens() async {
        let screens = Locked<[String]>([])
        let phone = phone(screens: screens)
        for operation in [SplashOperation(phone), TutorialOperation(phone), PresentPushInformationOperation(phone, push: "hello")] {
            await complete(operation)
        }
        await complete(MainAppOperation(phone, { Session(user: "Ann", country: "SE") }, speaker: { nil }))
        #expect(screens.withLock { $0 } == ["splash", "tutorial", "push: hello", "main screen of Ann (SE), speaker: none"])
    }

    @Test("Without a session the main screen fails; outside of a launch, so does the version check of a version that is too old")
    func failures() async {
        let main = MainAppOperation(phone(), { nil }, speaker: { nil })
        await complete(main)
        #expect(main.error is NobodyLoggedIn)
        let update = ForceUpdateOperation(phone(isOutdated: true))
        await complete(update)
        #expect(update.error is UpdateRequired)
        let allowed = ForceUpdateOperation(phone())
        await complete(allowed)
        #expect(allowed.error == nil)
        var unconfigured = phone()
        unconfigured.configuration = nil
        let config = FetchConfigOperation(unconfigured)
        await complete(config)
        #expect(config.error is NoConfiguration && config.value == nil)
    }

    @Test("What is cancelled while it runs ends, whatever it waits for")
    func cancelled() async {
        let tutorial = TutorialOperation(phone())
        tutorial.start()
        tutorial.cancel()
        await eventually { tutorial.isFinished }
        let speaker = ConnectSpeakerOperation(phone(hasSpeaker: false))
        speaker.start()
        #expect(speaker.isExecuting)
        speaker.cancel()
        #expect(speaker.isFinished && speaker.value == nil)
    }

    // MARK: The launch

    @Test("Each scenario ends with the main screen, which has the values of the operations before it", arguments: Scenario.allCases)
    func launches(_ scenario: Scenario) async throws {
        let screens = Locked<[String]>([])
        let launch = try await LaunchBuilder(phone(screens: screens)).graph(of: scenario).run(
            options: LaunchOptions(deadline: .after(patience))
        )
        #expect(launch.report.outcome == .completed)
        #expect(launch.report.operations.allSatisfy { $0.outcome == .succeeded })
        #expect(screens.withLock { $0.last } == "main screen of Ann (SE), speaker: Kitchen")
        let onMain: Set = ["splash", "tutorial", "present-push-information", "main-app"]
        #expect(launch.report.operations.allSatisfy { $0.isMain == onMain.contains($0.id) })
    }

    @Test("A version that is too old shows the update screen and no main screen", arguments: Scenario.allCases)
    func forceUpdate(_ scenario: Scenario) async throws {
        let screens = Locked<[String]>([])
        let phone = phone(isOutdated: true, screens: screens)
        let report = try await LaunchBuilder(phone).graph(of: scenario).run(options: LaunchOptions(deadline: .after(patience))).report
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        await eventually { screens.withLock { $0.contains { $0.hasPrefix("update screen") } } }
        #expect(!screens.withLock { $0.contains { $0.hasPrefix("main screen") } })
    }

    @Test("When the server has no configuration, the bundled one goes from operation to operation")
    func noConfiguration() async throws {
        let screens = Locked<[String]>([])
        var unconfigured = phone(screens: screens)
        unconfigured.configuration = nil
        let report = try await LaunchBuilder(unconfigured).firstLaunch().run(options: LaunchOptions(deadline: .after(patience))).report
        #expect(report.outcome == .completed && report["fetch-config"]?.outcome == .fellBack)
        #expect(screens.withLock { $0.last } == "main screen of Ann (US), speaker: Kitchen")
    }

    @Test("In a queue of the app's, off the main thread no more operations run at a time than its width", arguments: Scenario.allCases)
    func appQueue(_ scenario: Scenario) async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let options = LaunchOptions(deadline: .after(patience), queue: queue)
        let report = try await LaunchBuilder(phone()).graph(of: scenario).run(options: options).report
        #expect(report.outcome == .completed)
        let queued = report.operations.filter { !$0.isMain }.sorted { ($0.start ?? .zero) < ($1.start ?? .zero) }
        #expect(queued.count == 4)
        for (one, next) in zip(queued, queued.dropFirst()) { #expect(next.start.map { $0 >= one.end } == true) }
    }

    @Test("In a plain queue the same operations show the same, also to a version that is too old", arguments: [false, true])
    func plainQueue(isOutdated: Bool) async {
        let screens = Locked<[String]>([])
        let (update, all) = await PlainQueue.run(phone(isOutdated: isOutdated, screens: screens), limit: patience)
        #expect(screens.withLock { $0.last } == "main screen of Ann (SE), speaker: Kitchen")
        #expect((update.error is UpdateRequired) == isOutdated)
        #expect(all.count == 7 && all.allSatisfy { $0.isFinished })
    }
}
