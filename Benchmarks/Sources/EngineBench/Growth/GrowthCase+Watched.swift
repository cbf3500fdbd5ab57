import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTestingCore
import Synchronization

extension GrowthCase {
    /// Launches that somebody asks or follows while they run, or whose course somebody has decided before.
    static let launchesThatAreWatched: [GrowthCase] = [
        GrowthCase(name: "status, asked ten times") { shape in
            let asked = Mutex<RunningLaunch?>(nil)
            let isStarted = DispatchSemaphore(value: 0)
            let graph = OperationGraph(named: shape) { _ in
                .exclusive(.userInterface)
            } body: { node, _ in
                guard node % max(shape.count / 10, 1) == 0 else { return }
                // The first may begin before the start has returned.
                if node == 0 { isStarted.wait() }
                let launch = asked.withLock { $0 }
                if launch?.status.description.isEmpty != false { throw EngineFailure("there is no status") }
            }
            let begin = processorTime()
            let launch = try graph.start(options: LaunchOptions(lanes: 2))
            asked.withLock { $0 = launch }
            isStarted.signal()
            defer { asked.withLock { $0 = nil } }
            if await launch.end().report.outcome != .completed { throw EngineFailure("the launch has failed") }
            return processorTime() - begin
        },
        GrowthCase(name: "stall report") { shape in
            let isReported = DispatchSemaphore(value: 0)
            // The first step blocks its lane until the stall has been told, with everything else behind it.
            let graph = OperationGraph(named: shape, body: { node, _ in if node == 0 { isReported.wait() } })
            let watch = StallWatch(after: .milliseconds(10)) { status in
                if !status.description.isEmpty { isReported.signal() }
            }
            let begin = processorTime()
            _ = try await graph.run(options: LaunchOptions(lanes: 1, stallWatch: watch))
            return processorTime() - begin
        },
        GrowthCase(name: "events") { shape in
            let graph = OperationGraph(named: shape)
            let begin = processorTime()
            let launch = try graph.start(options: LaunchOptions(lanes: 2))
            let events = launch.events
            var count = 0
            for await event in events { count += event.count }
            if await launch.end().report.operations.count > count {
                throw EngineFailure("there were \(count) events only")
            }
            return processorTime() - begin
        },
        GrowthCase(name: "events, asked for after the end") { shape in
            let launch = try OperationGraph(named: shape).start(options: LaunchOptions(lanes: 2))
            _ = await launch.end()
            let begin = processorTime()
            let events = launch.events
            var count = 0
            for await event in events { count += event.count }
            let time = processorTime() - begin
            if shape.count > count { throw EngineFailure("there were \(count) events only") }
            return time
        },
        GrowthCase(name: "progress") { shape in
            let begin = processorTime()
            let launch = try OperationGraph(named: shape).start(options: LaunchOptions(lanes: 2))
            let progress = launch.progress
            _ = await launch.end()
            if !progress.isFinished { throw EngineFailure("the progress stands at \(progress.fractionCompleted)") }
            return processorTime() - begin
        },
        GrowthCase(name: "a queue of the app's") { shape in
            let graph = OperationGraph(named: shape)
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 2
            let begin = processorTime()
            let report = try await graph.run(options: LaunchOptions(queue: queue)).report
            if report.outcome != .completed { throw EngineFailure("the launch has failed") }
            return processorTime() - begin
        },
        GrowthCase(name: "a queue of the app's, all cancelled") { shape in
            let graph = OperationGraph(named: shape) { _ in .onFailure(.continue) }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 2
            queue.isSuspended = true
            let begin = processorTime()
            let launch = try graph.start(options: LaunchOptions(queue: queue))
            queue.cancelAllOperations()
            queue.isSuspended = false
            if await launch.end().report.outcome != .completed { throw EngineFailure("the launch has failed") }
            return processorTime() - begin
        },
        GrowthCase(name: "virtual time") { shape in
            let graph = OperationGraph(named: shape) { _ in .timeout(.seconds(60)) }
            let begin = processorTime()
            _ = try await graph.run(options: LaunchOptions(lanes: 2, clock: VirtualClock()))
            return processorTime() - begin
        },
    ]
}

extension LaunchEvent {
    /// How many events it stands for: whoever reads too slowly is told how many are missing.
    fileprivate var count: Int {
        if case .dropped(let count) = kind { count } else { 1 }
    }
}
