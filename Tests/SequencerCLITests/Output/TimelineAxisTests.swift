import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Time axes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TimelineAxisTests {
    private let style = TextStyle(isColored: false, isUnicode: true)

    @Test(
        "Ticks are at round times",
        arguments: [
            (Duration.milliseconds(2500), 70, ["0", "500 ms", "1 s", "1.5 s", "2 s", "2.5 s"]),
            (.milliseconds(800), 50, ["0", "200 ms", "400 ms", "600 ms", "800 ms"]),
            (.microseconds(80), 50, ["0", "20 µs", "40 µs", "60 µs", "80 µs"]),
            (.seconds(100), 72, ["0", "20 s", "40 s", "1 min", "1.33 min", "1.67 min"]),
            (.nanoseconds(1), 40, ["0", "1 ns"]),
            (.zero, 40, ["0"]),
        ]
    )
    func labels(range: Duration, columns: Int, expected: [String]) {
        let labels = TimelineAxis(range: range, columns: columns).ticks(style).map(\.label)
        #expect(labels.prefix(expected.count) == expected[...])
    }

    @Test("Labels never collide, and ticks are on the axis")
    func collisions() {
        var milliseconds = 1
        while milliseconds < 100_000_000 {
            for columns in [24, 40, 80, 200, 380] {
                let axis = TimelineAxis(range: .milliseconds(milliseconds), columns: columns)
                let ticks = axis.ticks(style)
                #expect(!ticks.isEmpty)
                #expect(ticks.allSatisfy { (0..<columns).contains($0.column) })
                for (left, right) in zip(ticks, ticks.dropFirst()) { #expect(left.column + left.label.count < right.column) }
            }
            milliseconds = milliseconds * 7 / 4 + 1
        }
    }
}
