import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Quantile sketches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QuantileSketchTests {
    /// Values over many orders of magnitude, the same each time.
    private static func values(_ count: Int, seed: UInt64) -> [Double] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            var value = Double(random.next() % 1_000_000 + 1) / 1000
            for _ in 0..<random.index(below: 6) { value *= 10 }
            return value
        }
    }

    @Test("Every percentile is within 0.55% of the exact one", arguments: [1, 2, 10, 1000, 20_000])
    func error(_ count: Int) throws {
        let values = Self.values(count, seed: UInt64(count))
        var sketch = QuantileSketch()
        for value in values { sketch.insert(value) }
        let sorted = values.sorted()
        #expect(sketch.count == count && sketch.minimum == sorted[0] && sketch.maximum == sorted[count - 1])
        for percent in [0, 1, 25, 50, 75, 90, 95, 99, 99.9, 100] {
            let rank = max(Int((percent / 100 * Double(count)).rounded(.up)), 1)
            let exact = sorted[rank - 1]
            let value = try #require(sketch.percentile(percent))
            #expect(abs(value - exact) <= exact * QuantileSketch.relativeError * 1.000001, "p\(percent) of \(count)")
        }
    }

    @Test("Without values there is no percentile")
    func empty() { #expect(QuantileSketch().percentile(50) == nil) }

    @Test("Zeros, tiny values, and what is no time at all")
    func edges() {
        var sketch = QuantileSketch()
        for value in [0, 0, 1e-9, -5, .nan, 10, 10, 10, 1e300, .infinity] { sketch.insert(value) }
        #expect(sketch.count == 10)
        #expect(sketch.percentile(50) == 0)
        #expect(sketch.percentile(80).map { abs($0 - 10) <= 0.1 } == true)
        #expect(sketch.percentile(100).map { abs($0 / 1e11 - 1) <= 0.01 } == true)
    }
}
