import Sequencer

/// Where entitlements come from.
public protocol EntitlementService: Sendable {
    /// What the person whose session is open is entitled to.
    func entitlements(by deadline: Deadline) async throws -> Entitlements
}

/// Fetches what the person is entitled to; when that fails, what was known last counts.
///
/// Where nothing is known it fails rather than say that there is nothing: who may have paid is not asked to buy. Nobody who is not logged in is
/// entitled to anything.
public struct EntitlementsOperation: Sendable {
    private let service: any EntitlementService
    private let store: any DataStore

    private static let lastKnown: StoreKey = "entitlements"

    /// An operation that asks `service`.
    ///
    /// - Parameter store: keeps what was known last.
    public init(service: any EntitlementService, store: any DataStore) {
        self.service = service
        self.store = store
    }

    /// Fetches the entitlements.
    public func run(in launch: Launch) async throws -> Entitlements {
        do {
            let entitlements = try await launch.request("the entitlements") { try await service.entitlements(by: $0) }
            try? store.save(entitlements, for: Self.lastKnown)
            return entitlements
        } catch {
            try launch.checkCancellation()
            if (error as? NetworkError)?.code == .missingAccessToken { return Entitlements() }
            guard let known = store.value(Entitlements.self, for: Self.lastKnown).value else { throw error }
            launch.note("the last known entitlements were used: \(error)")
            return known
        }
    }
}
