import Sequencer
import StartupNetworking

/// The set-up of a white-label app is not as it has to be for a launch to continue.
public struct RegistryError: DescribedError, Sendable, Hashable {
    /// Everything that is wrong, such as the order, the number or the place of registrations: one sentence each, which
    /// says how to solve it.
    public let problems: [String]

    /// All problems, one after the other.
    public var description: String { problems.joined(separator: "; ") }
}

/// A registration that must follow another, and the reason.
public struct OrderConstraint: Sendable, Hashable {
    /// The registration that has to come first.
    let predecessor: String
    /// The consequence otherwise.
    let reason: String

    /// After `predecessor`, for `reason`.
    public static func after(_ predecessor: String, because reason: String) -> OrderConstraint {
        OrderConstraint(predecessor: predecessor, reason: reason)
    }

    /// The problem with something that comes too early.
    func violation(by name: String) -> String { "\(name) must come after \(predecessor): \(reason)" }
}

/// The rule for one registration.
struct RegistrationRule: Sendable, Hashable {
    /// The name of the registration.
    let name: String
    /// Whether the launch fails without it. An optional one may be absent, such as a module that is not activated.
    let isRequired: Bool
    /// The registrations that have to come before it.
    let constraints: [OrderConstraint]

    private static func required(_ name: String, _ constraints: OrderConstraint...) -> RegistrationRule {
        RegistrationRule(name: name, isRequired: true, constraints: constraints)
    }

    private static func optional(_ name: String, _ constraints: OrderConstraint...) -> RegistrationRule {
        RegistrationRule(name: name, isRequired: false, constraints: constraints)
    }

    /// The registration that comes before all others, and why.
    private static let root = OrderConstraint.after(
        "platform",
        because: "it reports the crashes and counts the events of everything that follows"
    )

    /// The set-up of a white-label app: one root, the services that every app has to register, and twenty constraints.
    ///
    /// ```
    /// platform (root)
    ///   client-keys -> screen-configuration, ui-configuration, analytics -> the app's own, settings
    ///                  ui-configuration -> module-setup
    ///   core-keys -> the app's own, settings
    ///   all of these -> configuration -> module-delegates, delegates, third-party, modules
    /// image-codec, modules -> coordinator -> observers
    /// ```
    static let bootstrap: [RegistrationRule] = [
        required(root.predecessor),
        required("client-keys", .after("platform", because: "a crash while keys are read has to be reported")),
        required("core-keys", .after("platform", because: "the core counts events as soon as it has its keys")),
        required("screen-configuration", .after("client-keys", because: "screens lead to addresses that are among the client's keys")),
        required("ui-configuration", .after("client-keys", because: "the theme is the client's")),
        required("analytics", .after("client-keys", because: "events are sent with the client's keys")),
        // As every registration of the app's own, after those that are required.
        optional(settings),
        optional("module-setup", .after("ui-configuration", because: "modules copy the theme when they are set up")),
        required(
            "configuration",
            .after("client-keys", because: "its client is made with them"),
            .after("core-keys", because: "its parts ask the core for their keys"),
            .after("screen-configuration", because: "the screens that it knows are those that are configured by then"),
            .after("ui-configuration", because: "what it makes looks as it was configured by then"),
            .after("analytics", because: "it sends events while it is made"),
            .after(settings, because: "those that are written later do not count in this launch"),
            .after("module-setup", because: "modules that are set up later do not become part of it")
        ),
        optional("module-delegates", .after("configuration", because: "they answer modules, which work with it")),
        optional("delegates", .after("configuration", because: "they are handed to objects that it makes")),
        optional("third-party", .after("configuration", because: "some need the person's identifier")),
        optional("modules", .after("configuration", because: "they work with its client, and with its user")),
        // An app whose images the system decodes has none.
        optional("image-codec"),
        optional(
            "coordinator",
            .after("image-codec", because: "its first screen shows images, which stay empty without a codec"),
            .after("modules", because: "its screens are made with them")
        ),
        optional("observers", .after("coordinator", because: "they live as long as the app, and tell the coordinator")),
    ]

    /// The name of the registration that writes settings.
    private static let settings = "settings"

    /// What a registration of the app's own comes too early for: it may use all that every app has to register.
    private static func own(after before: [String], of all: [String]) -> OrderConstraint? {
        let late = bootstrap.filter { $0.isRequired && !before.contains($0.name) && all.contains($0.name) }.map(\.name)
            .filter { $0 != root.predecessor && $0 != "configuration" }
        if late.isEmpty { return nil }
        return .after(late.joined(separator: ", "), because: "what an app registers of its own may use all of these")
    }

    /// The required registrations that are not among `registered`.
    static func missing(in registered: [String]) -> [RegistrationRule] {
        bootstrap.filter { $0.isRequired && !registered.contains($0.name) }
    }

    /// Everything that is wrong with the registrations of a launch in their order, one sentence each.
    static func problems(_ registrations: [BootstrapRegistration]) -> [String] {
        var problems: [String] = []
        var registered: [BootstrapRegistration] = []
        let all = registrations.map(\.name)
        for registration in registrations {
            let name = registration.name
            if let first = registered.first(where: { $0.name == name }) {
                if registration.isSame(first.value) { continue }
                let reason =
                    registration.action == nil
                    ? "with different values: the first one stays; register it once"
                    : "and is an action: give each a name of its own, or make one action of both"
                problems.append("\(printable(name, limit: 80)) was registered twice \(reason)")
                continue
            }
            registered.append(registration)
            let before = registered.map(\.name)
            // Where it is missing, that is all there is to say.
            if all.contains(root.predecessor), !before.contains(root.predecessor) {
                problems.append("\(name) was registered before \(root.predecessor), which must come first of all: \(root.reason)")
            }
            if name.unlessBlank == nil { problems.append("a registration has a blank name: give it one") }
            if registration.constraints.contains(where: { $0.predecessor == name }) {
                problems.append("\(name) cannot come after itself: name another registration")
            }
            let rule = bootstrap.first { $0.name == name }
            // If the other one is registered, too, this is not a misspelling of it.
            if rule == nil, let known = nearestName(to: name, in: bootstrap.map(\.name).filter { !all.contains($0) }) {
                problems.append("\(printable(name, limit: 80)) is almost the name of another registration: did you mean \(known)?")
            } else if rule == nil || name == settings, let early = own(after: before, of: all) {
                problems.append(early.violation(by: printable(name, limit: 80)))
            }
            for constraint in (rule?.constraints ?? []) + registration.constraints where !before.contains(constraint.predecessor) {
                // One that never comes is optional, and not waited for, or said to be missing.
                if all.contains(constraint.predecessor) {
                    problems.append(constraint.violation(by: name))
                } else if let known = nearestName(to: constraint.predecessor, in: bootstrap.map(\.name) + all),
                    !bootstrap.contains(where: { $0.name == constraint.predecessor })
                {
                    let other = printable(constraint.predecessor, limit: 80)
                    problems.append("\(name) must come after \(other), which nobody registers: did you mean \(known)?")
                }
            }
        }
        // First what an app has to register.
        return missing(in: all).map { rule in
            let place =
                rule.constraints.isEmpty ? "first of all" : "after " + rule.constraints.map(\.predecessor).joined(separator: " and ")
            return "\(rule.name) is required and was not registered; register it \(place)"
        } + problems
    }
}
