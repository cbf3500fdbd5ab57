import Sequencer
import StartupNetworking

/// Offers a subscription to the user whose account has none.
///
/// | user | after a login in this launch | at each start |
/// |---|---|---|
/// | logged in during this launch | offered | offered |
/// | session opened again | not offered | offered |
/// | guest | not offered | not offered |
///
/// Nothing is offered either when the account has a subscription, or when that cannot be told: the user may have paid
/// already.
struct PaywallOperation: Sendable {
    let environment: StartupEnvironment
    /// The session when the graph was made: afterwards the login may have replaced it.
    let before: StoredAnswer<StoredSession>

    /// Makes the offer, or does nothing. Sessions are read off the main thread.
    ///
    /// - Parameter known: the entitlements; nil when they are not known.
    func run(_ known: Entitlements?, in step: StepContext) async throws {
        // Known to have none: where it is not known, the user may have paid.
        guard let presenter = environment.presenters.main, known?.isSubscribed == false else { return }
        guard environment.settings[.presentsSubscriptionOnEveryStart] || hasLoggedIn else { return }
        // A guest has no account that could own a subscription.
        guard environment.services.accounts.storedSession().value?.isAnonymous == false else { return }
        try await environment.stage.ask(in: step) { await presenter.showPaywall() }
    }

    /// Whether a user has logged in during this launch, by any way: the session before belonged to nobody with an
    /// account, or to somebody else.
    private var hasLoggedIn: Bool {
        if environment.memory.state.withLock({ $0.hasLoggedIn }) { return true }
        switch before {
        case .absent: return true
        // Nothing can be concluded, so nobody is taken for new.
        case .unavailable: return false
        case .value(let session):
            if session.isAnonymous { return true }
            let now = environment.services.accounts.storedSession().value
            // A session may come to know its account later: like is compared with like.
            let identifiers = [(session.userID, now?.userID), (session.account?.id, now?.account?.id)]
            return identifiers.contains { earlier, now in earlier != nil && now != nil && !areSame(earlier, now) }
        }
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, Entitlements?) async throws -> Void {
    /// Offers a subscription to a user without one. The entitlements are nil when they are not known.
    public static var paywall: Self {
        Self(
            "paywall",
            "Offer a subscription",
            expected: .milliseconds(150),
            options: .onFailure(.continue),
            simulated: { $0.work() }
        ) { environment in
            let operation = PaywallOperation(environment: environment, before: environment.services.accounts.storedSession())
            return { step, known in try await operation.run(known, in: step) }
        }
    }
}

extension OperationGraph {
    /// Adds the offer of a subscription, and the check that it depends on.
    mutating func addPaywall(of steps: StartupSteps, after account: Step<Account>) -> Step<Void> {
        var asks = StepOption.all([])
        if steps.environment?.bootstrap != nil { asks = .when { steps.environment?.offersPaywall == true } }
        let entitlements = add(.entitlements, of: steps, asks, after: account.id)
        let step = StartupStep.paywall
        let work = steps[step]
        let options = steps.options(of: step, [asks])
        return add(step.id, options, using: .context, entitlements.optional, on: .main) { context, known in
            try await work(context, known)
        }
    }
}
