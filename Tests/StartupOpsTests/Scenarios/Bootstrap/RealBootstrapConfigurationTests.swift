import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("Bootstrap: the configuration", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBootstrapConfigurationTests {
    private let harness = BootstrapHarness()

    private static let parts = [
        "network", "user service", "token listener", "first-launch session", "notifications", "device", "current user", "crash loggers",
        "app starts", "vendor identifier",
    ]

    @Test("B4, B19, C5: configuration and client are made once, for both endpoints; nothing is restored, nobody else authenticates unasked")
    func once() async throws {
        let plan = harness.plan()
        #expect(!plan.enablesRestoreAccount && plan.authenticator == nil)
        let bootstrap = try harness.bootstrap(plan)
        let early = #expect(throws: RegistryError.self) { try bootstrap.configuration() }
        #expect(early?.description.hasPrefix("once() asked for the configuration") == true)
        #expect(early?.description.hasSuffix("then configuration") == true)
        #expect(harness.backend.service.counts.isEmpty)

        #expect(try await harness.launch(bootstrap).outcome == .completed)
        let configuration = try bootstrap.configuration()
        #expect(configuration.plan.endpoints == plan.endpoints)
        // One client, which reaches both, and values of what else modules and SDKs are made with.
        #expect(configuration.service.client === configuration.client)
        #expect(configuration.app == harness.app && configuration.deviceIdentifier == Settings(harness.directory.settings).deviceIdentifier)
        let options = RequestOptions(requirement: .optional)
        let countries = try await configuration.client.get(
            "v1/countries",
            as: [Country].self,
            options: options,
            deadline: .after(patience)
        )
        #expect(countries.contains { $0.code == "DE" })
        let before = harness.backend.service.counts["POST /graphql"] ?? 0
        _ = try await configuration.client.query(.speakers, as: JSONValue.self, deadline: .after(patience))
        #expect(harness.backend.service.counts["POST /graphql"] == before + 1)

        // A second launch of the same process makes nothing again.
        let again = try await harness.launch(bootstrap)
        #expect(again.outcome.isFailure(of: "register", saying: "the process phase has been run before"))
        #expect(bootstrap.configurationParts == Self.parts)
        let launch = try await harness.alone { launch in
            try await bootstrap.configure(harness.environment(bootstrap, FakePerson()), launch)
        }
        #expect(launch.outcome.isFailure(of: "alone", saying: "the configuration was made already"))
    }

    @Test("B20, B26: its parts are made in their order, each noted in the report of the launch, which counts as a start")
    func order() async throws {
        try await harness.leaveSession()
        try harness.leaveCompletedLaunch()
        let logger = RecordingLogger()
        var plan = harness.plan()
        plan.crashLoggers = [logger]
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap, FakePerson())
        #expect(report.outcome == .completed)
        #expect(bootstrap.configurationParts == Self.parts)
        let notes = try #require(report["configure"]?.notes)
        #expect(notes.count == Self.parts.count && zip(notes, Self.parts).allSatisfy { $0.hasPrefix("configuration, \($1): ") })
        #expect(notes[3].hasSuffix("not the first launch: the session was left alone") && notes[6].hasSuffix(": logged in"))
        #expect(notes[7].hasSuffix("1 told whose crashes they report") && notes[8].hasSuffix("this is start 1"))
        // They were done, not only noted.
        let configuration = try bootstrap.configuration()
        let user = try #require(configuration.session?.userID)
        #expect(logger.identified.withLock { $0 } == ["\(user) on \(configuration.deviceIdentifier)"])
        #expect(harness.directory.launchState().appStarts == 1)
    }

    @Test("B20: crash loggers are told the parts as they are made, and each event of a launch that has its observer")
    func crashLog() async throws {
        let logger = RecordingLogger()
        var plan = harness.plan()
        plan.crashLoggers = [logger]
        let bootstrap = try harness.bootstrap(plan)
        var options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        options.observers = [bootstrap.crashLog]
        let graph = harness.environment(bootstrap, FakePerson(logins: [.continueAsGuest])).graph(.bootstrap)
        let report = try await graph.run(budget: .seconds(3), options: options).report
        #expect(report.outcome == .completed, "\(report.remarks)")
        let lines = logger.lines.withLock { $0 }
        #expect(lines.filter { $0.hasPrefix("configuration, ") } == report["configure"]?.notes)
        #expect(lines.count { $0.hasPrefix("coordinator, ") } == bootstrap.coordinatorParts.count)
        #expect(lines.contains { $0.hasSuffix(": main-app succeeded") } && lines.last?.hasSuffix(": the launch ended") == true)
    }

    private final class Tracker: AnalyticsTracker {
        let users = Locked<[String]>([])

        func identify(user: String?) { users.withLock { $0.append(user ?? "nobody") } }
    }

    @Test("B20, B21: trackers and crash loggers are told whose session it is, and each time that it is another's")
    func users() async throws {
        let (tracker, logger) = (Tracker(), RecordingLogger())
        var plan = harness.plan()
        plan.analytics = [tracker]
        plan.crashLoggers = [logger]
        let bootstrap = try harness.bootstrap(plan)
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(tracker.users.withLock { $0.first } == "nobody")
        let account = try await bootstrap.service.logIn(
            email: "person@example.com",
            password: Secret("correct horse"),
            by: .after(patience)
        )
        await eventually { tracker.users.withLock { $0.last } == account.id }
        await bootstrap.service.logOut(because: "requested")
        let device = try bootstrap.configuration().deviceIdentifier
        await eventually {
            let users = tracker.users.withLock { $0 }
            return users.contains(account.id) && users.last == "nobody" && logger.identified.withLock { $0.count } == users.count
        }
        #expect(logger.identified.withLock { $0 } == tracker.users.withLock { $0 }.map { "\($0) on \(device)" })
        #expect(tracker.users.withLock { $0 }.suffix(2) == [account.id, "nobody"])
    }

    @Test("B20, B21, B22, B25: what listens to the tokens is there before the first launch ends a session that was left behind")
    func firstLaunch() async throws {
        try await harness.leaveSession()
        let bootstrap = try harness.bootstrap(harness.plan())
        let report = try await harness.launch(bootstrap)
        #expect(report.outcome == .completed)
        #expect(report["configure"]?.notes.contains("configuration, first-launch session: logged out because first launch") == true)
        #expect(report["configure"]?.notes.contains("configuration, current user: nobody") == true)
        #expect(try bootstrap.configuration().session == nil)
        // A new token reaches the user service that the configuration has made.
        let updates = try bootstrap.configuration().service.user.updates
        _ = try await bootstrap.service.logIn(
            email: "person@example.com",
            password: Secret("correct horse"),
            by: .after(patience)
        )
        for await profile in updates where profile?.email == "person@example.com" { break }
        #expect(try bootstrap.configuration().service.user.profile?.email == "person@example.com")
    }
}

/// Keeps whose crashes it was told to report.
final class RecordingLogger: CrashLogger {
    let identified = Locked<[String]>([])

    let lines = Locked<[String]>([])

    func identify(user: String?, device: String) { identified.withLock { $0.append("\(user ?? "nobody") on \(device)") } }
    func log(_ line: String) { lines.withLock { $0.append(line) } }
}

extension BootstrapHarness {
    /// A launch of one operation.
    func alone(_ body: @escaping @MainActor @Sendable (StepContext) async throws -> Void) async throws -> LaunchReport {
        var graph = OperationGraph("alone")
        graph.add("alone", on: .main) { launch in try await body(launch) }
        return try await graph.run(budget: .seconds(3)).report
    }
}

extension LaunchReport.Outcome {
    /// Whether the launch failed by this operation, with a message that begins like this.
    func isFailure(of id: String, saying text: String) -> Bool {
        guard case .failed(let operation, let message) = self else { return false }
        return operation == id && message.hasPrefix(text)
    }
}
