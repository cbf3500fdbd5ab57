import Foundation
import SequencerTesting
import TestSupport

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A white-label app over a service in this process, with everything it keeps in memory: launched as often as a test wants.
struct BootstrapHarness {
    /// The keys that the app registers twice.
    struct Keys: Sendable, Hashable { let value = "keys" }

    /// What was done, in order.
    let log = Locked<[String]>([])
    let backend: EmbeddedBackend
    let directory = StateDirectory.inMemory()
    let app = AppInfo(version: SemanticVersion(1), region: Region(country: "US", language: "en"))
    let http: HTTPClient
    private let restoreAccount: Bool?

    /// - Parameters:
    ///   - restoreAccount: what the app's configuration says of it.
    ///   - onboarding: what it says of that.
    ///   - flags: the service's; nil for one that has none.
    init(restoreAccount: Bool? = nil, onboarding: OnboardingType = .regular, flags: FeatureFlags? = FeatureFlags()) {
        self.restoreAccount = restoreAccount
        var options = SampleServiceOptions()
        (options.onboarding, options.flags, options.restoreAccount) = (onboarding, flags, restoreAccount)
        backend = EmbeddedBackend(SampleService(options), latency: .none)
        http = HTTPClient(over: backend)
    }

    var done: [String] { log.withLock { $0 } }

    func note(_ text: String) { log.withLock { $0.append(text) } }

    /// The smallest plan there is: nothing but the endpoints and what is required.
    func plan(_ build: BuildFlags = []) -> BootstrapPlan {
        var plan = BootstrapPlan(
            endpoints: APIEnvironment(graphQL: backend.baseURL.appending(path: "graphql"), rest: backend.baseURL),
            build: build
        )
        plan.registrations = Self.registrations { [log] in log.withLock { $0.append("platform") } }
        return plan
    }

    static func registrations(platform: @escaping @Sendable () -> Void = {}) -> [BootstrapRegistration] {
        let keys = Keys()
        return [
            .action("platform", platform),
            .value(keys, for: "client-keys"), .value(keys, for: "core-keys"),
            .value("main", for: "screen-configuration"), .value("dark", for: "ui-configuration"),
            .value("events", for: "analytics"), .value("webp", for: "image-codec"),
        ]
    }

    func bootstrap(_ plan: BootstrapPlan) throws -> Bootstrap {
        try Bootstrap(plan, app: app, directory: directory, http: http)
    }

    func environment(_ bootstrap: Bootstrap, _ person: FakePerson) -> StartupEnvironment {
        var presenters = StartupPresenters()
        presenters.login = person
        presenters.region = person
        presenters.splash = person
        // A service that is too late on a busy machine changes nothing: what takes the place of its answer says the same.
        var bundled = AppConfiguration.bundled
        bundled.onboarding = .regular
        bundled.restoreAccount = restoreAccount
        return bootstrap.environment(presenters: presenters, bundled: bundled)
    }

    /// Launches. The scenario's timeouts are in virtual time, in which they do not pass while anything is under way.
    func launch(_ bootstrap: Bootstrap, _ person: FakePerson = FakePerson(logins: [.continueAsGuest])) async throws -> LaunchReport {
        let graph = environment(bootstrap, person).graph(.bootstrap)
        return try await graph.run(
            budget: .seconds(3),
            options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        ).report
    }

    func launch(_ plan: BootstrapPlan, _ person: FakePerson = FakePerson(logins: [.continueAsGuest])) async throws -> LaunchReport {
        try await launch(try bootstrap(plan), person)
    }

    /// Leaves a session behind, as an earlier installation would.
    @discardableResult
    func leaveSession(email: String = "person@example.com") async throws -> Account {
        let service = AppService(at: .service(at: backend.baseURL), http: http, directory: directory, app: app, deviceID: "earlier")
        defer { try? directory.state.remove("installation") }
        return try await service.logIn(email: email, password: Secret("correct horse"), by: .after(patience))
    }

    /// Leaves a guest's session and a completed launch behind.
    func leaveGuest() async throws {
        let service = AppService(at: .service(at: backend.baseURL), http: http, directory: directory, app: app, deviceID: "earlier")
        _ = try await service.logInAnonymously(by: .after(patience))
        try leaveCompletedLaunch()
    }

    func leaveCompletedLaunch() throws { try directory.launchState().recordCompletedLaunch() }
}

extension LaunchReport {
    /// Whether each operation of `first` had ended when the first one of `second` began.
    func isEnded(_ first: [String], before second: [String]) -> Bool {
        let starts = second.compactMap { self[$0]?.start }
        guard starts.count == second.count, let start = starts.min() else { return false }
        return first.allSatisfy { id in self[id].map { $0.end <= start } ?? false }
    }
}
