/// What the operations of a launch talk to.
public struct StartupServices: Sendable {
    /// Says which versions may run.
    public var updates: any UpdatePolicyService
    /// Says which countries there are, and how the app is configured in one.
    public var configurations: any ConfigurationService
    /// Opens and ends sessions.
    public var accounts: any AccountService
    /// Says what a person is entitled to.
    public var entitlements: any EntitlementService
    /// Finds speakers and connects to them.
    public var speakers: any DeviceConnector

    /// These services.
    public init(
        updates: any UpdatePolicyService,
        configurations: any ConfigurationService,
        accounts: any AccountService,
        entitlements: any EntitlementService,
        speakers: any DeviceConnector
    ) {
        self.updates = updates
        self.configurations = configurations
        self.accounts = accounts
        self.entitlements = entitlements
        self.speakers = speakers
    }
}
