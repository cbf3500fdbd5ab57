/// A part of an app that another app of the same kind may not have: a shop, a gallery, a chat.
///
/// An active module is prepared before the configuration is made, and made after it. One that is not active is neither: both of its operations
/// are skipped. An app that has not got the module leaves it out of the plan, and its operations are not in the graph.
public struct BootstrapModule: Sendable {
    /// What it is called, in graphs and reports; unique in a plan.
    public let name: String
    /// Whether there is no launch when it fails.
    public let isRequired: Bool
    /// The modules it works with, which have to be listed before it, and what for.
    public let dependencies: [OrderConstraint]
    /// Whether it is to be used in this launch; asked once.
    let isActive: @Sendable () -> Bool
    let prepare: @MainActor @Sendable () async throws -> Void
    let make: @MainActor @Sendable (BootstrapConfiguration) async throws -> any Sendable

    /// A module.
    ///
    /// - Parameters:
    ///   - dependencies: `.after("shop", because: "it sells what is shown")`.
    ///   - isActive: whether it is to be used in this launch; asked once, when its turn comes.
    ///   - prepare: what it needs before the configuration is made.
    ///   - make: makes what the app keeps of it.
    public init(
        _ name: String,
        isRequired: Bool = false,
        dependencies: [OrderConstraint] = [],
        isActive: @escaping @Sendable () -> Bool = { true },
        prepare: @escaping @MainActor @Sendable () async throws -> Void = {},
        make: @escaping @MainActor @Sendable (BootstrapConfiguration) async throws -> any Sendable
    ) {
        self.name = name
        self.isRequired = isRequired
        self.dependencies = dependencies
        self.isActive = isActive
        self.prepare = prepare
        self.make = make
    }
}
