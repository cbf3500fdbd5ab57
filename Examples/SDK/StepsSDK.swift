import Sequencer
import StartupOps
import StartupStorage

/// What the vendor delivers: a face of its own over `SDKLifecycle`, which sees to the order, the readiness and the generations.
nonisolated final class StepsSDK: Sendable {
    private let lifecycle: SDKLifecycle

    init(_ services: any SDKServices) {
        lifecycle = SDKLifecycle(services: services, options: SDKOptions(restoreTimeout: .seconds(2)))
    }

    var isReady: Bool { lifecycle.isReadyNow }
    var trace: [[String]] { lifecycle.trace }

    /// Sets the library up. After a failure it may be tried again.
    func initialize(_ configuration: SDKConfiguration.Builder) throws {
        guard lifecycle.initialize(configuration) else { throw failure }
    }

    /// Ends the session, and sets the library up anew.
    func reconfigure(_ configuration: SDKConfiguration.Builder) throws {
        guard lifecycle.reconfigure(configuration) else { throw failure }
    }

    /// Returns when the library is ready.
    ///
    /// - Throws: an error that says what is waited for, when it is not ready by the deadline.
    func ready(by deadline: Deadline) async throws {
        let gate = ReadinessGate(
            "steps-sdk",
            [GateCondition("ready", setBy: "the restore of the session", because: "calls need a session that is known to be valid")]
        )
        let reader = gate.follow("ready", lifecycle.isReady, by: "the restore of the session") { $0 }
        defer { reader.cancel() }
        try await gate.wait(by: deadline)
    }

    /// A feature: what the person has subscribed to. It is refused before the set-up, and answered by the session that is current.
    ///
    /// - Parameter sent: called when the request is on its way.
    func entitlements(sent: @escaping @Sendable () -> Void = {}) async throws -> Set<String> {
        try await lifecycle.perform { session in
            sent()
            return try await session.fetchEntitlements(by: .after(.seconds(1)))
        }
    }

    /// The launch of the library, for an app that has none of its own; one that has adds these three steps to its graph.
    func launch(_ name: String, setUp: @escaping @Sendable () throws -> Void) -> OperationGraph {
        var graph = OperationGraph(name)
        let isSetUp = graph.add("set-up") { try setUp() }
        let ready = graph.add("ready", .timeout(.seconds(3)), after: isSetUp) { launch in
            try await launch.waiting(for: "the library's session") { try await self.ready(by: launch.deadline) }
            let restored = self.lifecycle.restoreOutcomes.map(\.description)
            launch.note(restored.isEmpty ? "there was no session to restore" : restored.joined(separator: "; "))
        }
        graph.add("first-sync", .milestone, .onFailure(.continue), after: ready) { launch in
            let entitlements = try await self.entitlements()
            launch.note("entitled to \(entitlements.sorted().joined(separator: ", "))")
        }
        return graph
    }

    private var failure: SDKError { lifecycle.failure ?? SDKError.superseded("set-up") }
}
