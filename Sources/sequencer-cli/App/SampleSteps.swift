import Foundation
import StartupNetworking
import StartupOps
import StartupStorage

/// The sample app's SDK: a step counter that keeps its counts on this device, and has no session to restore.
struct SampleSteps: SDKServices {
    let directory: StateDirectory

    var secureStore: any SecureStore { directory.secure }
    var dataStore: any DataStore { directory.state }

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession { Session() }

    /// The SDK as the plan of an app at `url` has it.
    static func sdk(at url: URL, in directory: StateDirectory) -> ThirdPartySDK {
        ThirdPartySDK(
            "steps",
            lifecycle: SDKLifecycle(services: SampleSteps(directory: directory), options: SDKOptions(restoreTimeout: .seconds(2))),
            configuration: SDKConfiguration.Builder()
                .baseUrl(url.absoluteString)
                .clientId("sequencer-cli")
                .clientSecret("issued to the sample app")
                .allowInsecureLoopback()
        )
    }

    private struct Session: SDKSession {
        func invalidate() {}
        func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> { [] }
    }
}
