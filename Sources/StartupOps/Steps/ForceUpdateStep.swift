import Foundation
import Sequencer
import StartupNetworking

/// Shows that this version may not be used, or that there is a better one.
@MainActor
public protocol UpdatePresenter: Sendable {
    /// The update screen, or the one that says that the service is being maintained: it has the screen from now on.
    func showUpdate(_ decision: UpdateDecision) async
    /// Mentions an update, without getting in the way.
    func recommendUpdate(_ version: SemanticVersion)
}

/// Asks whether this version of the app may still be used, and takes the screen over when it may not.
///
/// | answer | what happens |
/// |---|---|
/// | the version may be used | nothing |
/// | a newer one is recommended | it is mentioned, and the launch continues |
/// | the version is too old, or the service is being maintained | the launch is aborted, and the screen is the update's |
/// | none, or one that makes no sense | the launch continues, unless the last known policy says that the version is too old |
///
/// The launch waits for the answer as long as it is allowed to and the budget leaves time for it, and half a second in
/// any case; then it continues, and so does the check, in the background. A late answer counts as much: it aborts the
/// launch if that still runs, takes the screen over from any other, and is kept for the next launch. Only cancelling
/// the launch, or the step alone, ends the check, and an answer to a later one: a launch that asks again, and gets
/// none, leaves it alone.
///
/// A check that fails, or is left out, decides nothing. `enforceKnownPolicy(in:)`, called before the milestone's own
/// work, still holds this version to the policy that was read last.
struct ForceUpdateOperation: Sendable {
    /// How long the launch waits for the answer at least, where the allowance is not shorter, however little the budget
    /// leaves.
    static let leastAllowance = Duration.milliseconds(500)

    let environment: StartupEnvironment

    private var memory: Locked<UpdateMemory> { environment.memory.update }
    private var checks: LateUpdateCheck { environment.lateUpdateCheck }

    /// Asks, decides, and acts on the decision. Never throws but for being cancelled: a check that fails is noted.
    func run(in step: StepContext) async throws {
        // A graph may be launched again with the same memory (P31).
        memory.withLock { ($0.isStopped, $0.hasToldOfProblem) = (false, false) }
        let number = checks.begin()
        var answer: UpdateCheck.Answer?
        do {
            let check = try ask(number, isAwaited: true, in: step)
            // Not before: a launch that fails at this moment would wait for a check that nobody keeps.
            memory.withLock { $0.askedIn = step.launch }
            // Less where the budget is at its end, but never so little that no answer could come in time: a slow start
            // must not lead past a required update.
            let allowance = environment.updateAllowance
            let time = min(allowance, max(step.timeWithinBudget ?? allowance, Self.leastAllowance))
            answer = await step.waiting(for: "the version policy") { await check.answer(within: time, in: step) }
            // Otherwise it would continue for half a minute for nobody.
            if !step.mayGoOn { check.cancel() }
        } catch {
            answer = .failure(error)
        }
        if !step.mayGoOn { throw CancellationError() }
        switch answer {
        case .success(let policy)?:
            environment.memory.serviceHasAnswered()
            if let decision = decision(policy, of: number, in: step) { return await act(on: decision, in: step) }
            step.note("a later update check was answered before")
        case .failure(let error)?:
            try step.checkCancellation()
            step.note("the update check failed: \(error)")
        case nil:
            try step.checkCancellation()
            let more = checks.isKept(number) ? ", which goes on in the background" : "; a later one was answered before"
            // Kept or not: the sentence has to be true for the user who reads the report.
            step.note("the launch went on without an answer to the update check" + more)
        }
        // In every case without a decision: the policy that was read last still counts (P17).
        await actOnKnownPolicy(in: step)
    }

