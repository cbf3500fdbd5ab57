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

    @Test("A launch that waits gets a small gap, one that computes the machine's, whatever lies between a part of it")
    func share() throws {
        let gap = try #require(Self.gap(Self.span(0, 60, 0, 0), Self.span(80, 140, 2, 2)))
        #expect(abs(gap.threshold(0.05, share: 0) - (1.05 * 1.01 - 1)) < 1e-9)
        #expect(abs(gap.threshold(0.05, share: 0.2) - (1.05 * 1.016 * 1.25 - 1)) < 1e-9)
        #expect(gap.threshold(0.05, share: 1) == gap.threshold(0.05))
        // What the runs of a bench show counts for whatever a launch does.
        #expect(abs(gap.threshold(0.05, share: 0, drift: 1.2) - (1.05 * 1.01 * 1.44 - 1)) < 1e-9)
    }

    /// Two benches of the same launch, of so many runs, on a machine that others may have begun to use in between.
    private static func alarm(share: Double, isBusier: Bool, slower: Double, seed: UInt64) -> ChangeVerdict {
        var random = SplitMix64(seed: seed)
        func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
        func bench(_ factor: Double, _ load: Double, at begin: Double) -> (BenchDocument, BenchedScenario) {
            var scenario = BenchedScenario(name: "launch", budget: .seconds(9))
            // The machine may be slower by a little without a trace in its load.
            let unseen = 1 + 0.02 * uniform()
            for _ in 0..<20 {
                let noise = 1 + 0.02 * (uniform() + uniform() + uniform() - 1.5)
                let time = 800e6 * factor * noise * (1 - share + share * unseen * (1 + load / 4))
                let measured = Duration.nearest(nanoseconds: time), used = Duration.nearest(nanoseconds: 800e6 * share)
                scenario.runs.append(
                    BenchRun(
                        outcome: .completed,
                        isMet: true,
                        measured: measured,
                        makespan: measured,
                        interactive: .zero,
                        processor: used
                    )
                )
            }
            return (Self.document(Self.span(begin, begin + 60, load, load)), scenario)
        }
        let before = bench(1, 0, at: 0), after = bench(1 + slower, isBusier ? 1 + 5 * uniform() : 0, at: 600)
        let gap = BenchGap(before.0, after.0)
        return BenchComparison(before.1, after.1, clock: .wall, threshold: 0.05, gap: gap).verdict
    }

    @Test(
        "The same launch is not slower on a busier machine, whatever it does; one that waits is found slower there",
        arguments: [0, 0.05, 0.3, 1],
        [false, true]
    )
    func simulated(_ share: Double, _ isBusier: Bool) {
        let count = Simulations.series
        func found(_ slower: Double) -> Double {
            let verdicts = (0..<UInt64(count)).map {
                Self.alarm(share: share, isBusier: isBusier, slower: slower, seed: $0)
            }
            return Double(verdicts.count { $0 == .regression }) / Double(count)
        }
        #expect(found(0) <= 0.01)
        if share <= 0.05, !isBusier { #expect(found(0.15) >= 0.99) }
        if share <= 0.05 { #expect(found(0.4) >= 0.99) }
    }

    @Test("Load that has just begun counts as what it is, not as the little that the average shows of it")
    func load() throws {
        let minute = Self.span(0, 60, 0, 4 * (1 - exp(-1)))
        #expect(abs(try #require(minute.load) - 4) < 1e-9)
        #expect(Self.span(0, 1, 3, 3).load.map { abs($0 - 3) < 1e-9 } == true)
        #expect(Self.span(0, 60, 3, 0).load == 0)
        #expect(Self.span(0, 60, nil, 1).load == nil)
    }
}
