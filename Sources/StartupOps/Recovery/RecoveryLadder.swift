import Sequencer
import StartupStorage

/// When launches that died make the next one leave something out.
public struct RecoveryLimits: Sendable, Hashable {
    /// The number of deaths in the same place that make a safe launch: in an operation that was in progress in all of
    /// them, or outside of any. 1 or more.
    var sameOperation: Int
    /// The number of deaths anywhere that make a safe launch. At least `sameOperation`.
    var anywhere: Int

    /// Limits.
    public init(sameOperation: Int = 3, anywhere: Int = 5) {
        self.sameOperation = max(sameOperation, 1)
        // Fewer deaths anywhere than in one place would make the second limit useless.
        self.anywhere = max(anywhere, self.sameOperation)
    }
}

/// Decides what a launch leaves out: a pure function of how the ones before it ended.
///
/// Launches are counted, not minutes: an app that is opened once a week and crashes is in the same loop as one that is
/// opened once a second. A launch counts that died (crashed, or was ended while it hung) or failed while somebody
/// waited for it. Launches with another end, launches that the user ended, and launches without a known end change
/// nothing. A launch that stayed healthy, and another version of the app, end the count.
///
/// A launch that failed had an end, and mostly for want of something outside of the app: so it only makes the next one
/// leave out the operation that it failed in, where that can be left out. Where it cannot, and each of these launches
/// failed with a configuration on trial, the next one goes without that. Failures lead no further.
struct RecoveryLadder {
    let limits: RecoveryLimits

    /// Which of the launches say anything: those after the last one that ends the count.
    ///
    /// - Parameter launches: the newest first; no more are looked at than needed.
    static func relevant(_ launches: some Sequence<JournaledLaunch>, for version: String?) -> [JournaledLaunch] {
        var relevant: [JournaledLaunch] = []
        for launch in launches {
            // Neither a file that says nothing nor a launch that nobody waited for says that the version has changed.
            if launch.ending == .unknown { continue }
            if launch.version != version || launch.isHealthy { break }
            relevant.append(launch)
        }
        return relevant
    }

    /// The recovery of the next launch.
    ///
    /// - Parameter launches: what `relevant(_:for:)` says, the newest first.
    func recovery(after launches: [JournaledLaunch]) -> Recovery {
        var recovery = Recovery.none
        var bad: [JournaledLaunch] = []
        // From the oldest on: each launch is judged at the level that it ran at.
        for launch in launches.reversed() {
            // The launches that have led there may be gone, or the one below could not be used.
            if launch.recovery.level > recovery.level {
                recovery = launch.recovery
                bad = []
            }
            guard launch.isCounted, launch.ending.isBad else { continue }
            if recovery.level == .normal {
                bad.append(launch)
                recovery = verdict(bad)
                // The count begins anew at each level.
                if recovery.isSafeMode { bad = [] }
            } else if launch.recovery.level >= recovery.level, launch.ending.isDeath {
                // A launch with less left out says nothing of this level.
                recovery = above(recovery, launch)
            } else if recovery.level == .skipping, launch.recovery.level == .skipping {
                bad.append(launch)
                guard let next = withoutTrial(bad) else { continue }
                recovery = Recovery(next.level, skipping: recovery.skipped, late: recovery.late, because: next.reason)
            }
        }
        return recovery
    }

    private func verdict(_ bad: [JournaledLaunch]) -> Recovery {
        // Deaths first: they lead on to higher levels, failures do not.
        let deaths = bad.filter(\.ending.isDeath)
        if let recovery = inOnePlace(deaths) { return recovery }
        if let recovery = inOnePlace(bad), recovery.level == .skipping { return recovery }
        if let recovery = withoutTrial(bad) { return recovery }
        // The last ones only: earlier ones may have had another cause.
        if deaths.count >= limits.anywhere { return firstRung([], deaths.suffix(limits.anywhere)) }
        return .none
    }

    /// The recovery without the configuration on trial, if the last launches failed in the same operation, which cannot
    /// be left out, and each had one; nil otherwise.
    private func withoutTrial(_ bad: [JournaledLaunch]) -> Recovery? {
        // Deaths need no trial to be counted; failures do.
        guard bad.suffix(limits.sameOperation).allSatisfy({ $0.ending.isDeath || $0.failedOnTrial }) else { return nil }
        return inOnePlace(bad).flatMap { $0.level == .withoutTrialConfiguration ? $0 : nil }
    }

    /// The recovery that the last launches call for, if all of them ended in the same place; nil otherwise.
    private func inOnePlace(_ launches: [JournaledLaunch]) -> Recovery? {
        let last = launches.suffix(limits.sameOperation)
        guard last.count == limits.sameOperation else { return nil }
        let culprits = Self.culprits(in: Array(last))
        // No culprit in common, and yet suspects: these were not the same place.
        return culprits.isEmpty && !last.allSatisfy(\.ending.suspects.isEmpty) ? nil : firstRung(culprits, last)
    }

    /// The operations that were in progress in all of the launches, as the newest one orders them.
    private static func culprits(in deaths: [JournaledLaunch]) -> [String] {
        guard let newest = deaths.last else { return [] }
        let common = deaths.dropLast().reduce(Set(newest.ending.suspects)) { $0.intersection($1.ending.suspects) }
        return newest.ending.suspects.filter(common.contains)
    }

