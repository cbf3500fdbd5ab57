import SequencerTesting

@testable import Sequencer

/// Virtual clocks for tests of decisions by time: in real time no timer comes at an exact moment, and a decision must not hang on one.
enum ExactOrLateClock: CaseIterable, Sendable {
    case exact
    case oneMillisecondLate
    case upToTwentyMillisecondsLate

    private var lateness: ClosedRange<Duration> {
        switch self {
        case .exact: .zero ... .zero
        case .oneMillisecondLate: .milliseconds(1) ... .milliseconds(1)
        case .upToTwentyMillisecondsLate: .zero ... .milliseconds(20)
        }
    }

    func make(seed: UInt64 = 1) -> VirtualClock { VirtualClock(wakesLateBy: lateness, seed: seed) }

    func options(lanes: Int? = nil, seed: UInt64 = 1) -> LaunchOptions { LaunchOptions(lanes: lanes, clock: make(seed: seed), seed: 1) }

    /// Whether something was when it should be: at that time, or later by as much as so many wakes in a row are late.
    func isAt(_ time: Duration?, _ expected: Duration, wakes: Int = 4) -> Bool {
        time.map { $0 >= expected && $0 <= expected + lateness.upperBound * wakes } ?? false
    }
}
