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
            for last in [nil, random.index(below: count)] {
                let paths = try #require(MeasuredPaths(operations, endingWith: last))
                let expected = operations.indices.map { node in
                    Duration.nanoseconds(paths.longest().length - paths.longest(with: (node, .zero)).length)
                }
                #expect(paths.gains() == expected, "\(operations) \(String(describing: last))")
            }
        }
    }

    @Test("operations in a circle have no path")
    func circle() {
        #expect(MeasuredPaths([([1], .milliseconds(1)), ([0], .milliseconds(1)), ([], .milliseconds(1))], endingWith: nil) == nil)
    }

    @Test("a chain of 100,000 operations is gone through a few times, not once for each")
    func chain() throws {
        let operations = (0..<100_000).map { (predecessors: $0 == 0 ? [] : [$0 - 1], duration: Duration.milliseconds(1)) }
        let paths = try #require(MeasuredPaths(operations, endingWith: nil))
        #expect(paths.gains() == operations.map(\.duration))
    }
}
