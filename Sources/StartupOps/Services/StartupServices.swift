/// What the operations of a launch talk to.
public struct StartupServices: Sendable {
    public var updates: any UpdatePolicyService
    public var configurations: any ConfigurationService
    public var accounts: any AccountService
    public var entitlements: any EntitlementService
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
