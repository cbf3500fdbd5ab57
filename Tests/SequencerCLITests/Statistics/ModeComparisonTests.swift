import Foundation
import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Launches of two kinds, compared", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ModeComparisonTests {
    /// Launches of 0.8 s, of which about one in two finds no cache and takes half as long again.
    private struct Source {
        var random: SplitMix64

        /// Twenty of them, in nanoseconds.
        ///
        /// - Parameters:
        ///   - slower: by which share all of them are.
        ///   - misses: the share of those that find no cache.
        mutating func times(slower: Double = 0, misses: Double = 0.5) -> [Double] {
            (0..<20).map { _ in 800e6 * exp(0.03 * random.normal()) * (random.uniform() < misses ? 1.5 : 1) * (1 + slower) }
        }
    }

    private static func scenario(_ times: [Double]) -> BenchedScenario {
        var scenario = BenchedScenario(name: "regular", budget: .seconds(9))
        scenario.runs = times.map { time in
            let time = Duration.nearest(nanoseconds: time)
            return BenchRun(outcome: .completed, isMet: true, measured: time, makespan: time, interactive: .zero)
        }
        return scenario
    }

    private static func comparison(_ before: [Double], _ after: [Double], clock: ClockMode = .wall) -> BenchComparison {
        BenchComparison(scenario(before), scenario(after), clock: clock, threshold: 0.05)
    }

    /// Two kinds of runs: `lower` of about 0.8 s, then `upper` of about 1.2 s, each a little longer than the one before.
    private static func kinds(_ lower: Int, _ upper: Int, _ factors: (Double, Double) = (1, 1)) -> [Double] {
        let first = (0..<lower).map { run -> Double in (800e6 + 1e6 * Double(run)) * factors.0 }
        let second = (0..<upper).map { run -> Double in (1200e6 + 1e6 * Double(run)) * factors.1 }
        return first + second
    }

    @Test("F5: of 15 % slower launches of two kinds, 20 runs each, almost all are found, where the median of all tells of none")
    func power() {
        var source = Source(random: SplitMix64(seed: 3))
        let comparisons = (0..<6).map { _ in Self.comparison(source.times(), source.times(slower: 0.15)) }
        #expect(comparisons.count { $0.verdict == .regression } >= 5)
        #expect(comparisons.allSatisfy { $0.times.modes != nil })
    }

    @Test("F5: of launches of two kinds that are the same, at most one of 100 is taken for a slower one", .nightly)
    func falseAlarms() {
        var source = Source(random: SplitMix64(seed: 5))
        let verdicts = (0..<200).map { _ in Self.comparison(source.times(), source.times()).verdict }
        #expect(verdicts.count { $0 == .regression } <= 2)
        #expect(verdicts.count { $0 == .improved } <= 2)
    }

    @Test("F5: more launches of the slower kind are a regression, though neither kind has changed")
    func shares() {
        let comparison = Self.comparison(Self.kinds(16, 4), Self.kinds(4, 16))
        #expect(comparison.verdict == .regression && comparison.times.modes.map { $0.p > 0.01 } == true)
        // Faster kinds, and more of the slower one: nobody can say whether that is better.
        let both = Self.comparison(Self.kinds(16, 4), Self.kinds(4, 16, (0.9, 0.9)))
        #expect(both.verdict == .inconclusive)
        let text = ComparisonText(comparison: both, style: TextStyle(isColored: false, isUnicode: false)).text
        #expect(text.hasSuffix("INCONCLUSIVE  each kind of runs has changed one way, and the shares of the kinds the other way\n"))
    }

    @Test("Which verdict follows from those on all runs and on each kind")
    func verdicts() {
        let wide = -0.3...0.3
        for verdict in ChangeVerdict.allCases {
            for modes in [verdict, .inconclusive, .same] {
                #expect(SampleChange.verdict(of: verdict, wide, modes: modes) == verdict)
            }
        }
        let (slower, faster) = (0.1...0.3, -0.3 ... -0.1)
        for interval in [wide, slower] {
            #expect(SampleChange.verdict(of: .inconclusive, interval, modes: .regression) == .regression)
        }
        for interval in [wide, faster] {
            #expect(SampleChange.verdict(of: .inconclusive, interval, modes: .improved) == .improved)
        }
        #expect(SampleChange.verdict(of: .inconclusive, faster, modes: .regression) == .inconclusive)
        #expect(SampleChange.verdict(of: .inconclusive, slower, modes: .improved) == .inconclusive)
        for (all, modes) in [(.regression, .improved), (.improved, .regression), (.same, .regression), (.same, .improved)]
            as [(ChangeVerdict, ChangeVerdict)]
        {
            #expect(SampleChange.verdict(of: all, wide, modes: modes) == .inconclusive)
        }
    }

    @Test("The test is near the exact one, which counts every way to divide either kind: 0.0063")
    func vanElteren() throws {
        let before = try #require(SortedSample([800, 806, 811, 817, 1001, 1009, 1014, 1020, 1031]))
        let after = try #require(SortedSample([809, 823, 828, 832, 1012, 1035, 1040, 1044, 1050]))
        #expect(before.modes?.lower.count == 4 && after.modes?.lower.count == 4)
        let comparison = try #require(before.changeOfModes(to: after))
        #expect(abs(comparison.p - 0.008438895243810807) < 1e-12)
        let turned = try #require(after.changeOfModes(to: before))
        #expect(abs(turned.p - comparison.p) < 1e-12)
    }

    @Test("Both kinds are named, with their changes, in text and JSON; so are the two of one side")
    func texts() {
        let style = TextStyle(isColored: false, isUnicode: false)
        let comparison = Self.comparison(Self.kinds(11, 9), Self.kinds(9, 11, (1.1, 1.2)))
        let text = ComparisonText(comparison: comparison, style: style).text
        #expect(text.contains("\n  modes   11 around 805 ms -> 9 around 884 ms, +9.9%\n"), "\(text)")
        #expect(text.contains("\n          9 around 1.2 s -> 11 around 1.45 s, +20.1%\n  by mode +1"), "\(text)")
        let json = BenchComparison.json([comparison])
        #expect(json.contains(#""modes": {"#) && json.contains(#""changeLower": "#))
        let one = Self.comparison(Self.kinds(20, 0), Self.kinds(11, 9))
        #expect(one.times.modes == nil)
        let other = ComparisonText(comparison: one, style: style).text
        #expect(other.contains("\n  modes   two after: 11 around 805 ms, 9 around 1.2 s\n"), "\(other)")
        #expect(!ComparisonText(comparison: Self.comparison([1e9], [1e9], clock: .virtual), style: style).text.contains("modes"))
    }
}
