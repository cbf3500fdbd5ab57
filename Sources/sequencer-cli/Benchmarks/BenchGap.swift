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
/// it, and with it the part of a launch that computes: one that waits for an answer waits as long.
///
/// `Documentation/Benches.md` says how its figures were chosen; `BenchGapTests` measures what follows from them.
struct BenchGap: Equatable, Sendable {
    /// A launch that computes all the time may differ by so much from itself without a trace in the machine's load.
    static let unseen = 0.04
    /// One that waits all the time may do so by this.
    static let unseenOfWaits = 0.01
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
        let common = min(one.end, other.end).timeIntervalSince(max(one.begin, other.begin))
        let longer = max(one.end.timeIntervalSince(one.begin), other.end.timeIntervalSince(other.begin))
        if seconds < 0, common >= Self.leastOverlap * longer { return nil }
        self.seconds = max(seconds, 0)
        // A launch that keeps all processors busy shares them with all other processes that are ready to run.
        let loads = [(one, first), (other, second)].compactMap { span, bench in
            span.load.map { 1 + $0 / Double(bench.machine.processors) }
        }
        // Either direction makes a comparison doubtful.
        loadRatio = loads.count < 2 ? nil : max(loads[0] / loads[1], loads[1] / loads[0])
    }

    /// The least change that counts between these benches.
    ///
    /// - Parameters:
    ///   - asked: the least change that would count on a machine that stays the same.
    ///   - share: the part of its time in which the launch computes.
    ///   - drift: how many times as long the slower half of a bench took as the faster one; 1 without a trend. A trend
    ///     that continues makes twice the difference between two benches. Its cause may show in the load, too, and
    ///     counts once.
    func threshold(_ asked: Double, share: Double = 1, drift: Double = 1) -> Double {
        let load = loadRatio.map { $0 > Self.leastLoadRatio ? $0 * $0 : 1 } ?? 1
        let unseen = Self.unseenOfWaits + share * (Self.unseen - Self.unseenOfWaits)
        return (1 + asked) * (1 + unseen) * max(1 + share * (load - 1), drift * drift) - 1
    }
}

/// The processor time that this process has used, and those children of it that have ended.
func usedProcessorTime() -> Duration {
    // RUSAGE_SELF and RUSAGE_CHILDREN, whose types differ from system to system.
    [0, -1].reduce(.zero) { (sum: Duration, who: Int32) in
        var use = rusage()
        guard getrusage(who, &use) == 0 else { return sum }
        return [use.ru_utime, use.ru_stime].reduce(sum) {
            $0 + .seconds(Int64($1.tv_sec)) + .microseconds(Int64($1.tv_usec))
        }
    }
}
