import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// What the next process finds of this one.
@Suite("SDK boot configuration", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKBootConfigurationTests {
    /// A store of one file per key: what it takes to see what a killed process leaves behind.
    private final class FolderStore: SecureStore {
        let folder: URL
        init(_ folder: URL) { self.folder = folder }
        private func file(_ key: StoreKey) -> URL { folder.appendingPathComponent(key.description) }
        func read(_ key: StoreKey) -> StoredAnswer<Data> { (try? Data(contentsOf: file(key))).map { .value($0) } ?? .absent }
        func write(_ data: Data, for key: StoreKey) throws(StorageError) {
            do { try data.write(to: file(key), options: .atomic) } catch { throw StorageError(.inputOutput, folder.path, "\(error)") }
        }
        func remove(_ key: StoreKey) throws(StorageError) { try? FileManager.default.removeItem(at: file(key)) }
        func removeAll() throws(StorageError) {}
        func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try remove(key) }
        func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try body() }
    }

    private static func services(_ folder: URL) throws -> SampleSDKServices {
        let (secure, data) = (folder.appendingPathComponent("secure"), folder.appendingPathComponent("data"))
        for folder in [secure, data] { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        return SampleSDKServices(secure: FolderStore(secure), data: FolderStore(data))
    }

    @Test("D15: after a kill the next process reads the configuration of the last initialisation")
    func afterKill() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("boot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let sdk = SDKLifecycle.patient(try Self.services(URL(fileURLWithPath: path)))
            guard sdk.initialize(sdkBuilder.enableLogging().logLevel(.warn)) else { return }
            kill(getpid(), SIGKILL)
        }
        let next = SDKLifecycle.patient(try Self.services(folder))
        #expect(next.recoveredConfiguration() == .value(try sdkBuilder.enableLogging().logLevel(.warn).build()))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("data").path)
        #expect(files == ["sdk-boot-configuration"])
        let text = try String(contentsOf: folder.appendingPathComponent("data/sdk-boot-configuration"), encoding: .utf8)
        #expect(!text.contains("Canary") && !text.contains("4711"), "secrets are in the secure store only")
    }

    @Test("D15: of an initialisation that was cut off between its two writes nothing is recovered: a secret never meets another's address")
    func cutOff() throws {
        let services = SampleSDKServices()
        #expect(SDKLifecycle.patient(services).initialize(sdkBuilder))
        let storage = SDKStorage(services: services)
        try storage.persist(SDKStorage.Credentials(try sdkBuilder.baseUrl("https://other.example").build()))
        #expect(storage.recover() == .absent)
    }

    @Test("D15: a boot configuration that cannot be kept does not fail the initialisation, and is noted")
    func cannotKeep() {
        let data = FaultySDKStore()
        data.writeError.withLock { $0 = StorageError(.noSpace, "/data", "the disk is full") }
        let sdk = SDKLifecycle.patient(SampleSDKServices(data: data))
        #expect(sdk.initialize(sdkBuilder))
        #expect(sdk.trace.last?.contains("boot configuration: could not be kept: /data: the disk is full") == true)
        #expect(sdk.recoveredConfiguration() == .absent)
    }

    @Test("D15: nothing is recovered of nothing, of nonsense, and of what cannot be read now")
    func nothing() {
        let (secure, data) = (FaultySDKStore(), MemoryStore())
        let sdk = SDKLifecycle.patient(SampleSDKServices(secure: secure, data: data))
        #expect(sdk.recoveredConfiguration() == .absent)
        #expect(sdk.initialize(sdkBuilder))
        data.write(Data("[]".utf8), for: SDKStorage.boot)
        #expect(sdk.recoveredConfiguration() == .absent)
        let error = StorageError(.locked, "keychain", "not unlocked yet")
        secure.readError.withLock { $0 = error }
        #expect(sdk.recoveredConfiguration() == .unavailable(error))
    }
}
