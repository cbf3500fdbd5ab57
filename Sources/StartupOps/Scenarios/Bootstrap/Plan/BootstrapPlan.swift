/// How a white-label app starts: everything that differs from one app to the next, as one value that the app fills.
///
/// Only the endpoints and the required registrations have to be there. A plan does nothing by itself: ``validate()`` says what is wrong with it,
/// ``Bootstrap`` carries it out, as the scenario ``Scenario/bootstrap``.
///
/// ```swift
/// var plan = BootstrapPlan(endpoints: try APIEnvironment(graphQL: graphQL, rest: rest))
/// plan.registrations = [.action("platform") { Platform.configure() }, .value(keys, for: ServiceKey("client-keys")), ...]
/// plan.modules = [BootstrapModule("shop") { configuration in Shop(configuration.client) }]
/// let bootstrap = try Bootstrap(plan, app: app, directory: .openDefault(), http: HTTPClient())
/// let report = try await Sequencer(bootstrap.environment(presenters: presenters).graph(.bootstrap)).run()
/// ```
public struct BootstrapPlan: Sendable {
    /// Where the service is: its GraphQL endpoint, and the base of its REST addresses.
    public var endpoints: APIEnvironment
    /// What the app was built with.
    public var build: BuildFlags
    /// Another way to log in; nil when there is none but the app's own form.
    public var authenticator: (any AuthenticationProvider)?
    /// Whether a session that is there in the first launch, from an earlier installation, is kept to restore the account.
    public var enablesRestoreAccount = false
    /// Sees every request and answer, for developers: used in staging builds only, whatever the plan of another build says.
    public var debugProxy: (@Sendable (any HTTPSending) -> any HTTPSending)?
    /// The files that are looked for before anything else.
    public var resources: [RequiredResource] = []
    /// What is registered before the configuration is made, in this order, which ``RegistrationRule/bootstrap`` has the rules for.
    public var registrations: [BootstrapRegistration] = []
    /// What is registered when the configuration has been made, and the app's parts exist.
    public var delegates: [BootstrapRegistration] = []
    /// The optional parts of the app, in the order in which they are prepared and made.
    public var modules: [BootstrapModule] = []
    /// What is started once the configuration has been made.
    public var thirdParties: [ThirdPartySDK] = []
    /// What wants to know whose crashes it reports.
    public var crashLoggers: [any CrashLogger] = []
    /// What watches from the first main screen on.
    public var observers: [BootstrapObserver] = []

    /// A plan for a service at `endpoints`, of a production build unless said otherwise.
    public init(endpoints: APIEnvironment, build: BuildFlags = []) {
        self.endpoints = endpoints
        self.build = build
    }

    /// Whether requests go through the debug proxy.
    public var usesDebugProxy: Bool { debugProxy != nil && build.contains(.staging) }

    /// What requests are sent with: `http`, behind the debug proxy where that is used.
    public func transport(over http: any HTTPSending) -> any HTTPSending {
        guard let debugProxy, usesDebugProxy else { return http }
        return debugProxy(http)
    }
}
