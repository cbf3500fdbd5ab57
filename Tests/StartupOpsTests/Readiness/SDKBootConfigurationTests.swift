import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// What the next process finds of this one.
@Suite("SDK boot configuration", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKBootConfigurationTests {
    private static func services(_ folder: URL) throws -> SampleSDKServices {
        SampleSDKServices(
            secure: try FileStore.secrets(in: folder.appendingPathComponent("secure")),
            data: try FileStore(directory: folder.appendingPathComponent("data"))
        )
    }

    @Test("D15: the next process reads the configuration of the last initialisation")
    func nextProcess() throws {
        let folder = try TemporaryFolder()
        #expect(SDKLifecycle.patient(try Self.services(folder.url)).initialize(sdkBuilder.enableLogging().logLevel(.warn)))
        let next = SDKLifecycle.patient(try Self.services(folder.url))
        #expect(next.recoveredConfiguration() == .value(try sdkBuilder.enableLogging().logLevel(.warn).build()))
        #expect(names(in: folder("data")) == ["sdk-boot-configuration"])
        let text = try String(contentsOf: folder("data/sdk-boot-configuration"), encoding: .utf8)
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