    /// Asks in the background, and acts on a late answer.
    ///
    /// - Parameter number: given before anything is asked: the answer to the check that began last counts, however they
    ///     come (P31).
    @discardableResult
    private func ask(_ number: Int, isAwaited: Bool, in step: StepContext) throws -> UpdateCheck {
        let check = UpdateCheck(number, isAwaited: isAwaited) { answer in
            // Nobody hears of an answer when the launch, or the step alone, was cancelled.
            guard step.mayGoOn, case .success(let policy) = answer else { return }
            guard let decision = decision(policy, of: number, in: step) else { return }
            await act(on: decision, in: step)
        }
        let (service, version) = (environment.services.updates, environment.app.version)
        try check.begin("update-check", in: step, deadline: LateUpdateCheck.limit) {
            try await service.updatePolicy(for: version, by: .after(LateUpdateCheck.limit))
        }
        // From the start: the deadline of the launch may come at any moment.
        checks.keep(check)
        return check
    }

    /// Asks for the next launch, where this one does not come to its own check. Nobody waits for it.
    private func askInBackground(in step: StepContext) {
        // Without a check there is nothing to tell: the launch has ended, or failed, for another reason.
        _ = try? ask(checks.begin(), isAwaited: false, in: step)
    }

    /// Stops the launch if the policy that was read last says that this version is too old. Asks no service, unless
    /// safe mode has put the check last, where it would never come; reads the store off the main thread.
    ///
    /// - Throws: `CancellationError` when it stopped the launch.
    func enforceKnownPolicy(in step: StepContext) async throws {
        guard await actOnKnownPolicy(in: step) else { return }
        if environment.journal?.recovery.asksForUpdateLast == true { askInBackground(in: step) }
        throw CancellationError()
    }

    /// The launch has failed, maybe before the check has begun: the policy that was read last takes the screen over, or
    /// else that of the service, for which the launch waits as long as it is allowed to. An answer that comes later
    /// counts as any late one.
    ///
    /// - Returns: whether the update has the screen.
    func takesOverFailure(in step: StepContext) async -> Bool {
        let hasAsked = memory.withLock { memory in
            if memory.askedIn === step.launch { return true }
            // The memory is of another launch of the graph.
            (memory.isStopped, memory.hasToldOfProblem) = (false, false)
            return false
        }
        let isTaken = await actOnKnownPolicy(in: step)
        // A check that has begun continues. Without one a demand that was lifted would hold for as long as launches
        // fail.
        if !hasAsked { askInBackground(in: step) }
        if !isTaken { await checks.end(within: environment.updateAllowance, in: step) }
        return memory.withLock { $0.isStopped }
    }

    /// - Returns: whether the policy that was read last stops the launch.
    @discardableResult
    private func actOnKnownPolicy(in step: StepContext) async -> Bool {
        let known = known
        if known == nil, let problem = knownProblem, isFirstToTellOfProblem() {
            step.note("the update policy that was kept cannot be read, so it was not used: \(problem)")
        }
        // With no answer, only a known minimum can stop the launch (N20).
        let now = environment.now()
        let decision = UpdatePolicy().completed(by: known, at: now).decision(for: environment.app.version, at: now)
        guard decision.stopsLaunch else { return false }
        step.note("the last known update policy was used")
        await stop(step, by: decision)
        return true
    }

    private func act(on decision: UpdateDecision, in step: StepContext) async {
        switch decision {
        case .mayContinue: break
        case .recommended(let version):
            step.note("version \(ForeignText.shown("\(version)")) is recommended")
            // A recommendation beside the update's screen would contradict it.
            if !memory.withLock({ $0.isStopped }) { await environment.presenters.update?.recommendUpdate(version) }
        case .required, .maintenance: await stop(step, by: decision)
        }
    }

