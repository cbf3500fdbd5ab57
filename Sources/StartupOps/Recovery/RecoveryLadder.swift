import Sequencer

/// When launches that died make the next one leave something out.
public struct RecoveryLimits: Sendable, Hashable {
    /// So many deaths in the same place make a safe launch: in an operation that was in progress in all of them, or outside of any. 1 or more.
    public var sameOperation: Int
    /// So many deaths do so wherever they were. As much as ``sameOperation`` or more.
    public var anywhere: Int

    /// Limits.
    public init(sameOperation: Int = 3, anywhere: Int = 5) {
        self.sameOperation = max(sameOperation, 1)
        self.anywhere = max(anywhere, self.sameOperation)
    }
}

/// Decides what a launch leaves out: a pure function of how the ones before it ended.
///
/// Launches are counted, not minutes: an app that is opened once a week and crashes is in the same loop as one that is opened once a second. What
/// counts is that a launch died (crashed, or was ended while it hung) while somebody waited for it. Launches that came to an end, whichever, that
/// the person ended, or of which nothing is known, change nothing. One that stayed healthy, and another version of the app, end the count.
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
            // An app that works in the background only does not work.
            if launch.version != version || (launch.isHealthy && launch.isCounted) { break }
            relevant.append(launch)
        }
        return relevant
    }

    /// What the next launch leaves out.
    ///
    /// - Parameter launches: what ``relevant(_:for:)`` says, the newest first.
    func recovery(after launches: [JournaledLaunch]) -> Recovery {
        var recovery = Recovery.none
        var deaths: [JournaledLaunch] = []
        for launch in launches.reversed() {
            // The launches that have led there may be gone, or the one below could not be used.
            if launch.recovery.level > recovery.level { recovery = launch.recovery }
            guard launch.isCounted, launch.ending.isDeath else { continue }
            if recovery.level == .normal {
                deaths.append(launch)
                recovery = verdict(deaths)
            } else if launch.recovery.level >= recovery.level {
                // A launch with less left out says nothing of this level.
                recovery = above(recovery, launch)
            }
        }
        return recovery
    }

    private func verdict(_ deaths: [JournaledLaunch]) -> Recovery {
        let last = deaths.suffix(limits.sameOperation)
        if last.count == limits.sameOperation {
            let culprits = Self.culprits(in: Array(last))
            if !culprits.isEmpty || last.allSatisfy({ $0.ending.suspects.isEmpty }) {
                return firstRung(culprits, last)
            }
        }
        if deaths.count >= limits.anywhere { return firstRung([], deaths.suffix(limits.anywhere)) }
        return .none
    }

    /// The operations that were in progress in all of the launches, as the newest one orders them.
    private static func culprits(in deaths: [JournaledLaunch]) -> [String] {
        guard let newest = deaths.last else { return [] }
        let common = deaths.dropLast().reduce(Set(newest.ending.suspects)) { $0.intersection($1.ending.suspects) }
        return newest.ending.suspects.filter(common.contains)
    }

    private func firstRung(_ culprits: [String], _ deaths: some Collection<JournaledLaunch>) -> Recovery {
        let required = Set(deaths.flatMap(\.required))
        let skippable = culprits.filter { !required.contains($0) }
        let reason = Self.reason(culprits, deaths)
        if skippable.isEmpty { return Recovery.withoutSkipping(culprits, because: reason) }
        return Recovery(.skipping, skipping: skippable, because: reason)
    }

    private static func reason(_ culprits: [String], _ deaths: some Collection<JournaledLaunch>) -> String {
        let hung = deaths.allSatisfy { if case .hung = $0.ending { true } else { false } }
        let crashed = deaths.allSatisfy { if case .crashed = $0.ending { true } else { false } }
        let what = hung ? "hung" : crashed ? "crashed" : "crashed or hung"
        let launches = deaths.count == 1 ? "the last launch" : "the last \(deaths.count) launches"
        if !culprits.isEmpty { return "\(launches) \(what) in \(LaunchEnding.list(culprits, "or"))" }
        if deaths.allSatisfy(\.ending.suspects.isEmpty) { return "\(launches) \(what) outside of any operation" }
        return "\(launches) \(what), each in another operation"
    }

    private func above(_ recovery: Recovery, _ death: JournaledLaunch) -> Recovery {
        let reason = "the last launch was in safe mode already (\(recovery.summary)), and \(death.ending)"
        return Recovery(recovery.level.next, skipping: recovery.skipped, because: reason)
    }
}

extension Recovery {
    /// The rung after the one that leaves operations out, when none of them can be.
    static func withoutSkipping(_ operations: [String], because reason: String?) -> Recovery {
        let explanation = operations.isEmpty ? "" : ", which cannot be left out"
        return Recovery(.withoutTrialConfiguration, because: reason.map { $0 + explanation })
    }
}
