import Foundation
import SequencerAnalysis
import TestSupport
import Testing

/// The test of launches that take turns, on machines whose truth is known.
@Suite("Pairs of launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PairedComparisonTests {
    private static let threshold = 0.05

    /// What many benches on machines of one kind come to.
    private struct Results {
        private(set) var verdicts: [ChangeVerdict: Int] = [:]
        private var counts: [Int] = []

        /// - Parameter slower: the true change.
        init(_ weather: SimulatedMachine.Weather, slower: Double, series: Int) {
            for seed in 0..<UInt64(series) {
                var (machine, pairs) = (SimulatedMachine(weather, seed: seed), PairedComparison())
                var turns = PairedComparison.turns(seed: ~seed)
                repeat {
                    let isBeforeFirst = turns.index(below: 2) == 0
                    let times = (machine.time(slower: isBeforeFirst ? 0 : slower), machine.time(slower: isBeforeFirst ? slower : 0))
                    pairs.add(before: isBeforeFirst ? times.0 : times.1, after: isBeforeFirst ? times.1 : times.0)
                } while !pairs.isDecided(threshold: threshold) && pairs.count < 200
                verdicts[pairs.verdict(threshold: threshold), default: 0] += 1
                counts.append(pairs.count)
            }
        }

        func share(_ verdict: ChangeVerdict) -> Double { Double(verdicts[verdict] ?? 0) / Double(counts.count) }

        /// After how many pairs half of the benches were over.
        var median: Int { counts.sorted()[counts.count / 2] }
    }

    @Test(
        "The same launch twice is the same after 20 pairs, and in 1% of all cases it is not",
        arguments: SimulatedMachine.Weather.allCases
    )
    func falseAlarms(_ weather: SimulatedMachine.Weather) {
        let results = Results(weather, slower: 0, series: Simulations.series)
        #expect(results.share(.regression) + results.share(.improved) <= 0.01, "\(results.verdicts)")
        #expect(results.share(.same) >= 0.98 && results.median <= 20, "\(results.median): \(results.verdicts)")
    }

    @Test("A slowdown is found", arguments: SimulatedMachine.Weather.allCases, [(0.03, 40), (0.1, 12)])
    func power(_ weather: SimulatedMachine.Weather, _ case: (slower: Double, pairs: Int)) {
        let results = Results(weather, slower: `case`.slower, series: Simulations.series)
        #expect(results.share(.regression) >= (Simulations.series > 100 ? 0.99 : 0.98), "\(results.verdicts)")
        #expect(results.median <= `case`.pairs, "\(results.median)")
    }

    private func pairs(_ ratios: [Double]) -> PairedComparison {
        var pairs = PairedComparison()
        for ratio in ratios { pairs.add(before: 100, after: 100 * ratio) }
        return pairs
    }

    @Test(
        "Ten pairs are the fewest that tell, in either direction",
        arguments: [(1.3, ChangeVerdict.regression), (0.7, .improved), (1, .same)]
    )
    func leastPairs(_ ratio: Double, _ verdict: ChangeVerdict) throws {
        let few = pairs(Array(repeating: ratio, count: PairedComparison.leastPairs - 1))
        #expect(few.verdict(threshold: 0.05) == .inconclusive && few.interval == nil && !few.isDecided(threshold: 0.05))
        #expect(few.pairsNeeded(threshold: 0.05) == PairedComparison.leastPairs)
        let enough = pairs(Array(repeating: ratio, count: PairedComparison.leastPairs))
        #expect(enough.verdict(threshold: 0.05) == verdict && enough.isDecided(threshold: 0.05))
        #expect(try #require(enough.interval).contains(ratio - 1))
        #expect(abs(try #require(enough.change) - (ratio - 1)) < 1e-9)
    }

    @Test("A pair of which one took four times as long counts as one, and pairs without a time do not count")
    func outliers() {
        var some = pairs(Array(repeating: 1.1, count: 20) + [0.25])
        #expect(some.verdict(threshold: 0.05) == .regression)
        for (before, after) in [(0.0, 1.0), (1, 0), (0, 0), (.infinity, 1)] { some.add(before: before, after: after) }
        #expect(some.count == 21)
        #expect(PairedComparison().verdict(threshold: 0.05) == .inconclusive && PairedComparison().change == nil)
    }

    @Test("Where it may be slower or not, about as many pairs as would tell are named")
    func pairsNeeded() throws {
        let noisy = pairs((0..<40).map { $0.isMultiple(of: 2) ? 1.3 : 0.8 })
        #expect(noisy.verdict(threshold: 0.05) == .inconclusive)
        #expect(try #require(noisy.pairsNeeded(threshold: 0.05)) > 100)
        // No number of pairs shows that two are exactly the same.
        #expect(pairs(Array(repeating: 1, count: 20)).pairsNeeded(threshold: 0) == nil)
        #expect(pairs(Array(repeating: 0.5, count: 20)).verdict(threshold: 10) == .improved)
    }
}
