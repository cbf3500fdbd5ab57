import Foundation
import Sequencer
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// An SDK with a set-up of its own, as an app and an SDK's author see it.
@Suite("Public API: an SDK", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKTests {
    private let directory = StateDirectory.inMemory()
    private let calls = Lines()

    private func builder(_ url: String = "https://sdk.example.com") -> SDKConfiguration.Builder {
        SDKConfiguration.Builder().baseUrl(url).clientId("app").clientSecret("secret")
    }

    private func sdk(_ secure: (any SecureStore)? = nil) -> SDKLifecycle {
        SDKLifecycle(services: Services(secureStore: secure ?? directory.secure, dataStore: directory.state, calls: calls))
    }

    @Test("D2, D3, D5, D10, D25, D34: an app tells the causes of a failure apart by their codes")
    func causes() {
        let sdk = sdk()
        func cause(_ builder: SDKConfiguration.Builder) -> SDKError.Code? { sdk.initialize(builder) ? nil : sdk.failure?.code }
        #expect(cause(SDKConfiguration.Builder()) == .missingField)
        #expect(cause(builder("http://sdk.example.com")) == .invalidBaseURL)
        #expect(throws: SDKError.self) { try sdk.module(for: "steps") { _ in "steps" } }
        #expect(cause(builder()) == nil && cause(builder("https://other.example.com")) == .alreadyInitialized)
        let denied = self.sdk(DeniedStore())
        #expect(!denied.initialize(builder()) && denied.failure?.code == .accessDenied)
        #expect(denied.failure?.description.contains("give the app access to it") == true)
        let error = #expect(throws: SDKError.self) { try denied.module(for: "steps") { _ in "steps" } }
        #expect(error?.code == .notInitialized)
    }

    @Test("D15: code that runs before the app is up has the configuration of the last initialisation")
    func recovered() throws {
        #expect(sdk().recoveredConfiguration().value == nil)
        #expect(sdk().initialize(builder()))
        #expect(try sdk().recoveredConfiguration().value == builder().build())
    }

    @Test("D27, D35: a reconfiguration logs out, is not ready, and is ready again; a reset logs out")
    func events() async throws {
        let sdk = sdk()
        var events = sdk.events.makeAsyncIterator()
        #expect(sdk.initialize(builder()) && sdk.reconfigure(builder("https://other.example.com")) && sdk.reset())
        var all: [SDKEvent] = []
        while all.count < 6, let event = await events.next() { all.append(event) }
        #expect(
            all == [
                .isReady(true), .loggedOut(because: "the SDK was reconfigured"), .isReady(false), .isReady(true),
                .loggedOut(because: "the SDK was reset"), .isReady(false),
            ]
        )
    }

    @Test("D21: a launch has an SDK's token refreshed that is about to expire, before its entitlements; no other", arguments: [30, 3600])
    func refresh(seconds: Int) async throws {
        try directory.secure.write(Data(Secret.token(expiringIn: TimeInterval(seconds)).value.utf8), for: .sdkAccessToken)
        let sdk = sdk()
        var isReady = sdk.isReady.makeAsyncIterator()
        #expect(sdk.initialize(builder()))
        while await isReady.next() == false {}
        #expect(calls.all == (seconds == 30 ? ["refresh", "entitlements"] : ["entitlements"]))
    }

    @Test("D33: an SDK that names another one starts after it, or after the restore of its session")
    func order() async throws {
        var plan = BootstrapPlan(endpoints: try APIEnvironment(graphQL: "https://api.example.com/graphql"))
        let names = ["platform", "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics"]
        plan.registrations = names.map { .value("value", for: $0) }
        try directory.secure.write(Data("token".utf8), for: .sdkAccessToken)
        plan.thirdParties = [
            ThirdPartySDK("ads", after: ["steps-ready"]) { [calls] _ in calls.add("ads") },
            ThirdPartySDK("steps", lifecycle: sdk(), configuration: builder(), after: ["consent"]),
            ThirdPartySDK("consent") { [calls] _ in calls.add("consent") },
        ]
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        let bootstrap = try Bootstrap(plan, app: app, directory: directory, http: JSONService())
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        let report = try await bootstrap.environment(presenters: StartupPresenters()).graph(.bootstrap).run(options: options).report
        #expect(calls.all == ["consent", "entitlements", "ads"])
        let (ended, started) = try (#require(report["sdk-consent"]?.end), #require(report["sdk-steps"]?.start))
        #expect(ended <= started)
        plan.thirdParties.removeLast()
        let error = #expect(throws: RegistryError.self) {
            try Bootstrap(plan, app: app, directory: directory, http: JSONService())
        }
        #expect(error?.problems == ["sdk-steps waits for 'sdk-consent', which is not in the graph"])
    }
}

/// What an SDK takes from its app.
private struct Services: SDKServices {
    let secureStore: any SecureStore
    let dataStore: any DataStore
    let calls: Lines

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) -> any SDKSession { SessionOfSDK(calls: calls) }
}

private struct SessionOfSDK: SDKSession {
    let calls: Lines

    func invalidate() {}
    func refreshToken(by deadline: Deadline) async { calls.add("refresh") }
    func fetchEntitlements(by deadline: Deadline) async -> Set<String> {
        calls.add("entitlements")
        return []
    }
}

/// A store that the system does not let the app into.
private struct DeniedStore: SecureStore {
    private let error = StorageError(.accessDenied, "keychain", "errSecMissingEntitlement")

    func read(_ key: StoreKey) -> StoredAnswer<Data> { .unavailable(error) }
    func write(_ data: Data, for key: StoreKey) throws(StorageError) { throw error }
    func remove(_ key: StoreKey) throws(StorageError) { throw error }
    func removeAll() throws(StorageError) { throw error }
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { throw error }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { throw error }
}
