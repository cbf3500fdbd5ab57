import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

/// Expected values come from NumPy 2 and SciPy 1.17.
@Suite("Samples", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SampleTests {
    private static let values = [12.5, 3.1, 8.8, 7.25, 9.0, 100.0, 6.5, 7.0]

    @Test("The median, as numpy.median has it; the MAD, as scipy.stats.median_abs_deviation has it")
    func medians() throws {
        let sample = try #require(SortedSample(Self.values))
        #expect(abs(sample.median - 8.025) < 1e-9)
        #expect(abs(try #require(sample.medianAbsoluteDeviation) - 1.275) < 1e-12)
        #expect(sample.minimum == 3.1 && sample.maximum == 100)
    }

    @Test("The percentiles that are shown are nearest ranks, the same in bench and in stats", arguments: [1, 2, 3, 7, 10, 11, 100, 101])
    func nearestRank(_ count: Int) throws {
        let values = (1...count).map { Double($0) }
        let sample = try #require(SortedSample(values))
        let sketch = values.reduce(into: QuantileSketch()) { $0.insert($1) }
        for percent in [50.0, 75, 90, 95, 99] {
            guard SortedSample.has(percentile: percent, of: count) else {
                #expect(sample.nearestRank(percent) == nil && sketch.knownPercentile(percent) == nil)
                continue
            }
            let exact = try #require(sample.nearestRank(percent))
            #expect(values.contains(exact) && Double(values.count { $0 <= exact }) >= percent / 100 * Double(count))
            #expect(values.count { $0 < exact } == 0 || Double(values.count { $0 < exact }) < percent / 100 * Double(count))
            let sketched = try #require(sketch.knownPercentile(percent))
            #expect(abs(sketched - exact) <= exact * QuantileSketch.relativeError * 1.000001, "p\(percent) of \(count)")
        }
    }

    @Test("One value is its own median, and is not off by anything; none, or one that is no number, is no sample")
    func edges() throws {
        let one = try #require(SortedSample([7]))
        #expect(one.median == 7 && one.medianAbsoluteDeviation == nil)
        #expect(SortedSample([]) == nil)
        #expect(SortedSample([1, .nan]) == nil)
        #expect(SortedSample([1, .infinity]) == nil)
    }

    @Test("SplitMix64 gives the numbers of its authors' reference implementation")
    func random() {
        var random = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        #expect((0..<3).map { _ in random.next() } == expected)
        #expect((0..<1000).allSatisfy { _ in (0..<7).contains(random.index(below: 7)) })
    }

    @Test("The interval of a median is that of the sign test, whose ranks R's binom.test has")
    func interval() throws {
        let values = (0..<40).map { Double($0 * 37 % 101) / 10 }
        let sample = try #require(SortedSample(values))
        let interval = try #require(sample.interval)
        #expect(interval == SortedSample(values.reversed())?.interval)
        #expect(interval.lowerBound < sample.median && sample.median < interval.upperBound)
        #expect(interval == sample.values[13]...sample.values[26])
        #expect(try #require(SortedSample([1, 2, 3, 4, 5, 6])).interval == 1...6)
        let same = try #require(SortedSample([3, 3, 3, 3, 3, 3]))
        #expect(same.interval == 3...3)
        #expect(try #require(SortedSample([3, 3, 3, 3, 3])).interval == nil)
    }

    @Test("The interval of a change contains it; twice as long is 100% more")
    func change() throws {
        let six = try #require(SortedSample([1, 2, 3, 4, 5, 6]))
        let others = try #require(SortedSample([10, 20, 30, 40, 50, 60]))
        // The sixth of the 36 ratios, from either end: 60 / 6 and others are ten times as long.
        let ratios = six.values.flatMap { value in others.values.map { $0 / value } }.sorted()
        let small = try #require(six.intervalOfChange(to: others))
        #expect(abs(small.lowerBound - (ratios[5] - 1)) < 1e-9 && abs(small.upperBound - (ratios[30] - 1)) < 1e-9)
        let first = try #require(SortedSample((0..<30).map { 100 + Double($0 * 7 % 11) }))
        let second = try #require(SortedSample(first.values.map { $0 * 2 }))
        let interval = try #require(first.intervalOfChange(to: second))
        #expect(interval.lowerBound < 1 && 1 < interval.upperBound)
        #expect(interval.lowerBound > 0.9 && interval.upperBound < 1.1)
        #expect(try #require(SortedSample([0, 1, 2, 3, 4, 5])).intervalOfChange(to: second) == nil)
    }
}
