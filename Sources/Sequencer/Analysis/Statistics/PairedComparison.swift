import Foundation
import Sequencer

/// Launches in pairs, one before a change and one after it, in turns: whether the change has made them slower.
///
/// It may be looked at after each pair, and stopped when it is sure. What slows the machine for a while slows both
/// launches of a pair, and chance decides which one is first (``turns(seed:)``). So without a change the one is as
/// often slower than the other as it is faster, and by as much, whatever else the machine does.
///
/// For any change it is betted that the true one is larger, and that it is smaller. Each pair multiplies the capital of a
/// bet by 1 plus a stake times its distance from that change; larger distances than usual count as the usual one, so
/// that a launch which takes four times as long is one pair and no more. Where the true change is not larger, the capital
/// does not grow in the mean, and reaches 200 with a probability of at most 1 in 200, however often it is looked at
/// (Ville's inequality). The bets are those of I. Waudby-Smith and A. Ramdas, "Estimating Means of Bounded Random
/// Variables by Betting", Journal of the Royal Statistical Society B 86 (2024), with a mixture of four stakes.
///
/// `Documentation/Benches.md` shows what it finds on simulated machines; `PairedComparisonTests` measures that.
package struct PairedComparison: Sendable {
    /// From this capital on a bet is won. Both together are lost, for one change, in 1 of 100 cases at most.
    private static let enough = 200.0
    /// Large ones win soon where the change is clear, small ones at last where it is not.
    private static let stakes = [0.2, 0.5, 0.8, 0.95]
    /// The fewest pairs that can win: all that are beyond the usual distance, in one direction.
    package static let leastPairs = 10
    /// While the capital that bets on a slowdown is larger than this, pairs do not speak against it.
    private static let doubt = 0.5
    /// How far logarithms of ratios are from their median, before any pair is known.
    private static let usualDistance = 0.03
    /// The usual distance follows the machine as of so many pairs.
    private static let recentPairs = 64

    /// The logarithm of each pair's ratio, after to before, and the distance beyond which it counts no more.
    private var pairs: [(ratio: Double, clip: Double)] = []

    package init() {}

    /// Adds two launches that were next to each other. Nothing can be a share of 0: such a pair does not count.
    package mutating func add(before: Double, after: Double) {
        let ratio = log(after / before)
        if ratio.isFinite { pairs.append((ratio, clip)) }
    }

    /// For the next pair. It follows from those before: who bets must not know the outcome.
    private var clip: Double {
        let recent = pairs.suffix(Self.recentPairs).map(\.ratio)
        let middle = SortedSample(recent)?.median ?? 0
        let distances = recent.map { abs($0 - middle) } + [Self.usualDistance, Self.usualDistance]
        return max(1.5 * (SortedSample(distances)?.median ?? Self.usualDistance), 1e-4)
    }

    package var count: Int { pairs.count }

    /// The median of the pairs' changes, as a share: 0.05 is 5% more. Nil without a pair.
    package var change: Double? { (SortedSample(pairs.map(\.ratio))?.median).map { exp($0) - 1 } }

    // MARK: - Evidence

    /// The capital that bets on a true change of more than `shift`, a logarithm; for a `side` of -1, of less.
    private func capital(_ side: Double, beyond shift: Double) -> Double {
        var capitals = Self.stakes.map { _ in 1.0 }
        for (ratio, clip) in pairs {
            let outcome = min(max(side * (ratio - shift) / clip, -1), 1)
            for (place, stake) in Self.stakes.enumerated() { capitals[place] *= 1 + stake * outcome }
        }
        return capitals.reduce(0, +) / Double(capitals.count)
    }

    private func isSure(_ side: Double, beyond shift: Double) -> Bool { capital(side, beyond: shift) >= Self.enough }

    /// How probable pairs like these are without a change, in whichever direction, however often one looks.
    package var p: Double { min(2 / max(capital(1, beyond: 0), capital(-1, beyond: 0)), 1) }

    /// Contains the true change in 99 of 100 cases, at all looks; nil with fewer than ``leastPairs``.
    package var interval: ClosedRange<Double>? {
        guard let lower = bound(1), let upper = bound(-1) else { return nil }
        // Rounded, the lower end may be the larger one by a digit, and a range would trap.
        return min(exp(lower), exp(upper)) - 1...exp(upper) - 1
    }

    /// The last change, a logarithm, that the true one is surely beyond.
    private func bound(_ side: Double) -> Double? {
        let ratios = pairs.map { side * $0.ratio }
        guard let least = ratios.min(), let most = ratios.max(), let clip = pairs.map(\.clip).max() else { return nil }
        // Beyond the least ratio every pair wins, beyond the largest none does; in between the capital only falls.
        guard isSure(side, beyond: side * (least - clip)) else { return nil }
        return side * lastNumber(from: least - clip, to: most + clip) { isSure(side, beyond: side * $0) }
    }

    // MARK: - Verdicts

    /// Slower or faster by any change that is sure; the same when it is sure to be neither by more than the threshold.
    package func verdict(threshold: Double) -> ChangeVerdict {
        if isSure(1, beyond: 0) { return .regression }
        if isSure(-1, beyond: 0) { return .improved }
        // Nothing is faster by more than 100%.
        let isNotFaster = threshold >= 1 || isSure(1, beyond: log1p(-threshold))
        return isNotFaster && isSure(-1, beyond: log1p(threshold)) ? .same : .inconclusive
    }

    /// Whether more pairs are not needed. A slowdown below the threshold is looked for as long as it is likely.
    ///
    /// - Parameter launches: how many there were of either side: those that all fail would never tell.
    package func isDecided(threshold: Double, after launches: Int = 0) -> Bool {
        if count == 0 { return launches >= Self.leastPairs }
        return switch verdict(threshold: threshold) {
        case .regression, .improved, .changed: true
        case .same: change ?? 0 <= 0 || capital(1, beyond: 0) <= Self.doubt
        case .inconclusive: false
        }
    }

    /// About how many pairs like these would tell; nil where no number would.
    package func pairsNeeded(threshold: Double) -> Int? {
        guard let interval, let change else { return Self.leastPairs }
        // The interval becomes narrower with the square root of the pairs. It has to leave out 0, or the threshold.
        let (middle, width) = (abs(log1p(change)), log1p(interval.upperBound) - log1p(interval.lowerBound))
        let needed = Double(count) * pow(width / 2 / max(middle, log1p(threshold) - middle), 2)
        return needed < 1e6 ? max(Int(needed.rounded(.up)), count + 1) : nil
    }

    // MARK: - Turns

    /// Which launch of each pair is first, of 2: chance decides, so that neither gains from what changes all the time.
    /// Each bench has the same order, unless it is given another `seed`.
    package static func turns(seed: UInt64 = 0x5EED_0002) -> SplitMix64 { SplitMix64(seed: seed) }
}