    /// Stops the launch, if it still runs, and takes the screen over, once.
    private func stop(_ step: StepContext, by decision: UpdateDecision) async {
        // In one step: two checks may come to the same at once.
        let isStopped = memory.withLock { exchange(&$0.isStopped, with: true) }
        let isFirst = !isStopped && step.mayGoOn
        // Two checks may say the same, one after the other.
        let isNew = !isStopped && checks.isNew(decision)
        let (operation, presenter, stage) = (step.operation, environment.presenters.update, environment.stage)
        let takeOver: @MainActor @Sendable () async -> Void = {
            if isStopped { return }
            await stage.takeOver(by: operation) {
                if isNew { await presenter?.showUpdate(decision) }
            }
        }
        let reason: AbortReason = if case .maintenance = decision { .maintenance } else { .forceUpdate }
        let hasStopped = step.abortLate(reason, takeover: takeOver)
        // Last: neither the abort nor the update's screen waits for a store.
        defer {
            if isFirst, hasStopped { for text in environment.mailbox.stopForReport() { step.note(text) } }
        }
        // When the main screen is there, how the launch has ended says nothing of this any more.
        if !isNew || !step.mayGoOn || hasStopped && !step.isLaunchProperOver { return }
        environment.lateUpdateDecision(decision)
        if !hasStopped { await takeOver() }
    }

    /// The policy that was read last, in this launch or before.
    private var known: UpdatePolicy? { (memory.withLock { $0.policy } ?? stored)?.believed(by: environment.app.version) }

    private var stored: UpdatePolicy? {
        environment.state.lastUpdatePolicy.value.flatMap { try? JSONDecoder().decodeForeign(UpdatePolicy.self, from: $0) }
    }

    private func isFirstToTellOfProblem() -> Bool {
        !memory.withLock { exchange(&$0.hasToldOfProblem, with: true) }
    }

    /// Why the stored policy is not known; nil if none was stored.
    private var knownProblem: String? {
        switch environment.state.lastUpdatePolicy {
        case .value: "it makes no sense"
        case .unavailable(let error): "\(error)"
        case .absent: environment.state.isUpdatePolicyDamaged ? "what was stored was damaged" : nil
        }
    }

    /// The decision of an answer, which is kept for the next launch; nil if the answer to a later check came first.
    private func decision(_ answer: UpdatePolicy, of number: Int, in step: StepContext) -> UpdateDecision? {
        let answer = answer.believed(by: environment.app.version)
        let kept = checks.settle(number) {
            for field in answer.ignored { step.note("the update policy: \(field)") }
            // Without the lock where it is not to be had: reading and writing alone are safe.
            return try? environment.state.store.exclusivelyIfPossible { _ throws(StorageError) in keep(answer) }
        }
        if let error = kept?.error {
            step.note("the update policy could not be kept for the next launch: \(error)")
            environment.updatePolicyProblem(error)
        }
        return kept?.policy.decision(for: environment.app.version, at: environment.now())
    }

    /// Keeps the policy of an answer for the next launch, and says why it could not be kept.
    private func keep(_ answer: UpdatePolicy) -> (policy: UpdatePolicy, error: (any Error)?) {
        // Fields that this answer lacks stay as they were known.
        let policy = answer.completed(by: known, at: environment.now())
        do {
            try environment.state.recordUpdatePolicy(try JSONEncoder().encode(policy))
            // It is not kept here: another launch may store a newer one.
            memory.withLock { $0.policy = nil }
            return (policy, nil)
        } catch {
            memory.withLock { $0.policy = policy }
            return (policy, error)
        }
    }
}

extension AbortReason {
    /// The service is closed for a while.
    static let maintenance: AbortReason = "maintenance"
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> Void {
    /// Whether this version may still be used.
    ///
    /// It waits for nothing. If an update is required, the update screen takes over. If it fails, the launch continues;
    /// so it does if the service has not answered within ``StartupEnvironment/updateAllowance``, or when the budget
    /// leaves no more time, but not before half a second has passed: the answer then counts when it comes.
    public static var forceUpdate: Self {
        var step = Self(
            RecoveryStep.updateCheck,
            "Check for a required update",
            expected: .milliseconds(300),
            options: .onFailure(.continue),
            .essential,
            simulated: { simulated in
                return { step in
                    try await simulated.pass(step)
                    if simulated.requiresUpdate { step.abort(.forceUpdate) { simulated.showUpdate() } }
                }
            },
            work: { ForceUpdateOperation(environment: $0).run }
        )
        // For work that takes no notice of its allowance.
        step.timeout = { ($0?.updateAllowance ?? StartupEnvironment.defaultUpdateAllowance) + ForceUpdateOperation.leastAllowance }
        return step
    }
}
