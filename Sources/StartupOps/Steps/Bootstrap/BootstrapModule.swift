import Foundation

/// A part of an app that another app of the same kind may not have: a shop, a gallery, a chat.
///
/// An active module is prepared before the configuration is made, and made after it. Both operations of an inactive
/// module are skipped. An app without the module leaves it out of the plan, and its operations are not in the graph.
public struct BootstrapModule: Sendable {
    /// The name, in graphs and reports; unique in a plan.
    package let name: String
    /// Whether the launch fails when it fails.
    let isRequired: Bool
    /// The modules it works with, which have to be listed before it, and what for.
    let dependencies: [OrderConstraint]
    /// How long its preparation may take, and as long again its making.
    let timeout: Duration
    /// Whether this launch uses it; asked once.
    let isActive: @Sendable () -> Bool
    let prepare: @MainActor @Sendable () async throws -> Void
    let make: @MainActor @Sendable (BootstrapConfiguration) async throws -> any Sendable

    /// A module.
    ///
    /// - Parameters:
    ///   - dependencies: the modules that come before it, such as `.after("shop", because: "it sells the items")`.
    ///   - timeout: how long its preparation may take, and as long again its making. Later it has failed. One that is
    ///     not required has less where the budget leaves less.
    ///   - isActive: whether this launch uses it; asked once, when its turn comes.
    ///   - prepare: runs before the configuration is made.
    ///   - make: makes what the app keeps of it.
    public init(
        _ name: String,
        isRequired: Bool = false,
        dependencies: [OrderConstraint] = [],
        timeout: Duration = .seconds(2),
        isActive: @escaping @Sendable () -> Bool = { true },
        prepare: @escaping @MainActor @Sendable () async throws -> Void = {},
        make: @escaping @MainActor @Sendable (BootstrapConfiguration) async throws -> any Sendable
    ) {
        self.name = name
        self.isRequired = isRequired
        self.dependencies = dependencies
        self.timeout = timeout
        self.isActive = isActive
        self.prepare = prepare
        self.make = make
    }
}

/// Somebody else's SDK, which is started when the configuration has been made: some need to know who the user is.
public struct ThirdPartySDK: Sendable {
    /// The name, in graphs and reports; unique in a plan.
    package let name: String
    /// Whether its failure fails the launch. Otherwise the launch continues without it.
    let isRequired: Bool
    /// The flags that a build has to have, all of them, for this SDK to be started.
    let flags: BuildFlags
    /// The steps of other SDKs that it waits for, without their `sdk-`.
    let predecessors: [String]
    /// How long it may take.
    let timeout: Duration
    /// Restores an earlier session in the background; nil for an SDK that says nothing of that.
    private(set) var lifecycle: SDKLifecycle?
    let start: @MainActor @Sendable (BootstrapConfiguration) async throws -> Void

    /// An SDK.
    ///
    /// - Parameters:
    ///   - flags: the builds it belongs to; unless said otherwise, all.
    ///   - predecessors: the SDKs of the plan that start before it, by name; `"steps-ready"` waits until the SDK `steps`
    ///     has restored its session, and holds up the process phase as long. If an optional predecessor fails, this SDK
    ///     still starts.
    ///   - timeout: how long it may take; one that is not required has less where the budget leaves less.
    ///   - start: starts it, with the facts about the user and the device.
    public init(
        _ name: String,
        isRequired: Bool = false,
        in flags: BuildFlags = [],
        after predecessors: [String] = [],
        timeout: Duration = .milliseconds(500),
        start: @escaping @MainActor @Sendable (BootstrapConfiguration) async throws -> Void
    ) {
        self.name = name
        self.isRequired = isRequired
        self.flags = flags
        self.predecessors = predecessors
        self.timeout = timeout
        self.start = start
    }

    /// An SDK with its own set-up. Its step `sdk-NAME` initialises it, and fails with an ``SDKError`` that gives the
    /// reason. `sdk-NAME-ready` finishes when an earlier session has been restored, and reports its parts. Only the
    /// steps that the app adds after that one wait for it:
    ///
    /// ```swift
    /// plan.thirdParties = [ThirdPartySDK("steps", lifecycle: sdk, configuration: configuration)]
    /// graph.add("first-sync", .onFailure(.continue), after: "sdk-steps-ready") { try await sdk.perform { session in ... } }
    /// ```
    ///
    /// - Parameters:
    ///   - lifecycle: outlives the launch. Initialised before with the same configuration, it is left as it is.
    ///   - configuration: checked when it is initialised, on the main thread, which waits for the disk.
    ///   - flags: the builds it belongs to; unless said otherwise, all.
    ///   - predecessors: the SDKs of the plan that start before it, as in the other initializer.
    ///   - timeout: how long it may take until it is initialised. The restore has the time of its ``SDKOptions``.
    public init(
        _ name: String,
        lifecycle: SDKLifecycle,
        configuration: SDKConfiguration.Builder,
        isRequired: Bool = false,
        in flags: BuildFlags = [],
        after predecessors: [String] = [],
        timeout: Duration = .seconds(1)
    ) {
        self.init(name, isRequired: isRequired, in: flags, after: predecessors, timeout: timeout) { _ in
            if !lifecycle.initialize(configuration) { throw lifecycle.failure ?? SDKError.superseded("initialize") }
        }
        self.lifecycle = lifecycle
    }
}

/// A file that has to be delivered with the app, such as the configuration of a platform's SDK.
public struct RequiredResource: Sendable, Hashable {
    /// The file's name, as people know it: `GoogleService-Info.plist`.
    let name: String
    /// Where it should be; nil when the bundle has no such file.
    let location: URL?
    /// The part of the app that cannot work without it.
    let reason: String
    /// Whether the launch fails without it.
    let isRequired: Bool

    /// A file at `location`.
    public init(_ name: String, at location: URL?, isRequired: Bool = true, because reason: String) {
        self.name = name
        self.location = location
        self.isRequired = isRequired
        self.reason = reason
    }

    /// The problem with it; nil for a file that can be read and is not empty.
    func problem() -> String? {
        problemOfFile.map { "\(name) is needed, because \(reason), and \($0); add it to the app's target" }
    }

    private var problemOfFile: String? {
        guard let location else { return "it is not among the app's files" }
        do {
            // Read it, instead of only asking whether it exists: a directory or another user's file fails here, with
            // its reason.
            return try Data(contentsOf: location, options: .mappedIfSafe).isEmpty ? "it is empty" : nil
        } catch CocoaError.fileReadNoSuchFile {
            return "there is no such file"
        } catch {
            return "it cannot be read"
        }
    }
}
