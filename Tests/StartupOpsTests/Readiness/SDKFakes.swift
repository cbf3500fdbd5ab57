import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// A service for SDKs: it makes sessions, counts them, and lets tests decide what they do.
final class SampleSDKServices: SDKServices {
    struct Behaviour: Sendable {
        var entitlements: @Sendable (Deadline) async throws -> Set<String> = { _ in ["walking"] }
        var geofencing: @Sendable (Deadline) async throws -> Void = { _ in }
        var walking: @Sendable (Deadline) async throws -> Void = { _ in }
        var makeFails = false
        var whenMade: @Sendable (SDKConfiguration, SDKLog) -> Void = { _, _ in }
    }

    let secureStore: any SecureStore
    let dataStore: any DataStore
    let behaviour: Locked<Behaviour>
    let sessions = Locked<[SampleSDKSession]>([])

    init(
        secure: any SecureStore = MemoryStore(),
        data: any DataStore = MemoryStore(),
        token: String? = nil,
        _ behaviour: Behaviour = Behaviour()
    ) {
        secureStore = secure
        dataStore = data
        self.behaviour = Locked(behaviour)
        if let token { try? secure.write(Data(token.utf8), for: .sdkAccessToken) }
    }

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession {
        let behaviour = behaviour.withLock { $0 }
        behaviour.whenMade(configuration, log)
        if behaviour.makeFails { throw SDKSampleError(name: "no client") }
        let session = SampleSDKSession(configuration, behaviour)
        sessions.withLock { $0.append(session) }
        return session
    }

    var made: Int { sessions.withLock { $0.count } }
    var live: Int { sessions.withLock { $0.filter { !$0.isInvalid } }.count }
}

struct SDKSampleError: Error, CustomStringConvertible {
    let name: String
    var description: String { name }
}

final class SampleSDKSession: SDKSession {
    let configuration: SDKConfiguration
    private let behaviour: SampleSDKServices.Behaviour
    private let invalid = Locked(false)
    let calls = Locked<[String]>([])

    init(_ configuration: SDKConfiguration, _ behaviour: SampleSDKServices.Behaviour) {
        self.configuration = configuration
        self.behaviour = behaviour
    }

    var isInvalid: Bool { invalid.withLock { $0 } }
    func invalidate() { invalid.withLock { $0 = true } }

    func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> {
        calls.withLock { $0.append("entitlements") }
        return try await behaviour.entitlements(deadline)
    }

    var restoreSteps: [SDKRestoreStep] {
        let behaviour = behaviour
        return [
            SDKRestoreStep("geofencing") { deadline in
                self.calls.withLock { $0.append("geofencing") }
                try await behaviour.geofencing(deadline)
            },
            SDKRestoreStep(
                "walking sync",
                unless: { entitlements in
                    guard let entitlements else { return "it is not known whether the person is still entitled to it" }
                    return entitlements.contains("walking") ? nil : "the person is not entitled to it any more"
                }
            ) { deadline in
                self.calls.withLock { $0.append("walking") }
                try await behaviour.walking(deadline)
                try Task.checkCancellation()
                self.calls.withLock { $0.append("sync") }
            },
        ]
    }
}

/// The parts of an initialisation, in their order.
let sdkSteps = ["logging", "secure storage", "credentials", "client", "boot configuration", "auto-restore"]

extension [SDKRestoreResult] {
    /// How a part has ended; nil as long as it has not.
    subscript(step: String) -> SDKRestoreOutcome? { first { $0.step == step }?.outcome }
}

/// A store whose answers tests decide.
final class FaultySDKStore: SecureStore {
    let inner = MemoryStore()
    let readError = Locked<StorageError?>(nil)
    let writeError = Locked<StorageError?>(nil)
    /// What makes the store readable again: setting one value aside, or removing all.
    let heals = Locked<Set<String>>([])
    let calls = Locked<[String]>([])

    private func note(_ call: String) {
        calls.withLock { $0.append(call) }
        if heals.withLock({ $0.contains(call) }) { readError.withLock { $0 = nil } }
    }

    func read(_ key: StoreKey) -> StoredAnswer<Data> { readError.withLock { $0 }.map { .unavailable($0) } ?? inner.read(key) }
    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        note("write \(key)")
        if let error = writeError.withLock({ $0 }) { throw error }
        inner.write(data, for: key)
    }
    func remove(_ key: StoreKey) throws(StorageError) {
        note("remove")
        if let error = writeError.withLock({ $0 }) { throw error }
        inner.remove(key)
    }
    func removeAll() throws(StorageError) {
        note("removeAll")
        if let error = writeError.withLock({ $0 }) { throw error }
        inner.removeAll()
    }
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        note("setAside")
        inner.remove(key)
    }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try inner.withExclusiveAccess(body) }
}

/// Keeps what is logged.
final class RecordingLogWriter: SDKLogWriter {
    let lines = Locked<[String]>([])
    func write(_ level: SDKLogLevel, tag: String, message: String) { lines.withLock { $0.append("\(level) \(tag) \(message)") } }
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

let sdkBuilder = SDKConfiguration.Builder().baseUrl("https://api.example.com").clientId("client-4711").clientSecret("s3cr3t/Canary+42=")

extension SDKLifecycle {
    /// One that waits for its restore for as long as a busy machine may take.
    static func patient(_ services: any SDKServices) -> SDKLifecycle {
        SDKLifecycle(services: services, options: SDKOptions(restoreTimeout: .seconds(600)))
    }

    /// Returns when it is ready.
    func untilReady() async { for await isReady in isReady where isReady { return } }
}
