import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Setting an SDK up: the builder, the order, what can fail, and doing it again.
@Suite("SDK initialisation", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKInitializationTests {
    @Test("D1: three fields are required; logging is off by default, and settable with level and writer")
    func builderDefaults() throws {
        let plain = try sdkBuilder.build()
        #expect(plain.baseURL.absoluteString == "https://api.example.com")
        #expect((plain.clientID.value, plain.clientSecret.value) == ("client-4711", "s3cr3t/Canary+42="))
        #expect((plain.isLoggingEnabled, plain.logLevel) == (false, .off) && plain.logWriter == nil)
        let writer = RecordingLogWriter()
        let full = try sdkBuilder.enableLogging().logLevel(.warn).logWriter(writer).build()
        #expect(full.isLoggingEnabled && full.logLevel == .warn && full.logWriter === writer)
    }

    private static let empty = SDKConfiguration.Builder()
    @Test(
        "D2, D4: a missing, an empty and a blank field fail by name",
        arguments: [
            (empty.clientId("a").clientSecret("b"), "baseUrl"), (empty.baseUrl("https://a.example").clientSecret("b"), "clientId"),
            (empty.baseUrl("https://a.example").clientId("a"), "clientSecret"), (sdkBuilder.baseUrl(""), "baseUrl"),
            (sdkBuilder.clientId(""), "clientId"),
            (sdkBuilder.clientSecret(""), "clientSecret"), (sdkBuilder.clientId(" \t"), "clientId"),
            (sdkBuilder.clientSecret("\n \u{A0}"), "clientSecret"),
        ]
    )
    func missingFields(builder: SDKConfiguration.Builder, field: String) {
        let error = #expect(throws: SDKError.self) { try builder.build() }
        #expect(error?.code == .missingField && error?.subject == field)
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        #expect(!sdk.initialize(builder))
        #expect(sdk.failure?.code == .missingField && "\(sdk.failure as Any)".contains(field))
        #expect(!sdk.isInitialized)
    }

    @Test(
        "D3: a base URL has to be https with a plain host",
        arguments: [
            "http://api.example.com", "ftp://api.example.com", "api.example.com", "https://", "https:///path",
            "https://user:hunter2@api.example.com",
            "https://good.example@evil.example", "https://api.example.com:0", "https://api.example.com:99999", "https://api.example.com:x",
            "https://api example.com", "https://g%6fod.example", "https://a..b", "https://-a.example", "https://api.example.com/?q=1",
            "https://api.example.com#f", "https://api.example.com\\@evil.example", "javascript://api.example.com",
            "https://api.example.com/a b",
            "http://127.0.0.1:8080", "http://localhost", "https://.", "https://[zz]", "https://[", "https://]",
        ]
    )
    func invalidBaseURLs(url: String) {
        let error = #expect(throws: SDKError.self) { try sdkBuilder.baseUrl(url).build() }
        #expect(error?.code == .invalidBaseURL)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("D3: https hosts are accepted; http only on this machine, and only when that is asked for")
    func validBaseURLs() throws {
        for url in [
            "https://api.example.com", "https://api.example.com/v1/", "HTTPS://API.example.com:8443/x", "https://10.0.0.1",
            "https://[2001:db8::1]:443/",
        ] {
            #expect(try sdkBuilder.baseUrl(url).build().baseURL.host != nil)
        }
        for url in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:9"] {
            #expect(try sdkBuilder.baseUrl(url).allowInsecureLoopback().build().baseURL.scheme == "http")
        }
        for url in ["http://api.example.com", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://127.0.0.2"] {
            #expect(throws: SDKError.self) { try sdkBuilder.baseUrl(url).allowInsecureLoopback().build() }
        }
    }

    @Test("D5, fault L16: a feature that is used before initialise is an error that names both")
    func accessBefore() async throws {
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        let error = #expect(throws: SDKError.self) { try sdk.module(Int.self, for: "Rewards.balance") { _ in 1 } }
        #expect(error?.code == .notInitialized && error?.subject == "Rewards.balance")
        #expect(error?.description == "Rewards.balance: the SDK is not initialised; call initialize first, and see that it returns true")
        await #expect(throws: SDKError.self) { try await sdk.perform { _ in 1 } }
        #expect(sdk.initialize(sdkBuilder))
        #expect(try sdk.module(Int.self) { _ in 1 } == 1)
        #expect(try await sdk.perform { _ in 2 } == 2)
    }

    @Test("D6: logging, secure storage, credentials, client, boot configuration, auto-restore: in this order")
    func order() async throws {
        let (secure, data) = (FaultySDKStore(), FaultySDKStore())
        var behaviour = SampleSDKServices.Behaviour()
        let seen = Locked<[String]>([])
        behaviour.whenMade = { _, _ in seen.withLock { $0 = secure.calls.withLock { $0 } + ["client"] + data.calls.withLock { $0 } } }
        let services = SampleSDKServices(secure: secure, data: data, behaviour)
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        #expect(sdk.trace.map { $0.map { $0.prefix { $0 != ":" } } } == [sdkSteps.map { $0[...] }])
        #expect(seen.withLock { $0 } == ["write sdk-credentials", "client"])
        #expect(data.calls.withLock { $0 } == ["write sdk-boot-configuration"])
    }

    @Test("D7, D8, fault L13: after a failure it is uninitialised, accessors throw, and it may be tried again")
    func failsThenSucceeds() async throws {
        let services = SampleSDKServices()
        services.behaviour.withLock { $0.makeFails = true }
        let writer = RecordingLogWriter()
        let logging = sdkBuilder.enableLogging().logLevel(.error).logWriter(writer)
        let sdk = SDKLifecycle.patient(services)
        #expect(!sdk.initialize(logging))
        #expect(sdk.failure?.code == .clientFailed && !sdk.isInitialized && !sdk.isReadyNow)
        let error = #expect(throws: SDKError.self) { try sdk.module(Int.self) { _ in 1 } }
        #expect(error?.code == .notInitialized && error?.description.contains("no client") == true)
        await sdk.log.flush()
        #expect(writer.text.contains("ERROR SDKLifecycle client: it could not be made: no client"))
        services.behaviour.withLock { $0.makeFails = false }
        #expect(sdk.initialize(logging))
        #expect(sdk.failure == nil && sdk.isInitialized && sdk.isReadyNow)
    }

    @Test("D7: an invalid configuration is logged as its builder asked for")
    func invalidIsLogged() async {
        let writer = RecordingLogWriter()
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        #expect(!sdk.initialize(SDKConfiguration.Builder().clientId("client-4711").enableLogging().logLevel(.verbose).logWriter(writer)))
        await eventually { !writer.text.isEmpty }
        #expect(writer.text.contains("baseUrl: it is required"))
    }

    @Test("D9: a corrupted secure store is made anew, and that is reported", arguments: ["setAside", "removeAll"])
    func corrupted(cure: String) async throws {
        let store = FaultySDKStore()
        let services = SampleSDKServices(secure: store, token: "old token")
        store.readError.withLock { $0 = StorageError(.corrupt, "/keys", "it is torn") }
        store.heals.withLock { $0 = [cure] }
        let writer = RecordingLogWriter()
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(.warn).logWriter(writer)))
        #expect(sdk.trace.last?.contains("secure storage: corrupted, and made anew: /keys: it is torn") == true)
        await sdk.log.flush()
        #expect(writer.text.contains("WARN SDKLifecycle the secure storage was corrupted and has been made anew"))
        // Whose token it was is not known any more.
        #expect(store.inner.read(.sdkAccessToken) == .absent)
        #expect(sdk.isReadyNow)
    }

    @Test("D9: credentials that make no sense are set aside and written anew")
    func undecodable() {
        let store = FaultySDKStore()
        store.inner.write(Data("{".utf8), for: SDKStorage.credentials)
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: store))
        #expect(sdk.initialize(sdkBuilder))
        #expect(store.calls.withLock { $0 }.contains("setAside"))
        #expect(sdk.recoveredConfiguration().value?.clientID == "client-4711")
    }

    @Test("D9: a store that stays corrupted fails the initialisation")
    func incurable() {
        let store = FaultySDKStore()
        store.readError.withLock { $0 = StorageError(.corrupt, "/keys", "it is torn") }
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: store))
        #expect(!sdk.initialize(sdkBuilder))
        #expect(sdk.failure?.code == .secureStorageFailed)
    }

    @Test("D10, D34: access denied, locked, disk full and no client are told apart, each with what to do")
    func failureCauses() {
        func failure(_ arrange: (SampleSDKServices, FaultySDKStore) -> Void) -> SDKError? {
            let store = FaultySDKStore()
            let services = SampleSDKServices(secure: store, token: "token")
            arrange(services, store)
            let sdk = SDKLifecycle.patient(services)
            #expect(!sdk.initialize(sdkBuilder))
            #expect(store.inner.read(.sdkAccessToken) != .absent, "nothing that was stored is lost")
            return sdk.failure
        }
        let denied = failure { $1.readError.withLock { $0 = StorageError(.accessDenied, "keychain", "no entitlement") } }
        #expect(denied?.code == .accessDenied && denied?.resolution?.contains("entitlement") == true)
        let writeDenied = failure { $1.writeError.withLock { $0 = StorageError(.accessDenied, "keychain", "no entitlement") } }
        #expect(writeDenied?.code == .accessDenied)
        let locked = failure { $1.readError.withLock { $0 = StorageError(.locked, "keychain", "not unlocked yet") } }
        #expect(locked?.code == .secureStorageFailed && locked?.resolution?.contains("unlocked") == true)
        let full = failure { $1.writeError.withLock { $0 = StorageError(.noSpace, "/keys", "the disk is full", systemError: 28) } }
        #expect(full?.code == .secureStorageFailed && full?.description.contains("/keys: the disk is full") == true)
        #expect(failure { services, _ in services.behaviour.withLock { $0.makeFails = true } }?.code == .clientFailed)
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        sdk.initialize(sdkBuilder.baseUrl("http://api.example.com"))
        #expect(sdk.failure?.code == .invalidBaseURL)
        sdk.initialize(sdkBuilder.clientId(" "))
        #expect(sdk.failure?.code == .missingField)
    }

    @Test("D25, fault L13: another configuration is refused with the names of the fields that differ, and none of their values")
    func differentAgain() async throws {
        let writer = RecordingLogWriter()
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        let logging = sdkBuilder.enableLogging().logLevel(.verbose).logWriter(writer)
        #expect(sdk.initialize(logging))
        #expect(!sdk.initialize(logging.clientSecret("other-secret-77").baseUrl("https://other.example")))
        #expect(sdk.failure?.code == .alreadyInitialized)
        let text = "\(sdk.failure as Any)"
        #expect(text.contains("with another baseUrl, clientSecret"))
        #expect(!text.contains("other-secret-77") && !text.contains("s3cr3t"))
        #expect(sdk.isReadyNow && sdk.recoveredConfiguration().value?.baseURL.host == "api.example.com")
        await sdk.log.flush()
        #expect(writer.text.contains("WARN SDKLifecycle initialize: it is initialised already"))
    }

    @Test("D26: after a failure and after a reset the next initialisation is a full one")
    func fullAgain() {
        let services = SampleSDKServices()
        let sdk = SDKLifecycle.patient(services)
        #expect(!sdk.initialize(sdkBuilder.clientId("")))
        #expect(sdk.initialize(sdkBuilder))
        #expect(sdk.reset())
        #expect(sdk.initialize(sdkBuilder))
        #expect(services.made == 2 && services.live == 1)
        #expect(sdk.trace.map { $0.map { $0.prefix { $0 != ":" } } } == Array(repeating: sdkSteps.map { $0[...] }, count: 2))
    }

    @Test("fault L13: a set-up that is called from within itself is refused, and does not wait for itself")
    func reentrant() {
        let box = Locked<SDKLifecycle?>(nil)
        var behaviour = SampleSDKServices.Behaviour()
        let inner = Locked<(Bool, SDKError?)>((true, nil))
        behaviour.whenMade = { _, _ in
            guard let sdk = box.withLock({ $0 }) else { return }
            let result = sdk.reset()
            inner.withLock { $0 = (result, sdk.failure) }
        }
        let sdk = SDKLifecycle.patient(SampleSDKServices(behaviour))
        box.withLock { $0 = sdk }
        #expect(sdk.initialize(sdkBuilder))
        #expect(inner.withLock { $0 }.0 == false && inner.withLock { $0 }.1?.code == .reentrantCall)
        box.withLock { $0 = nil }
    }
}
