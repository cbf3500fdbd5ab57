import TestSupport
import Testing

@testable import Sequencer
@testable import sequencer_cli

@Suite("Measured paths", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MeasuredPathsTests {
    @Test("the gain of each operation is the difference that the longest path without its time makes")
    func gains() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let count = 1 + random.index(below: 12)
            let operations = (0..<count).map { node in
                (
                    predecessors: (0..<node).filter { _ in random.index(below: 4) == 0 },
                    duration: Duration.milliseconds(random.index(below: 6))
                )
            }
            let paths = try #require(MeasuredPaths(operations, endingWith: nil)), usual = paths.longest()
            // Only operations of one longest path gain anything, and never more than their own time.
            for node in operations.indices {
                let gain = usual.length - paths.longest(with: (node, .zero)).length
                #expect((0...operations[node].duration.nanoseconds).contains(gain))
                #expect(gain == 0 || usual.path.contains(node))
            }
        }
    }

    @Test("operations in a circle have no path")
    func circle() {
        #expect(MeasuredPaths([([1], .milliseconds(1)), ([0], .milliseconds(1)), ([], .milliseconds(1))], endingWith: nil) == nil)
    }
}
