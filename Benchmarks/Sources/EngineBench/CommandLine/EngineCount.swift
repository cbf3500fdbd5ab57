import Foundation
import Sequencer

/// The command line of `engine-count`: work of a fixed size, for programs that count what a process does (`Scripts/check-instructions`).
///
/// Everything runs on one lane, so that two runs do nearly the same; the difference between two sizes is what the operations cost, without
/// what the process does at its start.
public enum EngineCount {
    /// What is counted.
    private enum Work: String, CaseIterable {
        /// Only what the graph is made from: what has to be subtracted from the others.
        case nothing
        /// Building a graph and validating it.
        case building
        /// Building a graph of closures that run straight through, running it. Nobody asks for its report, which is made when somebody does.
        case running
        /// The same with `async` closures.
        case async
        /// As `running`, and making the report.
        case report
    }

    /// Does what `words` ask for: what, and with how many operations.
    ///
    /// - Returns: the exit code.
    public static func run(_ words: [String]) -> Int32 {
        guard words.count == 2, let work = Work(rawValue: words[0]), let count = Int(words[1]), (10...1_000_000).contains(count) else {
            let names = Work.allCases.map(\.rawValue).joined(separator: "|")
            FileHandle.standardError.write(Data("usage: engine-count \(names) OPERATIONS (10 to 1000000)\n".utf8))
            return 64
        }
        do {
            try perform(work, ShapeFamily.layered.shapes([count])[0])
            return 0
        } catch {
            FileHandle.standardError.write(Data("engine-count: \(error)\n".utf8))
            return 1
        }
    }

    private static func perform(_ work: Work, _ shape: Shape) throws {
        let workload = Workload(count: shape.count, purpose: .counting)
        if work == .nothing { return }
        if work == .building {
            _ = try OperationGraph(shape, workload, .synchronous).validated()
            return
        }
        let ending = LaunchEnding()
        let isFreed = try start(shape, workload, work, ending)
        let outcome = ending.wait()
        if outcome != "completed" { throw EngineFailure("the launch ended as \(outcome)") }
        if let complaint = workload.complaint(after: 1, of: shape) { throw EngineFailure(complaint) }
        // Letting go of the graph is part of what is counted: not to be cut off by the end of the process.
        isFreed.wait()
    }

    /// Starts a launch from a thread that then waits, and not from a main task: valgrind stumbles over the main thread's end, with which Dispatch
    /// begins to serve that one.
    ///
    /// - Returns: what is signalled when the graph's last operation has been freed.
    private static func start(_ shape: Shape, _ workload: Workload, _ work: Work, _ ending: LaunchEnding) throws -> DispatchSemaphore {
        // Made here: a graph that is handed over may share its steps with the caller's, and the sentinel would then copy all of them.
        var graph = OperationGraph(shape, workload, work == .async ? .async : .synchronous, more: 1)
        let isFreed = DispatchSemaphore(value: 0)
        let sentinel = Sentinel(isFreed)
        graph.add("sentinel") { _ = sentinel }
        try graph.start(options: LaunchOptions(lanes: 1)) {
            // Whether all operations have run is told by the workload.
            ending.end(work == .report ? $0.report.outcome.name : "completed")
        }
        return isFreed
    }
}

/// Tells that it has been freed.
private final class Sentinel: Sendable {
    private let isFreed: DispatchSemaphore

    init(_ isFreed: DispatchSemaphore) {
        self.isFreed = isFreed
    }

    deinit { isFreed.signal() }
}

/// How a launch ended, for a thread that waits for it.
private final class LaunchEnding: @unchecked Sendable {
    // @unchecked: written before the semaphore is signalled, read after.
    private var outcome = ""
    private let isOver = DispatchSemaphore(value: 0)

    func end(_ outcome: String) {
        self.outcome = outcome
        isOver.signal()
    }

    func wait() -> String {
        isOver.wait()
        return outcome
    }
}
