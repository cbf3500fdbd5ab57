import Foundation
import StartupOps

extension SampleApp {
    /// What the sample app's own code and core find their service by.
    private struct Keys: Sendable, Hashable {
        let service: String
    }

    /// How the sample app starts as a white-label app: with the speakers as its optional module, active once one is known.
    static func plan(for url: URL, _ app: AppInfo, _ directory: StateDirectory) -> BootstrapPlan {
        var plan = BootstrapPlan(
            endpoints: APIEnvironment(graphQL: url.appending(path: "graphql"), rest: url),
            build: LaunchArguments.isDebugBuild ? [.debug, .staging] : []
        )
        let keys = Keys(service: url.absoluteString)
        plan.registrations = [
            .value(app.platform, for: ServiceKey("platform")),
            .value(keys, for: ServiceKey("client-keys")),
            .value(keys, for: ServiceKey("core-keys")),
            .value(["splash", "login", "tutorial", "main"], for: ServiceKey("screen-configuration")),
            .value("plain text", for: ServiceKey("ui-configuration")),
            .value("none", for: ServiceKey("analytics")),
            .value("text only", for: ServiceKey("image-codec")),
        ]
        plan.enablesRestoreAccount = Settings(directory.settings)[.enablesRestoreAccount]
        plan.modules = [
            BootstrapModule("speakers", isActive: { directory.launchState().lastSpeaker.value != nil }) { configuration in
                ServiceSpeakers(client: configuration.client, connector: TCPSpeakerConnector(clientName: "sequencer-cli"))
            }
        ]
        return plan
    }
}
