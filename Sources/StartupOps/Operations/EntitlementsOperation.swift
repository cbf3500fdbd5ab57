import Sequencer

/// Where entitlements come from.
public protocol EntitlementService: Sendable {
    /// What the person whose session is open is entitled to.
    func entitlements(by deadline: Deadline) async throws -> Entitlements
}

/// Fetches what the person is entitled to; when that fails, what was known last counts. Never a reason for a launch to fail.
public struct EntitlementsOperation: Sendable {
    private let service: any EntitlementService
    private let store: any DataStore

    private static let lastKnown: StoreKey = "entitlements"

    /// - Parameter store: keeps what was known last.
    public init(service: any EntitlementService, store: any DataStore) {
        self.service = service
        self.store = store
    }

    /// Fetches the entitlements.
    public func run(in launch: Launch) async throws -> Entitlements {
        do {
            let entitlements = try await service.entitlements(by: launch.requestDeadline)
            try? store.save(entitlements, for: Self.lastKnown)
            return entitlements
        } catch {
            try launch.checkCancellation()
            launch.note("the last known entitlements count: \(error)")
            return store.value(Entitlements.self, for: Self.lastKnown).value ?? Entitlements()
        }
    }
}
