import Sequencer

/// How much of a launch is left out, because launches have died: the rungs of a ladder.
///
/// Each rung leaves out more than the one below it. None touches the user's accounts, sessions, settings and choices.
package enum RecoveryLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing is left out.
    case normal
    /// The operations in which the launches died are left out, as far as that can be done.
    case skipping
    /// Also, the configuration that no launch has completed with is dropped, and no new one is fetched.
    case withoutTrialConfiguration = "without-trial-configuration"
    /// Also, everything is dropped that can be fetched again.
    case withoutCaches = "without-caches"
    /// Only the steps that the main screen needs, and the essential ones.
    case minimal

    /// The level after another death; `minimal` is the last.
    var next: RecoveryLevel { Self.allCases.first { $0.rung == rung + 1 } ?? self }

    /// How much is left out.
    private var rung: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: RecoveryLevel, right: RecoveryLevel) -> Bool { left.rung < right.rung }
}

/// The part of a launch that is left out, and why; it follows from how the launches before it ended.
public struct Recovery: Sendable, Hashable {
    /// How much is left out.
    package let level: RecoveryLevel
    /// The operations in which launches died.
    package let skipped: [String]
    /// Why, in a few words; nil when nothing is left out.
    package let reason: String?
    /// The operations in which launches died and that are essential, or needed by one that is: the launch does without
    /// them until its main screen is there.
    let late: [String]
    /// The parts that do not hold for steps that essential ones need; empty if all parts hold.
    var exceptions = ""

    init(
        _ level: RecoveryLevel,
        skipping skipped: [String] = [],
        late: [String] = [],
        because reason: String? = nil
    ) {
        self.level = level
        self.skipped = skipped
        self.late = late
        self.reason = reason
    }

    /// A launch that leaves nothing out.
    static let none = Recovery(.normal)

    /// Whether the launch is in safe mode.
    public var isSafeMode: Bool { level != .normal }

    /// Whether the launch asks for an update after its main screen, because launches died while they asked, or in what
    /// they ask with.
    var asksForUpdateLast: Bool { !late.isEmpty }

    /// Whether the launch deletes stored data that can be had again, such as caches; never the user's own.
    public var deletesData: Bool { level >= .withoutTrialConfiguration }

    /// The recovery in a few words: `tutorial is left out`.
    package var summary: String {
        let skipping = skipped.isEmpty ? "" : "\(Self.list(skipped)) \(skipped.count == 1 ? "is" : "are") left out"
        let also = skipping.isEmpty ? "" : ", and \(skipping)"
        let summary =
            switch level {
            case .normal: "nothing is left out"
            case .skipping: skipping.isEmpty ? "nothing can be left out" : skipping
            case .withoutTrialConfiguration: "the last configuration that worked is used" + also
            case .withoutCaches: "the last configuration that worked is used, the caches are emptied" + also
            case .minimal: "only what the main screen needs is done"
            }
        if late.isEmpty { return summary }
        let isCheck = late == [RecoveryStep.updateCheck]
        return summary + "; "
            + (isCheck ? "the update check comes last" : "\(Self.list(late)) come\(late.count == 1 ? "s" : "") last, or not at all")
    }

    /// How safe mode ends, and the next level if it does not help; nil outside of it.
    public var outlook: String? {
        let end = "It ends after a launch that stays healthy, or with another version of the app."
        return switch level {
        case .normal: nil
        case .skipping: end + " If the next launch dies too, the one after it also goes without the configuration on trial."
        case .withoutTrialConfiguration: end + " If the next launch dies too, the one after it also begins with empty caches."
        case .withoutCaches: end + " If the next launch dies too, the one after it only does what the main screen needs."
        case .minimal: end + " There is nothing else to leave out."
        }
    }

    /// The sentence for reports, messages and logs; nil outside of safe mode.
    public var sentence: String? {
        guard isSafeMode else { return nil }
        return "safe mode: \(summary)" + (reason.map { ", because \($0)" } ?? "") + exceptions
    }

    /// `a, b and c`; of many, the first few.
    static func list(_ operations: [String], _ conjunction: String = "and") -> String {
        let most = 5
        var names = operations.prefix(most).map { printable($0, limit: 80) }
        if operations.count > most { names.append("\(operations.count - most) more") }
        guard let last = names.popLast() else { return "nothing" }
        return names.isEmpty ? last : names.joined(separator: ", ") + " \(conjunction) " + last
    }
}

/// The identifiers of the steps that safe mode treats specially, in any graph: a journal knows no more of a step.
enum RecoveryStep {
    /// Comes first in a minimal launch: an update may mend the app. A step of this name that can be left out is not the
    /// update check.
    static let updateCheck = "force-update"
    /// Never left out, even if no launch lived long enough to write down its inputs.
    static let mainScreen = "main-app"
    /// Is left out together with the configuration on trial.
    static let configuration = "fetch-config"
}

/// The choice between recovery and a usual launch in safe mode: see ``LaunchJournal/decide(_:)``.
public enum RecoveryChoice: Sendable, Hashable {
    /// It leaves out, and deletes, what its recovery says.
    case recover
    /// It continues as if no launch had died.
    case goOn
}
