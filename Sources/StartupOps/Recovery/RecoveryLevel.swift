/// How much of a launch is left out, because launches have died: the rungs of a ladder.
///
/// Each rung leaves out what the ones below it do, and more. None touches what is the person's: accounts, sessions, settings, choices.
public enum RecoveryLevel: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
    /// Nothing is left out.
    case normal
    /// The operations in which the launches died are left out, as far as that can be done.
    case skipping
    /// Also, the configuration that no launch has completed with is dropped, and no new one is fetched.
    case withoutTrialConfiguration = "without-trial-configuration"
    /// Also, everything is dropped that can be fetched again.
    case withoutCaches = "without-caches"
    /// Only what the main screen cannot do without.
    case minimal

    /// The level after another death; there is none above ``minimal``.
    var next: RecoveryLevel {
        let all = Self.allCases
        guard let index = all.firstIndex(of: self), index + 1 < all.count else { return self }
        return all[index + 1]
    }

    /// Orders levels by how much is left out.
    public static func < (left: RecoveryLevel, right: RecoveryLevel) -> Bool {
        let all = Self.allCases
        return (all.firstIndex(of: left) ?? 0) < (all.firstIndex(of: right) ?? 0)
    }
}
