import Foundation
import Sequencer
import StartupNetworking

/// How a white-label app starts: everything that differs from one app to the next, as one value that the app fills.
///
/// Only the endpoints and the required registrations have to be there. A plan does nothing by itself: `validate()`
/// names its mistakes, ``Bootstrap`` carries it out, as the scenario ``Scenario/bootstrap``.
///
/// ```swift
/// var plan = BootstrapPlan(endpoints: try APIEnvironment(graphQL: graphQL, rest: rest))
/// plan.registrations = [.action("platform") { Platform.configure() }, .value(keys, for: "client-keys"), ...]
/// plan.modules = [BootstrapModule("shop") { configuration in Shop(configuration.client) }]
/// let bootstrap = try Bootstrap(plan, app: app, directory: .openDefault(), http: HTTPClient())
/// let report = try await bootstrap.environment(presenters: presenters).graph(.bootstrap).run(budget: .seconds(3)).report
/// ```
public struct BootstrapPlan: Sendable {
    /// Where the service is: its GraphQL endpoint, and the base of its REST addresses. Without REST, tokens are at
    /// `oauth/token` beside the GraphQL endpoint. Updates, configuration, flags and profile are then not known, unless
    /// the app gives the environment its own services.
    var endpoints: APIEnvironment
    /// The prefix of the REST headers that identify the client: "X-Sequencer" makes "X-Sequencer-Platform".
    public var headerPrefix = "X-Sequencer"
    /// The operations that continue without a token where nobody is logged in, each as "GET v1/news", or by its GraphQL
    /// name.
    public var guestOperations: Set<String> = []
    /// The flags that the app was built with.
    public var build: BuildFlags
    /// Another way to log in; nil when the app has its own form only.
    public var authenticator: (any AuthenticationProvider)?
    /// Whether a session that is there in the first launch, from an earlier installation, is kept to restore the
    /// account. ``SettingKey/enablesRestoreAccount`` does the same: either is enough.
    public var enablesRestoreAccount = false
    /// Sees every request and answer, for developers. Used in staging builds only; in other builds it is ignored.
    public var debugProxy: (@Sendable (any HTTPSending) -> any HTTPSending)?
    /// The files that are looked for before anything else.
    public var resources: [RequiredResource] = []
    /// The registrations before the configuration is made, in this order: `platform` first, then the others that every
    /// app has, then the app's own, such as `settings`, which writes those that this launch goes by.
    public var registrations: [BootstrapRegistration] = []
    /// The registration of what modules ask of the app, `module-delegates`: after the configuration was made, and
    /// before any module is.
    public var moduleDelegates: [BootstrapRegistration] = []
    /// The parts that the coordinator starts before it looks for a user, in this order: the journey manager, then the
    /// coordinators that are always there.
    public var coordinators: [BootstrapRegistration] = []
    /// The registrations when the coordinator has started, and the app's parts exist.
    public var delegates: [BootstrapRegistration] = []
    /// The optional parts of the app, in the order in which they are prepared and made.
    public var modules: [BootstrapModule] = []
    /// The SDKs that are started once the configuration has been made.
    public var thirdParties: [ThirdPartySDK] = []
    /// The loggers that are told whose crashes they report.
    public var crashLoggers: [any CrashLogger] = []
    /// The trackers that are told whose events they count.
    public var analytics: [any AnalyticsTracker] = []
    /// The observers, which watch from the first main screen on.
    public var observers: [BootstrapObserver] = []

    /// A plan for a service at `endpoints`, of a production build unless said otherwise.
    public init(endpoints: APIEnvironment, build: BuildFlags = []) {
        self.endpoints = endpoints
        self.build = build
    }

    /// Tells every crash logger a line of the launch.
    var tellCrashLoggers: @Sendable (String) -> Void {
        let loggers = crashLoggers
        return { line in for logger in loggers { logger.log(line) } }
    }

    /// Whether requests go through the debug proxy.
    var usesDebugProxy: Bool { debugProxy != nil && build.contains(.staging) }

    /// The transport of requests: `http`, behind the debug proxy where that is used.
    func transport(over http: any HTTPSending) -> any HTTPSending {
        guard let debugProxy, usesDebugProxy else { return http }
        return debugProxy(http)
    }

