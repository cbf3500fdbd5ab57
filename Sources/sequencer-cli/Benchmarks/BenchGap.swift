import Foundation
import Sequencer

/// When a bench was taken, and how busy the machine was.
struct BenchSpan: Equatable, Sendable {
    /// Before the first run, those that warm up included.
    var begin: Date
    /// After the last run.
    var end: Date
    /// The load average of the last minute at the begin; nil where the system does not say.
    var loadAtBegin: Double?
    var loadAtEnd: Double?

    /// A span that begins and ends now.
    static var now: BenchSpan {
        let (date, load) = (Date(), currentLoad)
        return BenchSpan(begin: date, end: date, loadAtBegin: load, loadAtEnd: load)
    }

    /// Moves the end to now.
    mutating func extend() {
        // The wall clock may be set back meanwhile; a span that ends before it begins would be refused when it is read.
        end = max(begin, Date())
        loadAtEnd = Self.currentLoad
    }

    private static var currentLoad: Double? {
        var load = 0.0
        return getloadavg(&load, 1) == 1 && load.isFinite ? max(load, 0) : nil
    }

    /// The load that would have moved the average from that of the begin to that of the end.
    ///
    /// The average takes a minute to follow the load, so without this a bench of some seconds would hardly show a load.
    /// In less than half a minute the system has looked at the load too rarely: a shorter bench counts as one of that.
    var load: Double? {
        guard let loadAtBegin, let loadAtEnd else { return nil }
        // The average decays by e to the power of -t / 60 s: Linux and Darwin both count so.
        let rest = exp(-max(end.timeIntervalSince(begin), 30) / 60)
        // Noise of the two averages may lead below zero, which no load is.
        return max(0, (loadAtEnd - loadAtBegin * rest) / (1 - rest))
    }
}

/// The time between two benches that were not taken in turns. The machine itself may have become slower or faster in
/// it.
///
/// `Documentation/Benches.md` says how its figures were chosen; `BenchGapTests` measures what follows from them.
struct BenchGap: Equatable, Sendable {
    /// A machine may differ by so much from itself without a trace in its load.
    static let unseen = 0.04
    /// Loads that differ by less cannot be told apart.
    static let leastLoadRatio = 1.1

    /// Two benches are taken at the same time when they have this share of the longer one's time in common.
    static let leastOverlap = 0.75

    /// From the end of one to the begin of the other, 0 where they have some time in common; nil where a bench does not
    /// say when it was taken.
    let seconds: Double?
    /// How many times as long work may have taken in the busier one; nil where a bench does not say how busy the
    /// machine was.
    let loadRatio: Double?

    /// - Returns: nil when they were taken at the same time, and in virtual time, which no machine changes.
    init?(_ first: BenchDocument, _ second: BenchDocument) {
        if first.clock(with: second) == .virtual { return nil }
        guard let one = first.span, let other = second.span else {
            (seconds, loadRatio) = (nil, nil)
            return
        }
        let seconds = max(other.begin.timeIntervalSince(one.end), one.begin.timeIntervalSince(other.end))
        if seconds < 0, Self.overlap(one, other) >= Self.leastOverlap { return nil }
        self.seconds = max(seconds, 0)
        // The third ratio finds a load that has just begun, which hardly shows in an average of one minute.
        let loads = [(one.loadAtBegin, other.loadAtBegin), (one.loadAtEnd, other.loadAtEnd), (one.load, other.load)]
        loadRatio = loads.compactMap { before, after in
            guard let before, let after else { return nil }
            // A launch that keeps all processors busy shares them with all other processes that are ready to run.
            let ratio = (1 + after / Double(second.machine.processors)) / (1 + before / Double(first.machine.processors))
            // Either direction makes a comparison doubtful.
            return max(ratio, 1 / ratio)
        }.max()
    }

    /// The time that two spans have in common, as a share of the longer one.
    private static func overlap(_ one: BenchSpan, _ other: BenchSpan) -> Double {
        let common = min(one.end, other.end).timeIntervalSince(max(one.begin, other.begin))
        let longer = max(one.end.timeIntervalSince(one.begin), other.end.timeIntervalSince(other.begin))
        return longer > 0 ? common / longer : 1
    }

    /// The least change that counts between these benches.
    ///
    /// - Parameters:
    ///   - asked: the least change that would count on a machine that stays the same.
    ///   - drift: how many times as long the slower half of a bench took as the faster one; 1 without a trend. A trend
    ///     that continues makes twice the difference between two benches. Its cause may show in the load, too, and
    ///     counts once.
    func threshold(_ asked: Double, drift: Double = 1) -> Double {
        let load = loadRatio.map { $0 > Self.leastLoadRatio ? $0 * $0 : 1 } ?? 1
        return (1 + asked) * (1 + Self.unseen) * max(load, drift * drift) - 1
    }
}
