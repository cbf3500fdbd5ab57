import Testing

@testable import Sequencer

@Suite("Durations in sentences", .serialized)
struct DurationTextTests {
    @Test(
        "three digits at the most, in the unit that fits",
        arguments: [
            (Duration.zero, "0 ms"), (.nanoseconds(5), "5 ns"), (.microseconds(80), "80 µs"), (.nanoseconds(1234), "1.23 µs"),
            (.microseconds(999), "999 µs"), (.nanoseconds(999_999), "1 ms"), (.milliseconds(400), "400 ms"),
            (.microseconds(999_900), "1 s"),
            (.milliseconds(1250), "1.25 s"), (.milliseconds(59_999), "1 min"), (.seconds(90), "1.5 min"), (.seconds(86_400), "1440 min"),
            (.milliseconds(-400), "-400 ms"), (.microseconds(99_960), "100 ms"),
        ]
    )
    func text(_ duration: Duration, _ text: String) {
        #expect(durationText(duration) == text)
    }
}