    /// Checks the plan: nothing of it has run, and nothing is sent.
    ///
    /// The registrations are put in the order in which the launch makes them, and measured by
    /// `RegistrationRule/bootstrap`. Names and times of modules and SDKs are measured as those of steps; those of the
    /// steps that the app adds are the graph's matter, which is refused before anything runs.
    ///
    /// - Throws: ``RegistryError`` with everything that is wrong, each with the names it is about and the reason.
    public func validate() throws(RegistryError) {
        let names = RegistrationRule.problems(registrationsOfLaunch) + moduleProblems + stepProblems + observerProblems
        let problems = endpointProblems + headerProblems + blankNames + names
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private var endpointProblems: [String] {
        do {
            _ = try APIEnvironment(graphQL: endpoints.graphQL.absoluteString, rest: endpoints.rest?.absoluteString)
            // As a text it has an international host in ASCII already.
            return endpoints.rest?.requestViolation.map { ["endpoints.rest: \($0)"] } ?? []
        } catch {
            return ["endpoints.\(error)"]
        }
    }

    private var headerProblems: [String] {
        if !headerPrefix.isEmpty, headerPrefix.utf8.allSatisfy(\.isTokenCharacter) { return [] }
        let shown = printable(headerPrefix, limit: 80)
        return ["headerPrefix is '\(shown)', which begins no header's name: those are letters, digits and hyphens, such as X-Example"]
    }

    /// Whether something is registered that may write settings: `settings`, or by a name of the app's own.
    var hasOwnRegistrations: Bool {
        let others = Set(RegistrationRule.bootstrap.map(\.name)).subtracting(["settings"])
        return registrations.contains { !others.contains($0.name) }
    }

    /// The registrations of a launch by this plan, with those that it makes itself.
    private var registrationsOfLaunch: [BootstrapRegistration] {
        func own(_ name: String) -> BootstrapRegistration { .action(name) {} }
        let parts: [[BootstrapRegistration]] = [
            registrations, [own("module-setup"), .configuration], moduleDelegates, thirdParties.isEmpty ? [] : [own("third-party")],
            modules.isEmpty ? [] : [own("modules")], [own("coordinator")], coordinators, delegates, [own("observers")],
        ]
        return parts.flatMap(\.self)
    }

    /// The constraints that name what this plan does not register, one sentence each: another brand's plan may.
    var idleConstraints: [String] {
        let all = registrationsOfLaunch
        let names = Set(all.map(\.name))
        return all.flatMap { registration in
            registration.constraints.filter { !names.contains($0.predecessor) }.map { constraint in
                "\(printable(registration.name, limit: 80)) has to come after "
                    + "\(printable(constraint.predecessor, limit: 80)), which nobody registers in this plan"
            }
        }
    }

    /// The problems that the graph has with the steps of modules and SDKs, such as two of one name, an SDK after one
    /// that the plan has not, or a cycle.
    private var stepProblems: [String] {
        var graph = OperationGraph("plan")
        for module in modules { graph.add("prepare-\(module.name)", .timeout(module.timeout)) {} }
        for sdk in thirdParties {
            graph.add("sdk-\(sdk.name)", .timeout(sdk.timeout), after: sdk.predecessors.map { "sdk-\($0)" }) {}
            guard let lifecycle = sdk.lifecycle else { continue }
            let limit = lifecycle.options.restoreTimeout
            // As in the launch, where none would be a second.
            graph.add("sdk-\(sdk.name)-ready", .timeout(limit > .zero ? lifecycle.timeoutUntilReady : limit), after: "sdk-\(sdk.name)") {}
        }
        do throws(GraphError) {
            _ = try graph.validated()
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private var blankNames: [String] {
        let names = [("a module", modules.map(\.name)), ("an SDK", thirdParties.map(\.name)), ("an observer", observers.map(\.name))]
        return names.filter { $0.1.contains { $0.unlessBlank == nil } }.map { "\($0.0) has a blank name: give it one" }
    }

    /// No step has an observer's name, so the graph does not refuse two of one name.
    private var observerProblems: [String] {
        let names = observers.map(\.name)
        let twice = Set(names.enumerated().filter { place, name in names[..<place].contains(name) }.map(\.element))
        return twice.sorted().map { "there are two observers named \(printable($0, limit: 80)): rename one" }
    }

    private var moduleProblems: [String] {
        modules.enumerated().flatMap { place, module in
            module.dependencies.compactMap { dependency -> String? in
                guard let other = modules.firstIndex(where: { $0.name == dependency.predecessor }) else {
                    return "\(dependency.predecessor) is not in the plan, and \(module.name) needs it: \(dependency.reason)"
                }
                return other < place ? nil : dependency.violation(by: module.name)
            }
        }
    }
}

/// The kind of build: some parts of a launch belong to some builds only.
///
/// These are the app's own compilation conditions, which a library cannot see: the app says which it was built with.
public struct BuildFlags: OptionSet, NamedValue, Sendable, Hashable {
    /// The flags as bits.
    public let rawValue: Int

    /// Flags from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A build for developers.
    public static let debug = BuildFlags(rawValue: 1)
    /// A build for testers, on the staging service.
    public static let staging = BuildFlags(rawValue: 2)
    /// A build that writes logs.
    public static let logs = BuildFlags(rawValue: 4)

    /// The flags' names, or "production" without flags.
    package var name: String {
        let names: [(BuildFlags, String)] = [(.debug, "debug"), (.staging, "staging"), (.logs, "logs")]
        let present = names.filter { contains($0.0) }.map(\.1)
        return present.isEmpty ? "production" : present.joined(separator: " and ")
    }
}

/// Something that an app registers, or does, before its configuration is made: its keys, its theme, its image codec.
///
/// ```swift
/// plan.registrations = [
///     .action("platform") { Platform.configure() },
///     .value(keys, for: "client-keys"),
///     .value(keys, for: "core-keys"),
/// ]
/// ```
public struct BootstrapRegistration: Sendable {
    /// A name in the table of <doc:WhiteLabelApp>, or a name that the app adds.
    public let name: String
    let value: any Sendable
    /// Whether the value of an earlier registration of this name is the same.
    let isSame: @Sendable (any Sendable) -> Bool
    var action: (@MainActor @Sendable () throws -> Void)?
    /// The app's own constraints.
    var constraints: [OrderConstraint] = []

    /// The registration of the configuration, by the launch: it equals no other.
    static let configuration = BootstrapRegistration(name: "configuration", value: ()) { _ in false }

    /// A service. The same object may be registered again.
    public static func value<Value: Sendable>(_ value: Value, for name: String) -> BootstrapRegistration {
        // Identity is for objects: two values of a structure are never the same object.
        BootstrapRegistration(name: name, value: value) {
            type(of: $0) is AnyClass && Value.self is AnyClass && ($0 as AnyObject) === (value as AnyObject)
        }
    }

    /// A service that can be compared: an equal one may be registered again.
    public static func value<Value: Sendable & Equatable>(_ value: Value, for name: String) -> BootstrapRegistration {
        BootstrapRegistration(name: name, value: value) { $0 as? Value == value }
    }

    /// An action, where there is nothing to keep. An error that it throws fails the launch. There is one of each name.
    public static func action(_ name: String, _ body: @escaping @MainActor @Sendable () throws -> Void) -> BootstrapRegistration {
        BootstrapRegistration(name: name, value: (), isSame: { _ in false }, action: body)
    }

    /// The same registration, which has to come after others, too: `.after("client-keys", because: "it reads them")`.
    public func constrained(by constraints: OrderConstraint...) -> BootstrapRegistration {
        var copy = self
        copy.constraints += constraints
        return copy
    }
}

/// Something that watches what changes as long as the app lives: who the user is, what notifications or tracking are
/// allowed.
public struct BootstrapObserver: Sendable {
    /// The name, in reports; unique in a plan.
    let name: String
    let observe: @Sendable (BootstrapConfiguration) async -> Void

    /// An observer.
    ///
    /// - Parameter observe: reads a stream until it ends. It runs in a separate task, off the main thread, which is
    ///   cancelled when the app releases its ``Bootstrap``.
    public init(_ name: String, observe: @escaping @Sendable (BootstrapConfiguration) async -> Void) {
        self.name = name
        self.observe = observe
    }
}

/// Counts events, and wants to know whose they are.
public protocol AnalyticsTracker: Sendable {
    /// Events from now on are this user's. Called when the configuration is made, on the main thread, and then off it
    /// each time that the session is another user's or has ended, as long as the ``Bootstrap`` is kept.
    ///
    /// - Parameter user: nil when nobody is logged in, or the session does not name the user.
    func identify(user: String?)
}

/// Reports crashes, and wants to know whose they are.
public protocol CrashLogger: Sendable {
    /// Crashes from now on are this user's, on this device. Called when an ``AnalyticsTracker`` is.
    ///
    /// - Parameter user: nil when nobody is logged in, or the session does not name the user.
    func identify(user: String?, device: String)

    /// The launch has reached this point: a line to send with a later crash. The steps that make the configuration and
    /// start the coordinator tell each part, mostly on the main thread; ``Bootstrap/crashLog`` tells the events of a
    /// launch, off it. It must not block. Ignored unless a logger says otherwise.
    func log(_ line: String)
}

extension CrashLogger {
    /// Ignores the line.
    public func log(_ line: String) {}
}

/// Another way to log in than with this app's own form, such as with an account somewhere else.
///
/// It asks the user, and brings back a session of the app's own service. It says when it asks: all other time counts
/// against the launch's budget.
///
/// ```swift
/// func authenticate(_ configuration: BootstrapConfiguration, in step: StepContext) async throws -> Session? {
///     guard let code = try await step.waitForPerson({ await sheet.askForCode() }) else { return nil }
///     return try await step.request("a session") { try await service.session(for: code, by: $0) }
/// }
/// ```
@MainActor
public protocol AuthenticationProvider: Sendable {
    /// Lets the user log in.
    ///
    /// - Parameter step: waits for the user, and gives each request a separate deadline.
    /// - Returns: nil when the user did not want to: the app's own form asks then.
    func authenticate(_ configuration: BootstrapConfiguration, in step: StepContext) async throws -> Session?
}
