import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples

/// Behaviours that were shown by an operation or a type alone, in a launch with the real steps.
@Suite("Behaviours of whole launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BehaviourLaunchTests {
    /// A splash that ends a while after it was shown, and notes what had been on the screen by then.
    @MainActor
    private final class Animation: SplashPresenter {
        nonisolated let atItsEnd = Locked<[String]?>(nil)
        private let person: AgreeablePerson

        nonisolated init(over person: AgreeablePerson) { self.person = person }

        func showSplash() async { await person.showSplash() }

        func splashEnded() async {
            for _ in 0..<1_000 { await Task.yield() }
            let shown = Task.isCancelled ? ["cut off"] : person.shown
            atItsEnd.withLock { $0 = shown }
        }
    }

    @Test("A13, B39, E10: what needs the screen waits for the end of the app's own splash, in a first launch and in a regular one")
    func splash() async throws {
        let device = try SampleDevice()
        for next in ["login", "main"] {
            let person = AgreeablePerson()
            let animation = Animation(over: person)
            var presenters = StartupPresenters(all: person)
            presenters.splash = animation
            let environment = device.environment(presenters)
            defer { environment.devices.closeAll() }
            let report = try await device.run(environment.graph(Scenario(for: environment.facts())))
            #expect(report.outcome == .completed, "\(report.remarks)")
            #expect(animation.atItsEnd.withLock { $0 } == ["splash"])
            #expect(person.shown.dropFirst().first == next)
        }
    }

    @Test("B11, B12: a launch goes by the settings of the moment when its environment was made; what is set later counts in the next one")
    func settings() async throws {
        let device = try SampleDevice()
        func launch(setting isSet: Bool? = nil) async throws -> [String] {
            let newcomer = AgreeablePerson(login: .logIn(email: "new@example.com", password: "correct horse"))
            let launch = try await device.launch(nil, newcomer) { _ in
                if let isSet { try Settings(device.directory().settings).set(isSet, for: .presentsSubscriptionOnEveryStart) }
            }
            #expect(launch.report.outcome == .completed, "\(launch.report.remarks)")
            return launch.shown.filter { $0 == "paywall" || $0 == "main" }
        }
        #expect(try await launch(setting: true) == ["main"])
        #expect(try await launch(setting: false) == ["paywall", "main"])
        #expect(try await launch() == ["main"])
    }

    @Test("B56: what a required update holds up, and what was too much to keep, is told by the report")
    func heldUp() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        device.service.requireUpdate()
        let launch = try await device.launch { environment in
            // The oldest are too many: two of one kind, and one of another.
            for _ in 0..<2 { environment.mailbox.receive(try EntryPointSamples.link("https://good.example/")) }
            environment.mailbox.receive(try EntryPointSamples.link("https://good.example/speakers/new"))
            for _ in 0..<32 { environment.mailbox.receive(try EntryPointSamples.link("https://good.example/")) }
        }
        #expect(launch.report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        let notes = launch.report["force-update"]?.notes ?? []
        #expect(notes.count { $0.hasSuffix("was dropped: more than 32 entry points were waiting, and it was the oldest") } == 2)
        #expect(notes.count { $0.hasPrefix("2 times: ") } == 1)
        #expect(notes.last == "32 pushes, links and shortcuts are kept for a later launch")
    }

    @Test("B56: a launch that fails, is cancelled, or that any step aborts, tells what was too much to keep, and what was refused, once")
    func droppedBeforeEarlyEnd() async throws {
        let device = try SampleDevice()
        let environment = device.environment(StartupPresenters(all: AgreeablePerson()))
        defer { environment.devices.closeAll() }
        let ends: [(String, Fault?, String)] = [
            ("main-app", .fail, "failed"), ("login", .abort("unsupported"), "aborted"), ("main-app", nil, "cancelled"),
        ]
        for (operation, fault, outcome) in ends {
            for _ in 0..<33 { environment.mailbox.receive(try EntryPointSamples.link("https://good.example/")) }
            environment.mailbox.refuse(because: CancellationError())
            var graph = environment.graph(.firstLaunch)
            if let fault { try graph.inject(fault, into: operation) }
            let task = Task { [graph] in
                // A launch by a task that is cancelled is cancelled before it begins.
                if fault == nil { withUnsafeCurrentTask { $0?.cancel() } }
                return try await device.run(graph)
            }
            let report = try await task.value
            #expect(report.outcome.name == outcome)
            let notes = report[operation]?.notes ?? []
            let dropped = "was dropped: more than 32 entry points were waiting, and it was the oldest"
            #expect(notes.count { $0.hasSuffix(dropped) } == 1, "\(report.remarks)")
            #expect(notes.last == "an entry point was refused: CancellationError")
            #expect(environment.mailbox.takeLosses().isEmpty)
        }
    }

    @Test("A27, B54, B57, B58, B59: a push comes before the main screen, a link and a shortcut after it, each once")
    func entryPoints() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        let pushed = try await device.launch { environment in
            environment.mailbox.receive(EntryPointSamples.shortcut())
            environment.mailbox.receive(try EntryPointSamples.link("https://good.example/"))
            environment.mailbox.receive(try EntryPointSamples.push())
        }
        #expect(pushed.scenario == "push" && pushed.shown == ["splash", "push", "main", "link", "shortcut"], "\(pushed.report.remarks)")
        #expect(try await device.launch().shown == ["splash", "main"])
    }

    @Test("fault D35: a silent push that waits alone is delivered after the main screen, also by the scenario for a push to read")
    func silentPush() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        let pushed = try await device.launch(.push) { environment in
            let json = Data(#"{"aps":{"content-available":1}}"#.utf8)
            environment.mailbox.receive(.push(try PushPayloadParser(categories: []).payload(from: json)))
        }
        #expect(pushed.shown == ["splash", "main"])
        let notTaken = "entry-points: silent push was not taken: the presenter has no method takeSilentPush(_:)"
        #expect(pushed.report.remarks.contains(notTaken), "\(pushed.report.remarks)")
    }

    @Test("fault D30: a link that starts the app and needs a login is for the account whose session was stored, whoever logs in then")
    func linkOfAnother() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        endSession(on: device)
        let newcomer = AgreeablePerson(login: .logIn(email: "new@example.com", password: "correct horse"))
        let other = try await device.launch(nil, newcomer) { environment in
            environment.mailbox.receive(try EntryPointSamples.link("https://good.example/tune/\(EntryPointSamples.speakerID)?volume=1"))
        }
        #expect(other.scenario == "deeplink" && other.content?.account.email == "new@example.com", "\(other.report.remarks)")
        #expect(!other.shown.contains("link"))
        let waits =
            "deeplink: link to tune with id, volume waits: it is delivered at the next resume or launch "
            + "once the account that it is for is logged in"
        #expect(other.report.remarks.contains(waits), "\(other.report.remarks)")
        endSession(on: device)
        let back = try await device.launch()
        #expect(back.content?.account.email == "person@example.com" && back.shown.last == "link", "\(back.report.remarks)")
    }

    /// As a service does when the person has logged out elsewhere.
    private func endSession(on device: SampleDevice) {
        device.service.endSessions()
        device.service.expireTokens()
    }

    @Test("A22: a session whose token has expired is opened again with a new one, and nobody is asked")
    func refreshed() async throws {
        let device = try SampleDevice()
        let first = try await device.launch()
        device.service.expireTokens()
        let before = device.service.counts["POST /oauth/token"] ?? 0
        let launch = try await device.launch()
        #expect(launch.shown == ["splash", "main"], "\(launch.report.remarks)")
        #expect(launch.content?.account == first.content?.account)
        #expect(device.service.counts["POST /oauth/token"] == before + 1)
    }

    @Test("fault T7: after a refresh whose answer was lost the next launch asks for a login, and says why")
    func lostRefresh() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        device.service.expireTokens()
        device.service.setFault(.reset, for: "/oauth/token")
        #expect(try await device.launch().report.outcome == .completed)
        device.service.removeFaults()
        let next = try await device.launch()
        let why = "the stored session was not used: the service has ended the session"
        #expect(next.scenario == "regular" && next.report["login"]?.notes.first == why, "\(next.report.remarks)")
        #expect(next.shown.contains("login") && next.content?.account.email == "person@example.com")
    }

    @Test("F7: the features that the configuration switches on and off reach the main screen, from the server and from the last launch")
    func features() async throws {
        let device = try SampleDevice()
        let features = ["paywall": true, "speakers": true]
        for source in [LoadedConfiguration.Source.remote, .cached] {
            if source == .cached { device.service.setFault(.status(404), for: "/v1/configuration") }
            let loaded = try #require(try await device.launch().content?.configuration)
            #expect(loaded.source == source && loaded.configuration.features == features)
        }
    }
}
