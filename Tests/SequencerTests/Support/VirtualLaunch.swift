import Foundation
import SequencerTesting

@testable import Sequencer

extension LaunchOptions {
    /// Options of a launch in virtual time.
    static func virtual(
        lanes: Int? = nil,
        deadline: Duration? = nil,
        deadlineCountsInteractiveTime: Bool = true,
        grace: Duration = .milliseconds(250)
    ) -> LaunchOptions {
        LaunchOptions(
            lanes: lanes,
            deadline: deadline.map { .after($0) } ?? .never,
            deadlineCountsInteractiveTime: deadlineCountsInteractiveTime,
            grace: grace,
            clock: VirtualClock(),
            seed: 1
        )
    }
}

extension LaunchReport {
    /// What operations did that they should not have done. On a busy machine the process may stand still as well, which is an anomaly of no operation.
    var operationAnomalies: [Anomaly] { anomalies.filter { $0.operation != nil } }
}

extension OperationGraph {
    /// Adds a step that waits.
    @discardableResult
    mutating func wait(
        _ id: String,
        _ milliseconds: Int,
        _ options: StepOption...,
        after dependencies: any StepReference...
    ) -> Step<Void> {
        var list = DependencyList()
        for dependency in dependencies { dependency.add(to: &list) }
        return add(id, .all(options), after: list.edges.map(\.dependency.id)) { launch in
            try await launch.sleep(for: .milliseconds(milliseconds))
        }
    }
}

/// Where things happened in which order.
final class Journal: Sendable {
    private let entries = Locked<[String]>([])

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}
