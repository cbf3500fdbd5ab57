import Foundation

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
            deadline: deadline,
            deadlineCountsInteractiveTime: deadlineCountsInteractiveTime,
            grace: grace,
            clock: VirtualClock(),
            seed: 1
        )
    }
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
        return add(id, .all(options), after: list.references.map(\.id)) { launch in try await launch.sleep(for: .milliseconds(milliseconds))
        }
    }
}
