import Foundation
import Sequencer

/// Where update policies come from.
public protocol UpdatePolicyService: Sendable {
    /// The policy for this version of the app.
    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy
}

/// Shows that this version may not be used, or that there is a better one.
@MainActor
public protocol UpdatePresenter: Sendable {
    /// The update screen, or the one that says that the service is being maintained: it has the screen from now on.
    func showUpdate(_ decision: UpdateDecision) async
    /// Mentions an update, without getting in the way.
    func recommendUpdate(_ version: SemanticVersion)
}

/// Asks whether this version of the app may still be used, and takes the launch over when it may not.
///
/// | answer | what happens |
/// |---|---|
/// | the version may be used | nothing |
/// | a newer one is recommended | it is mentioned, and the launch goes on |
/// | the version is too old, or the service is being maintained | the launch is aborted, and the screen is the update's |
/// | none, or one that makes no sense | the launch goes on, unless the last known policy says that the version is too old |
///
/// An answer that comes when the launch is over stops nothing any more: it is kept for the next launch, and told to `lateDecision`.
public struct ForceUpdateOperation: Sendable {
    private let service: any UpdatePolicyService
    private let state: LaunchState
    private let version: SemanticVersion
    private let presenter: (any UpdatePresenter)?
    private let stage: Stage
    private let now: @Sendable () -> Date
    private let willTakeOver: @Sendable (UpdateDecision) -> Void
    private let lateDecision: @Sendable (UpdateDecision) -> Void

    /// An operation that asks `service` about `version`.
    ///
    /// - Parameters:
    ///   - state: keeps the last known policy.
    ///   - presenter: shows the update; nil when nothing can be shown: the launch is aborted all the same.
    ///   - now: the date, for maintenance that ends at one.
    ///   - willTakeOver: told of a decision against this version that stops the launch, before it is shown.
    ///   - lateDecision: told of a decision against this version that came when the launch was over.
    public init(
        service: any UpdatePolicyService,
        state: LaunchState,
        version: SemanticVersion,
        presenter: (any UpdatePresenter)?,
        stage: Stage,
        now: @escaping @Sendable () -> Date = { Date() },
        willTakeOver: @escaping @Sendable (UpdateDecision) -> Void = { _ in },
        lateDecision: @escaping @Sendable (UpdateDecision) -> Void = { _ in }
    ) {
        self.willTakeOver = willTakeOver
        self.service = service
        self.state = state
        self.version = version
        self.presenter = presenter
        self.stage = stage
        self.now = now
        self.lateDecision = lateDecision
    }

    /// Asks, decides, and acts on the decision. Never throws but for being cancelled: a check that fails is noted.
    public func run(in launch: Launch) async throws {
        let decision = try await decision(in: launch)
        switch decision {
        case .mayContinue: break
        case .recommended(let version):
            launch.note("version \(version) is recommended")
            await presenter?.recommendUpdate(version)
        case .required, .maintenance:
            let presenter = presenter
            let stage = stage
            let operation = launch.operation
            let reason: AbortReason = if case .maintenance = decision { .maintenance } else { .forceUpdate }
            let willTakeOver = willTakeOver
            let isStopped = launch.abort(reason) {
                willTakeOver(decision)
                await stage.takeOver(by: operation) { await presenter?.showUpdate(decision) }
            }
            if !isStopped { lateDecision(decision) }
        }
    }

    private func decision(in launch: Launch) async throws -> UpdateDecision {
        let known = state.lastUpdatePolicy.value.flatMap { try? JSONDecoder().decode(UpdatePolicy.self, from: $0) }
        var answer: UpdatePolicy?
        do {
            let policy = try await launch.request("the version policy") { try await service.updatePolicy(for: version, by: $0) }
            for field in policy.ignored { launch.note("the update policy: \(field)") }
            keep(policy.completed(by: known))
            answer = policy
        } catch {
            try launch.checkCancellation()
            launch.note("the update check failed: \(error)")
        }
        let decision = UpdatePolicy.decision(answer: answer, lastKnown: known, for: version, at: now())
        if answer == nil, decision.stopsLaunch { launch.note("the last known update policy was used") }
        return decision
    }

    private func keep(_ policy: UpdatePolicy) {
        // One that cannot be kept is asked for again at the next launch.
        guard let data = try? JSONEncoder().encode(policy) else { return }
        try? state.recordUpdatePolicy(data)
    }
}

extension AbortReason {
    /// The service is closed for a while.
    public static let maintenance = AbortReason(rawValue: "maintenance")
}
