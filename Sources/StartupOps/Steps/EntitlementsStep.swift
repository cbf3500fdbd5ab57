import Sequencer
import StartupNetworking

/// Fetches the user's entitlements; when that fails, the last known ones count.
///
/// If nothing is known it fails, because an empty answer would offer a purchase to a user who may have paid. A user
/// without a login is entitled to nothing.
struct EntitlementsOperation: Sendable {
    let environment: StartupEnvironment

    private static let lastKnown: StoreKey = "entitlements"

    private struct Known: Codable {
        let account: String?
        let entitlements: Entitlements
    }

    /// Fetches the entitlements.
    func run(in step: StepContext) async throws -> Entitlements {
        let (service, store) = (environment.services.entitlements, environment.cache)
        do {
            let entitlements = try await step.boundedRequest("the entitlements", within: step.requestTime) {
                try await service.entitlements(by: $0)
            }
            // The last known ones are a help for later: this launch has its answer.
            try? store.save(Known(account: account, entitlements: entitlements), for: Self.lastKnown)
            return entitlements
        } catch {
            // Told to cancel, it must not continue with old values.
            try step.checkCancellation()
            // Nobody is logged in: nobody is entitled to anything, and that is known.
            if (error as? NetworkError)?.code == .missingAccessToken { return Entitlements() }
            // Of another account they would give away, or take away, a subscription.
            guard let known = store.value(Known.self, for: Self.lastKnown).value, areSame(known.account, account) else { throw error }
            step.note("the last known entitlements were used: \(error)")
            return known.entitlements
        }
    }

    private var account: String? { environment.services.accounts.storedSession().value?.accountID }
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> Entitlements {
    /// The user's entitlements.
    public static var entitlements: Self {
        Self(
            "entitlements",
            "Fetch the entitlements",
            expected: .milliseconds(200),
            options: .timeout(.seconds(1)),
            .onFailure(.continue),
            simulating: Entitlements()
        ) { try await EntitlementsOperation(environment: $0).run(in: $1) }
    }
}