    private func firstRung(_ culprits: [String], _ deaths: some Collection<JournaledLaunch>) -> Recovery {
        // An operation that one of these launches could not leave out cannot be left out of the next one either.
        let required = Set(deaths.flatMap(\.required))
        let skippable = culprits.filter { !required.contains($0) && $0 != RecoveryStep.mainScreen }
        let reason = Self.reason(culprits, deaths)
        // They are not left out like others: another order is worth a try.
        if deaths.allSatisfy({ $0.canAvoid(culprits) }), skippable.isEmpty || required.isEmpty {
            return Recovery(.withoutTrialConfiguration, late: culprits, because: reason)
        }
        if skippable.isEmpty { return Recovery.withoutSkipping(culprits, because: reason) }
        return Recovery(.skipping, skipping: skippable, because: reason)
    }

    private static func reason(_ culprits: [String], _ deaths: some Collection<JournaledLaunch>) -> String {
        let endings = Set(deaths.map(\.ending.name))
        let what = ["crashed", "hung", "failed"].filter(endings.contains).joined(separator: " or ")
        let launches = deaths.count == 1 ? "the last launch" : "the last \(deaths.count) launches"
        if !culprits.isEmpty { return "\(launches) \(what) in \(Recovery.list(culprits, "or"))" }
        if deaths.allSatisfy(\.ending.suspects.isEmpty) { return "\(launches) \(what) outside of any operation" }
        return "\(launches) \(what), each in another operation"
    }

    private func above(_ recovery: Recovery, _ death: JournaledLaunch) -> Recovery {
        let reason = "the last launch was in safe mode already (\(recovery.summary)), and \(death.ending)"
        // A minimal launch begins with the essential operations. An operation in progress beside one of them is needed
        // by one, so nothing else is left to try.
        let isLast = death.recovery.level == .minimal && death.ending.isDeath
        let avoided = isLast || death.canAvoid(death.ending.suspects) ? death.ending.suspects.filter(death.avoidable.contains) : []
        let late = avoided.filter { !recovery.late.contains($0) }
        return Recovery(recovery.level.next, skipping: recovery.skipped, late: recovery.late + late, because: reason)
    }
}

extension JournaledLaunch {
    /// Whether a launch after this one, which died in these operations, can do without them until its main screen is
    /// there.
    fileprivate func canAvoid(_ operations: [String]) -> Bool {
        ending.isDeath && !operations.isEmpty && operations.allSatisfy(avoidable.contains)
    }
}

extension Recovery {
    /// The rung after the one that leaves operations out, when none of them can be.
    static func withoutSkipping(_ operations: [String], because reason: String?) -> Recovery {
        let explanation = operations.isEmpty ? "" : ", which cannot be left out"
        return Recovery(.withoutTrialConfiguration, because: reason.map { $0 + explanation })
    }

    /// Takes the steps of this recovery out of a graph, as far as the milestone can be reached without them.
    ///
    /// In a minimal launch the essential steps, the update check among them, come before everything else. If launches
    /// died in the update check, or in its inputs, it comes after the milestone, which a version that is known to be
    /// ruled out does not reach. The same holds for any essential step; optional inputs are left out.
    ///
    /// - Parameter skippable: the steps that the graph can do without; essential ones, such as the update check, are
    ///     not among them.
    func apply(to graph: inout OperationGraph, skippable: Set<String>) {
        guard isSafeMode else { return }
        var reasons: [String: String] = [:]
        if level == .minimal {
            for operation in skippable {
                // Everything that can be left out: the least that reaches the main screen.
                reasons[operation] = "in safe mode, only what the main screen needs is done"
            }
        }
        // After the minimal reasons: the reason of the configuration is the more exact one.
        if level >= .withoutTrialConfiguration { reasons[RecoveryStep.configuration] = "in safe mode, no new configuration is used" }
        for operation in skipped { reasons[operation] = reason ?? "launches died in it" }
        // `try?`: a step that is not in this graph has nothing to be left out of.
        for (operation, reason) in reasons where skippable.contains(operation) { try? graph.skip(operation, because: reason) }
        let avoided = graph.skippable(with: late)
        for operation in late where avoided.contains(operation) { try? graph.skip(operation, because: reason ?? "launches died in it") }
        let moved = graph.moveBehindMilestone(late.filter { !avoided.contains($0) })
        if level == .minimal { graph.beginWithEssential(RecoveryStep.updateCheck, except: moved) }
    }

    /// Says which steps are made though they would be left out, because an essential one needs them, as the update
    /// check may need the configuration, and what such a one needs that is not fresh.
    mutating func tellExceptions(in graph: OperationGraph) {
        guard isSafeMode else { return }
        let named = skipped + (level >= .withoutTrialConfiguration ? [RecoveryStep.configuration] : [])
        let inputs = graph.essentialInputs
        let avoided = graph.skippable(with: late).intersection(late)
        let made = inputs.filter { !$0.isLeftOut && named.contains($0.id) && !late.contains($0.id) }.map(\.id)
        let stale = inputs.filter { $0.isLeftOut || avoided.contains($0.id) }.map(\.id)
        exceptions = made.isEmpty ? "" : "; done all the same, for an essential operation needs it: \(Self.list(made))"
        if !stale.isEmpty { exceptions += "; not fresh, though an essential operation needs it: \(Self.list(stale))" }
    }

    /// Removes the stored data that this recovery goes without; never the user's own.
    ///
    /// - Returns: why something could not be removed.
    func drop(from directory: StateDirectory) -> [StorageError] {
        var problems: [StorageError] = []
        func attempt(_ body: () throws(StorageError) -> Void) {
            do throws(StorageError) { try body() } catch { problems.append(error) }
        }
        // Levels add up: a higher one drops all that the lower ones drop.
        if level >= .withoutTrialConfiguration {
            attempt { () throws(StorageError) in try ConfigurationStore(directory.state).dropTrial() }
        }
        if level >= .withoutCaches { attempt { () throws(StorageError) in try directory.cache.removeAll() } }
        return problems
    }
}
