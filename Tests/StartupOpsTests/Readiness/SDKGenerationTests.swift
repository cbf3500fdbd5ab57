import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Reconfiguring and resetting: nothing of an older generation counts any more, from however many threads it is done.
@Suite("SDK generations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKGenerationTests {
    private let other = sdkBuilder.baseUrl("https://other.example").clientId("other")

    @Test("D27: reconfigure clears the modules, is not ready, and initialises anew: in this order")
    func order() async throws {
        let services = SampleSDKServices(token: "token")
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        await sdk.untilReady()
        let made = Locked(0)
        func module() throws -> String {
            try sdk.module(String.self) { session in
                made.withLock { $0 += 1 }
                return (session as? SampleSDKSession)?.configuration.baseURL.host ?? ""
            }
        }
        #expect(try [module(), module()] == ["api.example.com", "api.example.com"])
        var readiness = sdk.isReady.makeAsyncIterator()
        #expect(await readiness.next() == true)
        #expect(sdk.reconfigure(other))
        #expect(await readiness.next() == false)
        #expect(await readiness.next() == true)
        #expect(try module() == "other.example")
        #expect(made.withLock { $0 } == 2)
        #expect(services.live == 1)
    }

    @Test("D28: a process that finds the session of another service, left by an update or a kill, clears it first")
    func foreignSession() throws {
        let (secure, data) = (MemoryStore(), MemoryStore())
        #expect(SDKLifecycle.patient(SampleSDKServices(secure: secure, data: data, token: "token of api")).initialize(sdkBuilder))
        let next = SDKLifecycle.patient(SampleSDKServices(secure: secure, data: data))
        #expect(next.initialize(other))
        #expect(secure.read(.sdkAccessToken) == .absent)
        #expect(next.trace.last?.contains("secure storage: the session of another service was cleared") == true)
        // The same service again, with a new secret or another log level, is no other service.
        secure.write(Data("token of other".utf8), for: .sdkAccessToken)
        #expect(
            SDKLifecycle.patient(SampleSDKServices(secure: secure, data: data)).initialize(other.clientSecret("rotated").logLevel(.info))
        )
        #expect(secure.read(.sdkAccessToken).value == Data("token of other".utf8))
    }

    @Test("D28: a session that cannot be cleared stops the reconfiguration: the new service is not even spoken to")
    func cannotClear() {
        let store = FaultySDKStore()
        let services = SampleSDKServices(secure: store, token: "token of api")
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        store.writeError.withLock { $0 = StorageError(.inputOutput, "/keys", "it cannot be written to") }
        #expect(!sdk.reconfigure(other))
        #expect(sdk.failure?.code == .secureStorageFailed)
        #expect(services.made == 1 && services.live == 0)
        // Nor by trying to initialise with it.
        #expect(!sdk.initialize(other))
        #expect(services.made == 1)
        store.writeError.withLock { $0 = nil }
        #expect(sdk.initialize(other))
        #expect(store.inner.read(.sdkAccessToken) == .absent)
    }

    @Test("D29: an invalid configuration, or a store that denies access, leaves everything as it was")
    func invalid() async {
        let store = FaultySDKStore()
        let services = SampleSDKServices(secure: store, token: "token")
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        await sdk.untilReady()
        for broken in [other.clientSecret(" "), other.baseUrl("http://other.example")] {
            #expect(!sdk.reconfigure(broken))
            #expect(sdk.failure != nil && sdk.isReadyNow && services.live == 1)
        }
        store.readError.withLock { $0 = StorageError(.accessDenied, "keychain", "no entitlement") }
        #expect(!sdk.reconfigure(other))
        #expect(sdk.failure?.code == .accessDenied && sdk.isReadyNow && services.live == 1)
        #expect(store.inner.read(.sdkAccessToken) != .absent)
        #expect(sdk.initialize(sdkBuilder), "still initialised with the old one")
    }

    @Test("D35: reset leads back to uninitialised, and forgets session and configuration")
    func reset() throws {
        let (secure, data) = (MemoryStore(), MemoryStore())
        let services = SampleSDKServices(secure: secure, data: data, token: "token")
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.reset(), "also before there is anything to reset")
        #expect(sdk.initialize(sdkBuilder))
        #expect(sdk.reset())
        #expect(!sdk.isInitialized && !sdk.isReadyNow && services.live == 0)
        #expect(throws: SDKError.self) { try sdk.module(Int.self) { _ in 1 } }
        #expect(secure.read(.sdkAccessToken) == .absent && secure.read(SDKStorage.credentials) == .absent)
        #expect(data.read(SDKStorage.boot) == .absent)
        #expect(sdk.recoveredConfiguration() == .absent)
    }

    @Test("D35: a reset while a session is restored ends the wait for that at once; a reconfiguration has it wait for the new session")
    func resetInRestore() async throws {
        let hold = AsyncGate()
        var behaviour = SampleSDKServices.Behaviour()
        behaviour.entitlements = { _ in
            await hold.wait(ignoringCancellation: true)
            return []
        }
        for isReset in [true, false] {
            let sdk = SDKLifecycle.patient(SampleSDKServices(token: "token", behaviour))
            #expect(sdk.initialize(sdkBuilder))
            var graph = OperationGraph("restore")
            graph.add("wait") { (step: StepContext) in try await sdk.waitUntilReady(in: step) }
            let launch = try graph.start()
            await eventually { launch.status.operations.first?.description == "waits for the restore of an earlier session" }
            #expect(isReset ? sdk.reset() : sdk.reconfigure(other))
            let report = await launch.end().report
            #expect(report["wait"]?.outcome == (isReset ? .failed : .succeeded))
            if isReset { #expect(report["wait"]?.message?.contains("the SDK was reset, or could not be reconfigured") == true) }
        }
        hold.open()
    }

    /// A store in which one value stays.
    private struct StubbornStore: StoreOver, SecureStore {
        let content = MemoryStore()
        let key: StoreKey

        func remove(_ key: StoreKey) throws(StorageError) {
            if key == self.key { throw StorageError(.inputOutput, key.description, "it stays") }
            content.remove(key)
        }
    }

    @Test(
        "fault T37: where the session, the secret or the configuration cannot be removed, a reset removes the others, and says so",
        arguments: [StoreKey.sdkAccessToken, SDKStorage.credentials, SDKStorage.boot]
    )
    func halfReset(_ key: StoreKey) {
        let store = StubbornStore(key: key)
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: store, data: store, token: "token"))
        #expect(sdk.initialize(sdkBuilder))
        #expect(!sdk.reset() && !sdk.isInitialized)
        #expect(sdk.failure?.code == .secureStorageFailed)
        let left = [StoreKey.sdkAccessToken, SDKStorage.credentials, SDKStorage.boot].filter { store.read($0) != .absent }
        #expect(left == [key])
    }

    @Test("D36: what is under way at a reconfiguration is cancelled, and answered at once; its late answer is discarded")
    func inFlight() async throws {
        let hold = AsyncGate()
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        #expect(sdk.initialize(sdkBuilder))
        let (cancelled, wasCancelled) = AsyncStream.makeStream(of: Bool.self)
        let request = Task {
            try await sdk.perform(for: "Rewards.balance") { _ in
                await hold.wait(ignoringCancellation: true)
                wasCancelled.yield(Task.isCancelled)
                return "late answer"
            }
        }
        await hold.arrivals()
        #expect(sdk.reconfigure(other))
        // The work still hangs, deaf to being cancelled: its caller does not wait for it.
        let error = await #expect(throws: SDKError.self) { try await request.value }
        #expect(error?.code == .superseded && error?.subject == "Rewards.balance")
        hold.open()
        for await wasCancelled in cancelled {
            #expect(wasCancelled)
            break
        }
        #expect(try await sdk.perform { ($0 as? SampleSDKSession)?.configuration.baseURL.host } == "other.example")
    }

    @Test("D37, fault L14: an old restore that ends after a reconfiguration does not make the new generation ready")
    func oldRestore() async throws {
        let holds = [AsyncGate(), AsyncGate()]
        let store = MemoryStore()
        let number = Locked(0)
        var behaviour = SampleSDKServices.Behaviour()
        behaviour.entitlements = { _ in
            let mine = number.withLock { number in
                defer { number += 1 }
                return number
            }
            await holds[mine].wait(ignoringCancellation: true)
            return []
        }
        behaviour.whenMade = { configuration, _ in
            // The new service's session is there before its restore begins.
            if configuration.clientID == "other" { store.write(Data("token of other".utf8), for: .sdkAccessToken) }
        }
        let services = SampleSDKServices(secure: store, token: "token", behaviour)
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(sdkBuilder))
        await holds[0].arrivals()
        let oldRestore = sdk.state.withLock { $0.current?.restore }
        let readiness = sdk.isReady
        #expect(sdk.reconfigure(other))
        await holds[1].arrivals()
        holds[0].open()
        #expect(oldRestore != nil)
        await oldRestore?.task.value
        #expect(!sdk.isReadyNow)
        #expect(sdk.restoreOutcomes.isEmpty)
        #expect(services.sessions.withLock { $0[0].calls.withLock { $0 } } == ["entitlements"], "nothing more of the old one began")
        holds[1].open()
        await sdk.untilReady()
        var seen: [Bool] = []
        for await isReady in readiness {
            seen.append(isReady)
            if isReady { break }
        }
        #expect(seen == [false, true])
    }

    @Test("D30, fault L13: 64 threads that initialise at once make one client and one restore, and all are told true")
    func race() async {
        let services = SampleSDKServices(token: "token")
        let sdk = SDKLifecycle.patient(services)
        let results = onThreads(64) { _ in sdk.initialize(sdkBuilder) }
        #expect(results == Array(repeating: true, count: 64))
        await sdk.untilReady()
        #expect(services.made == 1)
        #expect(services.sessions.withLock { $0[0].calls.withLock { $0 } } == ["entitlements", "geofencing", "walking", "sync"])
    }

    @Test("D30, fault L13, fault L14: 64 threads that initialise, reconfigure and reset at once never have two clients alive")
    func mixedRace() async {
        let services = SampleSDKServices(token: "token")
        let most = Locked(0)
        services.behaviour.withLock { behaviour in
            behaviour.whenMade = { [weak services] _, _ in
                let live = services?.live ?? 0
                most.withLock { $0 = max($0, live + 1) }
            }
        }
        let sdk = SDKLifecycle.patient(services)
        _ = onThreads(64) { thread in
            switch thread % 4 {
            case 0: sdk.initialize(sdkBuilder)
            case 1: sdk.reconfigure(other)
            case 2: sdk.reset()
            default: (try? sdk.module(Int.self) { _ in 1 }) != nil
            }
        }
        #expect(most.withLock { $0 } == 1)
        #expect(services.live == (sdk.isInitialized ? 1 : 0))
        #expect(sdk.reconfigure(sdkBuilder))
        await sdk.untilReady()
        #expect(services.live == 1)
    }

    @Test("D31: what one thread has initialised, every other one sees")
    func visibility() {
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        _ = onThreads(1) { _ in sdk.initialize(sdkBuilder) }
        let seen = onThreads(16) { _ in sdk.isInitialized && sdk.isReadyNow && (try? sdk.module(Int.self) { _ in 1 }) == 1 }
        #expect(seen == Array(repeating: true, count: 16))
    }

    /// Runs `body` on threads of their own, which begin together, and returns what each returned.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Bool) -> [Bool] {
        let results = Locked([Bool](repeating: false, count: count))
        let (start, end) = (DispatchSemaphore(value: 0), DispatchGroup())
        for number in 0..<count {
            end.enter()
            Thread {
                start.waitPatiently()
                let result = body(number)
                results.withLock { $0[number] = result }
                end.leave()
            }.start()
        }
        for _ in 0..<count { start.signal() }
        end.waitPatiently()
        return results.withLock { $0 }
    }
}
