import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Restoring an earlier session in the background, and being ready whatever becomes of it.
@Suite("SDK auto-restore", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKRestoreTests {
    /// The parts that the sample restores, in order.
    private static let steps = ["entitlements", "geofencing", "walking sync"]

    @Test(
        "D16, D17: without a session, and with a blank token, it is ready at once and restores nothing",
        arguments: [nil, "", "  ", "\n\t"]
    )
    func noSession(token: String?) async {
        let services = SampleSDKServices(token: token)
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        #expect(sdk.isReadyNow)
        #expect(sdk.trace.last?.last == "auto-restore: no session")
        #expect(services.sessions.withLock { $0[0].calls.withLock { $0 } }.isEmpty)
    }

    @Test("D16, D18: with a session it restores in the background: not ready until all of it is done; the latest value is replayed")
    func restores() async {
        let hold = AsyncGate()
        var behaviour = SampleSDKServices.Behaviour()
        behaviour.walking = { _ in await hold.wait(ignoringCancellation: true) }
        let services = SampleSDKServices(token: "token", behaviour)
        let sdk = SDKLifecycle.patient(services)
        var early = sdk.isReady.makeAsyncIterator()
        #expect(await early.next() == false)
        #expect(sdk.initialize(sdkBuilder))
        await hold.arrivals()
        #expect(!sdk.isReadyNow && sdk.isInitialized)
        var later = sdk.isReady.makeAsyncIterator()
        #expect(await later.next() == false)
        hold.open()
        #expect(await early.next() == true)
        #expect(await later.next() == true)
        #expect(sdk.isReadyNow)
        var late = sdk.isReady.makeAsyncIterator()
        #expect(await late.next() == true)
        #expect(services.sessions.withLock { $0[0].calls.withLock { $0 } } == ["entitlements", "geofencing", "walking", "sync"])
    }

    @Test(
        "D19: whichever of the three steps fails, and if all do, it becomes ready, and the failure is logged",
        arguments: [["entitlements"], ["geofencing"], ["walking sync"], Self.steps]
    )
    func failures(failing: [String]) async {
        var behaviour = SampleSDKServices.Behaviour()
        if failing.contains("entitlements") { behaviour.entitlements = { _ in throw SDKSampleError(name: "entitlements broke") } }
        if failing.contains("geofencing") { behaviour.geofencing = { _ in throw SDKSampleError(name: "geofencing broke") } }
        if failing.contains("walking sync") { behaviour.walking = { _ in throw SDKSampleError(name: "walking broke") } }
        let writer = RecordingLogWriter()
        let sdk = SDKLifecycle.patient(SampleSDKServices(token: "token", behaviour))
        #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(.error).logWriter(writer)))
        await sdk.untilReady()
        await sdk.log.flush()
        for step in failing {
            if step == "walking sync", failing.contains("entitlements") {
                #expect(sdk.restoreOutcomes[step] == .skipped(because: "it is not known whether the person is still entitled to it"))
            } else {
                let name = step == "walking sync" ? "walking" : step
                #expect(sdk.restoreOutcomes[step] == .failed("\(name) broke"))
                #expect(writer.text.contains("ERROR SDKLifecycle restoring \(step) failed: \(name) broke"))
            }
        }
        #expect(sdk.restoreOutcomes.map(\.step) == Self.steps)
    }

    @Test(
        "D20: a restore that hangs, deaf to cancellation, does not keep it from being ready: the deadline does that",
        arguments: Self.steps
    )
    func hangs(step: String) async {
        let upToHere = Array(["entitlements", "geofencing", "walking"].prefix((Self.steps.firstIndex(of: step) ?? 0) + 1))
        // On a busy machine the first deadline may come before the step that hangs has begun: then once more, with a later one.
        var calls: [String] = []
        for timeout in [Duration.milliseconds(300), .seconds(5), .seconds(60)] where calls != upToHere {
            calls = await restore(hangingIn: step, until: timeout)
            #expect(upToHere.starts(with: calls), "the steps behind it do not begin")
        }
        #expect(calls == upToHere)
    }

    /// Restores, until the deadline and whatever comes after it, and returns what was called.
    private func restore(hangingIn step: String, until timeout: Duration) async -> [String] {
        let hold = AsyncGate()
        var behaviour = SampleSDKServices.Behaviour()
        switch step {
        case "entitlements":
            behaviour.entitlements = { _ in
                await hold.wait(ignoringCancellation: true); return []
            }
        case "geofencing": behaviour.geofencing = { _ in await hold.wait(ignoringCancellation: true) }
        default: behaviour.walking = { _ in await hold.wait(ignoringCancellation: true) }
        }
        let services = SampleSDKServices(token: "token", behaviour)
        let sdk = SDKLifecycle(services: services, options: SDKOptions(restoreTimeout: timeout))
        #expect(sdk.initialize(sdkBuilder))
        let restore = sdk.state.withLock { $0.current?.restore }
        await sdk.untilReady()
        if case .failed(let message) = sdk.restoreOutcomes[step] {
            #expect(message == "not over at the deadline of \(durationText(timeout))")
        } else {
            Issue.record("\(sdk.restoreOutcomes)")
        }
        let outcomes = sdk.restoreOutcomes
        hold.open()
        // What it comes to afterwards counts no more.
        #expect(restore != nil)
        await restore?.task.value
        #expect(sdk.restoreOutcomes == outcomes)
        return services.sessions.withLock { $0[0].calls.withLock { $0 } }
    }

    @Test("D21: entitlements come first, with a deadline to give on: they validate the session and refresh a token near its expiry")
    func entitlements() async {
        let remaining = Locked<Duration?>(nil)
        let isValid = Locked(false)
        var behaviour = SampleSDKServices.Behaviour()
        behaviour.entitlements = { deadline in
            remaining.withLock { $0 = deadline.remaining }
            for _ in 0..<3 { await Task.yield() }
            isValid.withLock { $0 = true }
            return ["walking"]
        }
        // What comes after them begins with a session that is known to be valid, not just after they have begun.
        behaviour.geofencing = { _ in #expect(isValid.withLock { $0 }) }
        behaviour.walking = { _ in #expect(isValid.withLock { $0 }) }
        let services = SampleSDKServices(token: "token", behaviour)
        let sdk = SDKLifecycle(services: services, options: SDKOptions(restoreTimeout: .seconds(3600)))
        sdk.initialize(sdkBuilder)
        await sdk.untilReady()
        // The whole time that the restore has; no other is as long.
        #expect(remaining.withLock { $0 }.map { $0 > .seconds(3000) && $0 <= .seconds(3600) } == true)
        #expect(services.sessions.withLock { $0[0].calls.withLock { $0 } } == ["entitlements", "geofencing", "walking", "sync"])
        #expect(sdk.restoreOutcomes == Self.steps.map { SDKRestoreResult(step: $0, outcome: .restored) })
    }

    @Test("D22, D23: the parts after the entitlements are the SDK's own: any number, in its order, each with the entitlements to decide by")
    func ownSteps() async {
        struct Session: SDKSession {
            let done: Locked<[String]>

            func invalidate() {}
            func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> { ["maps"] }
            var restoreSteps: [SDKRestoreStep] {
                ["cache", "maps", "voices"].map { name in
                    SDKRestoreStep(name, unless: { name == "cache" || $0?.contains(name) == true ? nil : "it is not paid for" }) { _ in
                        done.withLock { $0.append(name) }
                    }
                }
            }
        }
        final class Services: SDKServices {
            let secureStore: any SecureStore = MemoryStore()
            let dataStore: any DataStore = MemoryStore()
            let done = Locked<[String]>([])

            func storedAccessToken() -> StoredAnswer<Secret> { .value("token") }
            func makeSession(_ configuration: SDKConfiguration, log: SDKLog) -> any SDKSession { Session(done: done) }
        }
        let services = Services()
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        await sdk.untilReady()
        #expect(services.done.withLock { $0 } == ["cache", "maps"])
        #expect(
            sdk.restoreOutcomes.map(\.description) == [
                "entitlements restored", "cache restored", "maps restored", "voices skipped, it is not paid for",
            ]
        )
    }

    @Test("a session that cannot be read now is no logout: nothing is deleted, and it is ready")
    func unreadable() {
        final class Services: SDKServices {
            let secureStore: any SecureStore = MemoryStore()
            let dataStore: any DataStore = MemoryStore()
            func storedAccessToken() -> StoredAnswer<Secret> { .unavailable(StorageError(.locked, "keychain", "not unlocked yet")) }
            func clearSession() throws { Issue.record("it was cleared") }
            func makeSession(_ configuration: SDKConfiguration, log: SDKLog) -> any SDKSession { SampleSDKSession(configuration, .init()) }
        }
        let sdk = SDKLifecycle.patient(Services())
        #expect(sdk.initialize(sdkBuilder) && sdk.isReadyNow)
        #expect(sdk.trace.last?.last == "auto-restore: the session cannot be read now: keychain: not unlocked yet")
    }
}
