import TestSupport
import Testing

@testable import Sequencer
@testable import sequencer_cli

@Suite("Longest paths", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LongestPathsTests {
    @Test("the gain of each operation is the difference that the longest path without its time makes")
    func gains() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let count = 1 + random.index(below: 12)
            let predecessors = (0..<count).map { node in (0..<node).filter { _ in random.index(below: 4) == 0 } }
            let durations = (0..<count).map { _ in Duration.milliseconds(random.index(below: 6)) }
            let paths = LongestPaths(predecessors)
            for last in [nil, random.index(below: count)] {
                let length = paths.length(durations, to: last)
                let expected = durations.indices.map { node in
                    var without = durations
                    without[node] = .zero
                    return length - paths.length(without, to: last)
                }
                #expect(paths.gains(durations, to: last) == expected, "\(predecessors) \(durations) \(String(describing: last))")
            }
        }
    }

    @Test("operations in a circle gain nothing, and end no search")
    func circle() {
        let durations = Array(repeating: Duration.milliseconds(1), count: 3)
        let paths = LongestPaths([[1], [0], []])
        #expect(paths.gains(durations, to: nil) == [.zero, .zero, .milliseconds(1)])
        #expect(paths.gains(durations, to: 0) == [.zero, .zero, .zero])
    }

    @Test("a chain of 100,000 operations is gone through a few times, not once for each")
    func chain() {
        let count = 100_000
        let paths = LongestPaths((0..<count).map { $0 == 0 ? [] : [$0 - 1] })
        let durations = Array(repeating: Duration.milliseconds(1), count: count)
        #expect(paths.gains(durations, to: nil) == durations)
    }
}
