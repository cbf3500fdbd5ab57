import Sequencer

/// The words about processors: which steps waited for one, and what ran meanwhile.
extension LaunchReport {
    /// Less than that is not worth a sentence.
    private static let leastTold = Duration.milliseconds(10)

    /// A sentence for each of the steps that waited longest for a processor, the longest wait first, then one about
    /// what ran beside the steps.
    package func processorTexts(_ text: (Duration) -> String = durationText) -> [String] {
        let waited = operations.filter { $0.wasContended && $0.runnableTime ?? .zero >= Self.leastTold }
        let first = waited.sorted { $0.runnableTime ?? .zero > $1.runnableTime ?? .zero }.prefix(3)
        return first.map { contentionText($0, text) } + (otherProcessorText(text).map { [$0] } ?? [])
    }

    /// `other threads of the process used 1.2 s of processor time`; nil where that is next to nothing, or not measured.
    func otherProcessorText(_ text: (Duration) -> String = durationText) -> String? {
        guard let used = otherProcessorTime, used >= Self.leastTold, used * 10 >= makespan else { return nil }
        return "\(restOfProcess) used \(text(used)) of processor time"
    }

    private var restOfProcess: String {
        let isPart = operations.contains { $0.start != nil && $0.processorTime == nil }
        return "other threads of the process" + (isPart ? " and steps that suspend" : "")
    }

    /// `db took 2.25 s, of which it ran 400 ms and waited 1.8 s for a processor, while sdk0 and sdk1 used 1.2 s`.
    private func contentionText(_ step: OperationReport, _ text: (Duration) -> String) -> String {
        let (start, waited) = (step.start ?? .zero, step.runnableTime ?? .zero)
        let times = "\(text(step.processorTime ?? .zero)) and waited \(text(waited)) for a processor"
        /// The part of something's processor time that fell in the step's.
        func share(_ used: Duration?, _ from: Duration, _ to: Duration) -> Duration {
            let both = min(to, step.end) - max(from, start)
            return to > from && both > .zero ? (used ?? .zero) * (both / (to - from)) : .zero
        }
        var users = operations.filter { $0.id != step.id && $0.start != nil }.map {
            (name: printable($0.id, limit: 80), used: share($0.processorTime, $0.start ?? .zero, $0.end))
        }
        users.append((restOfProcess, share(otherProcessorTime, .zero, makespan)))
        // Those that had next to nothing of the processor are not why.
        let told = users.filter { $0.used >= Self.leastTold && $0.used * 20 >= waited }
            .sorted { $0.used > $1.used }.prefix(5)
        let names = told.map(\.name)
        let first = names.dropLast().joined(separator: ", ")
        let list = (first.isEmpty ? "" : "\(first) and ") + (names.last ?? "")
        let others = names.isEmpty ? "" : ", while \(list) used \(text(told.reduce(.zero) { $0 + $1.used }))"
        return "\(printable(step.id, limit: 80)) took \(text(step.duration)), of which it ran \(times)\(others)"
    }
}

extension OperationReport {
    /// Whether at least a tenth of its time went by without a processor.
    var wasContended: Bool { runnableTime.map { $0 > .zero && $0 * 10 >= duration } ?? false }
}
