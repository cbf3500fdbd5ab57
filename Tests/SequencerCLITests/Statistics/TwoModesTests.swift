import Foundation
import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis

@Suite("Two modes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TwoModesTests {
    /// The share of samples of 20 that are taken for two modes.
    private static func share(_ measure: (inout SplitMix64) -> Double) -> Double {
        var random = SplitMix64(seed: 7)
        let named = (0..<1_000).count { _ in SortedSample((0..<20).map { _ in measure(&random) })?.modes != nil }
        return Double(named) / 1_000
    }

    @Test("One mode of any shape is taken for two in about one of 100 samples")
    func one() {
        #expect(Self.share { 800 * (1 + 0.03 * $0.normal()) } <= 0.01)
        #expect(Self.share { 800 * exp(0.3 * $0.normal()) } <= 0.01)
        #expect(Self.share { 700 - 100 * log(1 - $0.uniform()) } <= 0.015)
        #expect(Self.share { 700 + 200 * $0.uniform() } <= 0.02)
    }

    @Test("Two modes a quarter apart, and half apart with outliers, are found in most samples")
    func two() {
        #expect(Self.share { 800 * exp(0.03 * $0.normal()) * ($0.uniform() < 0.5 ? 1.25 : 1) } >= 0.8)
        #expect(Self.share { 800 * exp(0.03 * $0.normal()) * ($0.uniform() < 0.4 ? 1.5 : 1) * ($0.uniform() < 0.05 ? 2 : 1) } >= 0.6)
    }

    @Test("The modes are the measurements on either side")
    func parts() throws {
        let modes = try #require(SortedSample([100, 101, 102, 103, 104, 200, 201, 202, 203])?.modes)
        #expect(modes.lower.values == [100, 101, 102, 103, 104] && modes.upper.median == 201.5)
        // Three are outliers, and nothing but the same is one mode.
        #expect(SortedSample([100, 101, 102, 103, 104, 200, 201, 202])?.modes == nil)
        #expect(SortedSample(Array(repeating: 100, count: 20))?.modes == nil)
        // Two kinds that differ by less than 5 % make no difference to anybody.
        #expect(SortedSample(Array(repeating: 100, count: 9) + Array(repeating: 104, count: 9))?.modes == nil)
    }

    @Test("Equal measurements are of one mode")
    func equal() throws {
        let values: [Double] = [100, 100, 100, 150, 150, 200, 200, 200, 200, 200, 201, 201, 201, 201]
        let modes = try #require(SortedSample(values)?.modes)
        #expect(modes.lower.values == Array(values[..<5]) && modes.upper.values == Array(values[5...]))
        // A split between different values would leave three on one side.
        #expect(SortedSample(Array(repeating: 100, count: 3) + Array(repeating: 200, count: 9))?.modes == nil)
        #expect(SortedSample(Array(repeating: 100, count: 9) + Array(repeating: 200, count: 3))?.modes == nil)
    }
}
