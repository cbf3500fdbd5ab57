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
        let store = FaultyStore()
        let services = SampleSDKServices(secure: store, token: "old token")
        store.fail { $0.reads = StorageError(.corrupt, "/keys", "it is torn") }
        store.fail { $0.heals = [cure] }
        let writer = RecordingLogWriter()
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(.warn).logWriter(writer)))
        #expect(sdk.trace.last?.contains("secure storage: corrupted, and made anew: /keys: it is torn") == true)
        await sdk.log.flush()
        #expect(writer.text.contains("WARN SDKLifecycle the secure storage was corrupted and has been made anew"))
        // Whose token it was is not known any more.
        #expect(store.content.read(.sdkAccessToken) == .absent)
        #expect(sdk.isReadyNow)
    }

    @Test("D9: credentials that make no sense are set aside and written anew")
    func undecodable() {
        let store = FaultyStore()
        store.content.write(Data("{".utf8), for: SDKStorage.credentials)
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: store))
        #expect(sdk.initialize(sdkBuilder))
        #expect(store.calls.withLock { $0 }.contains("setAside"))
        #expect(sdk.recoveredConfiguration().value?.clientID == "client-4711")
    }

    @Test("D9: a store that stays corrupted fails the initialisation")
    func incurable() {
        let store = FaultyStore()
        store.fail { $0.reads = StorageError(.corrupt, "/keys", "it is torn") }
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: store))
        #expect(!sdk.initialize(sdkBuilder))
        #expect(sdk.failure?.code == .secureStorageFailed)
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
