/// Somebody else's SDK, which is started when the configuration has been made: some need to know who the user is.
public struct ThirdPartySDK: Sendable {
    /// What it is called, in graphs and reports; unique in a plan.
    public let name: String
    /// Whether there is no launch when it fails. One that is not required is left out of a launch in which it fails.
    public let isRequired: Bool
    /// The flags that a build has to have, all of them, for this SDK to be started.
    public let flags: BuildFlags
    /// How long it may take.
    public let timeout: Duration
    let start: @MainActor @Sendable (BootstrapConfiguration) async throws -> Void

    /// An SDK.
    ///
    /// - Parameters:
    ///   - flags: the builds it belongs to; unless said otherwise, all.
    ///   - start: starts it, with what is known of the user and the device.
    public init(
        _ name: String,
        isRequired: Bool = false,
        in flags: BuildFlags = [],
        timeout: Duration = .milliseconds(500),
        start: @escaping @MainActor @Sendable (BootstrapConfiguration) async throws -> Void
    ) {
        self.name = name
        self.isRequired = isRequired
        self.flags = flags
        self.timeout = timeout
        self.start = start
    }
}
