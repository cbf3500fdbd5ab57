import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

/// Expected values come from SciPy 1.17.
@Suite("Bounds and tests", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SignificanceTests {
    @Test(
        "Upper bounds of a rate, as scipy.stats.beta.ppf(0.95, misses + 1, trials - misses) has them",
        arguments: [
            (0, 10, 0.2588655508930522), (1, 10, 0.39416330243650466), (0, 100, 0.029513049607039925), (3, 50, 0.14783717636418123),
            (5, 20, 0.4555824040017489), (500, 1_000_000, 0.0005383661633179478), (999_999, 1_000_000, 0.9999999487067069),
        ]
    )
    func upperBounds(_ misses: Int, _ trials: Int, _ expected: Double) {
        #expect(abs(rateBound(misses: misses, trials: trials) / expected - 1) < 1e-9)
    }

    @Test("Nothing but misses, or no trial, leaves every rate possible")
    func noBound() {
        #expect(rateBound(misses: 10, trials: 10) == 1)
        #expect(rateBound(misses: 0, trials: 0) == 1)
        #expect(rateBound(misses: 3, trials: 2) == 1)
    }

    private func compared(_ first: [Double], _ second: [Double]) throws -> MannWhitney {
        try #require(SortedSample(first)).mannWhitney(try #require(SortedSample(second)))
    }

    @Test("Mann-Whitney, exactly, without ties: scipy.stats.mannwhitneyu(method='exact')")
    func exact() throws {
        let first = [1.1, 2.3, 3.2, 4.8, 5.5, 6.1]
        let second = [3.9, 5.1, 6.2, 7.7, 8.3, 9.0, 9.9]
        let test = try compared(first, second)
        #expect(test.u == 5 && test.isExact)
        #expect(abs(test.p - 0.022144522144522144) < 1e-12)
        let turned = try compared(second, first)
        #expect(turned.u == 37 && abs(turned.p - test.p) < 1e-12)
    }

    @Test("Mann-Whitney, exactly, with ties: mannwhitneyu(method=PermutationMethod(n_resamples=inf))")
    func exactTies() throws {
        let test = try compared([1, 2, 2, 3, 5, 5], [2, 4, 5, 5, 6, 7, 8])
        #expect(test.u == 8)
        #expect(abs(test.p - 0.0675990675990676) < 1e-12)
        let apart = try compared([1, 1, 1, 1, 1], [2, 2, 2, 2, 2])
        #expect(apart.u == 0 && abs(apart.p - 0.007936507936507936) < 1e-12)
        let same = try compared([4, 4, 4], [4, 4, 4])
        #expect(same.u == 4.5 && same.p == 1)
    }

    @Test("Mann-Whitney, approximated: mannwhitneyu(method='asymptotic', use_continuity=True)")
    func normal() throws {
        let first = (0..<40).map { Double($0 * 37 % 101) / 10 }
        let second = (0..<45).map { Double($0 * 53 % 97) / 10 + 1 }
        let test = try compared(first, second)
        #expect(test.u == 806 && !test.isExact)
        #expect(abs(test.p - 0.4103362486796601) < 1e-9)
        let many = ((0..<40).map { Double($0 * 37 % 11) }, (0..<45).map { Double($0 * 53 % 13) })
        let ties = try compared(many.0, many.1)
        #expect(ties.u == 812.5)
        #expect(abs(ties.p - 0.4421134313493478) < 1e-9)
        #expect(try compared([Double](repeating: 1, count: 40), [Double](repeating: 1, count: 40)).p == 1)
    }
}
