import Sequencer

/// What a launch leaves out, and why: decided by how the launches before it ended.
public struct Recovery: Sendable, Hashable {
    /// How much is left out.
    public let level: RecoveryLevel
    /// The operations in which launches died.
    public let skipped: [String]
    /// Why, in a few words; nil when nothing is left out.
    public let reason: String?

    init(_ level: RecoveryLevel, skipping skipped: [String] = [], because reason: String? = nil) {
        self.level = level
        self.skipped = skipped
        self.reason = reason
    }

    /// A launch that leaves nothing out.
    public static let none = Recovery(.normal)

    /// Whether the launch is in safe mode.
    public var isSafeMode: Bool { level != .normal }

    /// What the launch does, in a few words: `tutorial is left out`.
    public var summary: String {
        let skipping = skipped.isEmpty ? "" : "\(LaunchEnding.list(skipped)) \(skipped.count == 1 ? "is" : "are") left out"
        let also = skipping.isEmpty ? "" : ", and \(skipping)"
        return switch level {
        case .normal: "nothing is left out"
        case .skipping: skipping.isEmpty ? "nothing can be left out" : skipping
        case .withoutTrialConfiguration: "the last configuration that worked is used" + also
        case .withoutCaches: "the last configuration that worked is used, the caches are emptied" + also
        case .minimal: "only what the main screen needs is done"
        }
    }

    /// What ends safe mode, and what comes next if it does not help; nil outside of it.
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

    /// One sentence for reports, messages and logs; nil outside of safe mode.
    public var sentence: String? {
        guard isSafeMode else { return nil }
        return "safe mode: \(summary)" + (reason.map { ", because \($0)" } ?? "")
    }
}
