import Foundation
import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Benches taken apart", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BenchGapTests {
    private static let noon = Date(timeIntervalSince1970: 1_700_000_000)

    private static func span(_ begin: Double, _ end: Double, _ loadAtBegin: Double? = nil, _ loadAtEnd: Double? = nil) -> BenchSpan {
        BenchSpan(begin: noon + begin, end: noon + end, loadAtBegin: loadAtBegin, loadAtEnd: loadAtEnd)
    }

    private static func document(_ span: BenchSpan?, clock: ClockMode = .wall) -> BenchDocument {
        let machine = BenchMachine(system: "Linux", architecture: "arm64", processors: 4, name: "Model 7")
        return BenchDocument(toolVersion: "0.1.0", machine: machine, clock: clock, warmups: 1, span: span, scenarios: [])
    }

    private static func gap(_ first: BenchSpan?, _ second: BenchSpan?) -> BenchGap? { BenchGap(document(first), document(second)) }

    @Test("Benches at the same time, and in virtual time, are not apart; those of unknown times are")
    func apart() {
        #expect(Self.gap(Self.span(0, 20), Self.span(5, 22)) == nil)
        #expect(Self.gap(Self.span(0, 20), Self.span(0, 20)) == nil)
        // Half of the one, and the last second of it: most runs have none of the other beside them.
        #expect(Self.gap(Self.span(0, 20), Self.span(10, 30))?.seconds == 0)
        #expect(Self.gap(Self.span(0, 20), Self.span(19, 39))?.seconds == 0)
        #expect(Self.gap(Self.span(0, 20), Self.span(80, 90))?.seconds == 60)
        #expect(Self.gap(Self.span(80, 90), Self.span(0, 20))?.seconds == 60)
        let unknown = Self.gap(nil, Self.span(0, 20))
        #expect(unknown?.seconds == nil && unknown?.loadRatio == nil && unknown != nil)
        #expect(BenchGap(Self.document(nil, clock: .virtual), Self.document(nil, clock: .virtual)) == nil)
    }

    @Test("The threshold follows from the load, in either direction")
    func threshold() throws {
        func threshold(_ first: BenchSpan, _ second: BenchSpan) throws -> Double { try #require(Self.gap(first, second)).threshold(0.05) }
        #expect(abs(try threshold(Self.span(0, 20), Self.span(80, 90)) - 0.092) < 1e-9)
        // 1.0 and 1.2 of 4 processors cannot be told apart.
        #expect(abs(try threshold(Self.span(0, 60, 1, 1), Self.span(80, 140, 1.2, 1.2)) - 0.092) < 1e-9)
        let busier = (1.05 * 1.04 * 1.5 * 1.5) - 1
        #expect(abs(try threshold(Self.span(0, 60, 0, 0), Self.span(80, 140, 2, 2)) - busier) < 1e-9)
        #expect(abs(try threshold(Self.span(0, 60, 2, 2), Self.span(80, 140, 0, 0)) - busier) < 1e-9)
        // A drift counts twice, and only beyond what the load explains.
        let gap = try #require(Self.gap(Self.span(0, 60, 0, 0), Self.span(80, 140, 2, 2)))
        #expect(abs(gap.threshold(0.05, drift: 2) - (1.05 * 1.04 * 4 - 1)) < 1e-9)
        #expect(abs(gap.threshold(0.05, drift: 1.2) - busier) < 1e-9)
    }

    @Test("Load that has just begun counts as what it is, not as the little that the average shows of it")
    func load() throws {
        let minute = Self.span(0, 60, 0, 4 * (1 - exp(-1)))
        #expect(abs(try #require(minute.load) - 4) < 1e-9)
        #expect(Self.span(0, 1, 3, 3).load.map { abs($0 - 3) < 1e-9 } == true)
        #expect(Self.span(0, 60, 3, 0).load == 0)
        #expect(Self.span(0, 60, nil, 1).load == nil)
    }

    // MARK: - False alarms and power

    /// A machine with four processors, seen by the tool as any other: by run times, and by a load average that the kernel moves every five seconds.
    ///
    /// Its clock is a number; nothing here takes real time.
    private struct SimulatedMachine {
        /// How the machine differs from one that stays the same.
        enum Weather: String, CaseIterable {
            /// 1 % of difference between batches, and of drift in each; no spikes.
            case quiet
            /// 2 %, and one run of twenty takes up to four times as long.
            case usual
            /// 3 %, and one run of four takes up to four times as long.
            case spikes
            /// 2 %, and other processes come and go between the batches: up to one and a half for each processor.
            case load
            /// As `load`, and they also come and go in the middle of a batch.
            case change
            /// 2 %, one run of ten takes up to four times as long, and from a batch to the next all runs take longer or shorter, by 10 % or so.
            case drift
        }

        static let processors = 4.0
        static let runs = 20
        let weather: Weather
        var random: SplitMix64
        var now = 0.0
        var nextLook: Double
        var average: Double
        var others: Double
        /// How fast run times grow, a batch.
        var slowing = 0.0
        var made = 0.0

        init(_ weather: Weather, seed: UInt64) {
            self.weather = weather
            random = SplitMix64(seed: seed)
            (nextLook, average, others) = (0, 0, 0)
            nextLook = uniform(0, 5)
            others = someOthers()
            average = others
            advance(uniform(0, 300), own: 0)
            if weather == .drift { slowing = 0.1 * random.normal() }
        }

        mutating func uniform(_ low: Double, _ high: Double) -> Double {
            low + (high - low) * random.uniform()
        }

        /// How many other threads there are to run.
        mutating func someOthers() -> Double {
            uniform(0, weather == .load || weather == .change ? 1.5 : 0.05) * Self.processors
        }

        /// - Parameter own: the share of the time in which the bench itself is ready to run.
        mutating func advance(_ seconds: Double, own: Double) {
            now += seconds
            while nextLook <= now {
                // The kernel counts whole threads; one that runs a part of the time is sometimes there.
                let ready = [others, own].reduce(0.0) { sum, share in
                    sum + share.rounded(.down) + (uniform(0, 1) < share - share.rounded(.down) ? 1 : 0)
                }
                average = average * exp(-5.0 / 60) + ready * (1 - exp(-5.0 / 60))
                nextLook += 5
            }
        }

        /// Waits for up to ten minutes, in which the load may change.
        mutating func pause() {
            advance(uniform(0, 300), own: 0)
            others = someOthers()
            advance(uniform(0, 300), own: 0)
        }

        /// The times of a launch that takes 0.8 s on an idle machine, and keeps all processors busy in it.
        mutating func batch(slower: Double = 0) -> (times: [Double], span: BenchSpan) {
            let (unseen, spikes) =
                switch weather {
                case .quiet: (0.01, 0.0)
                case .usual: (0.02, 0.05)
                case .spikes: (0.03, 0.25)
                case .load, .change, .drift: (0.02, 0.1)
                }
            let (level, drift) = (exp(unseen * random.normal()), unseen * random.normal())
            let changeAt = weather == .change ? random.index(below: Self.runs) : -1
            let (begin, load) = (now, average)
            var times: [Double] = []
            for run in 0..<Self.runs {
                if run == changeAt { others = someOthers() }
                var time = 0.8 * level * exp(drift * (Double(run) / Double(Self.runs) - 0.5)) * (1 + others / Self.processors)
                time *= exp(0.03 * random.normal() + slowing * made / Double(Self.runs)) * (1 + slower)
                made += 1
                if uniform(0, 1) < spikes { time *= uniform(1.3, 4) }
                advance(time, own: 0.1)
                times.append(time)
            }
            return (times, BenchGapTests.span(begin, now, load, average))
        }
    }

    private static let weathers = SimulatedMachine.Weather.allCases

    /// The verdict of the comparison that the tool would make.
    private static func isRegression(_ before: [Double], _ after: [Double], _ gap: BenchGap?) throws -> Bool {
        let (first, second) = (try #require(SortedSample(before)), try #require(SortedSample(after)))
        let drift = [before, after].compactMap { trendRatio(of: $0).map { max($0, 1 / $0) } }.max() ?? 1
        let threshold = gap?.threshold(0.05, drift: drift) ?? 0.05
        // Nothing that is cheaper could be a regression, and the rest takes its time in a build for debugging.
        guard second.median / first.median - 1 > threshold else { return false }
        let test = first.mannWhitney(second)
        guard test.p < SampleChange.significance else { return false }
        let interval = try #require(first.intervalOfChange(to: second))
        return SampleChange.verdict(interval, p: test.p, threshold: threshold, same: 0.05) == .regression
    }

    /// The share of pairs that the tool would call a regression.
    private static func rate(_ weather: SimulatedMachine.Weather, pairs: Int, slower: Double = 0) throws -> Double {
        var regressions = 0
        for seed in 0..<UInt64(pairs) {
            var machine = SimulatedMachine(weather, seed: seed)
            let first = machine.batch()
            machine.pause()
            let second = machine.batch(slower: slower)
            if try isRegression(first.times, second.times, gap(first.span, second.span)) { regressions += 1 }
        }
        return Double(regressions) / Double(pairs)
    }

    @Test(
        "F5: the same launch twice, taken apart on a machine that changes: at most 1 % regressions at 20 runs",
        .nightly,
        arguments: weathers
    )
    private func falseAlarms(_ weather: SimulatedMachine.Weather) throws {
        let rate = try Self.rate(weather, pairs: 1_200)
        print("\(weather.rawValue): \(rate * 100) % false alarms")
        #expect(rate <= 0.01)
    }

    @Test(
        "F5: 15 % slower, taken apart: how often that is found at 20 runs",
        .nightly,
        arguments: zip(weathers, [0.55, 0.45, 0.15, 0.02, 0, 0.1])
    )
    private func power(_ weather: SimulatedMachine.Weather, _ least: Double) throws {
        let rate = try Self.rate(weather, pairs: 40, slower: 0.15)
        print("\(weather.rawValue): \(rate * 100) % of regressions by 15 % found, at least \(least * 100) % asked for")
        #expect(rate >= least)
    }

    @Test(
        "F5: the same launches in turns: at most 1 % regressions at 20 runs, at the threshold that was asked for",
        .nightly,
        arguments: weathers
    )
    private func inTurns(_ weather: SimulatedMachine.Weather) throws {
        var alarms = 0
        for seed in 0..<1_000 {
            var machine = SimulatedMachine(weather, seed: UInt64(seed))
            let times = machine.batch().times + machine.batch().times
            let turns = (0..<2).map { turn in stride(from: turn, to: times.count, by: 2).map { times[$0] } }
            if try Self.isRegression(turns[0], turns[1], nil) { alarms += 1 }
        }
        #expect(Double(alarms) / 1_000 <= 0.01)
    }
}
