import Dispatch
import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

/// What a launch measures of the processor.
@Suite("Public API: processor time of steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealProcessorTimeTests {
    private static let burnt = Duration.milliseconds(20)
    /// The clocks of threads and of the system are read one after the other, and need not agree to the microsecond.
    private static let tolerance = Duration.milliseconds(1)

    /// `burns` computes, `sleeps` does not; `suspends` continues elsewhere.
    private var graph: OperationGraph {
        var graph = OperationGraph("launch")
        let burns = graph.add("burns") { burnProcessorTime(Self.burnt) }
        let sleeps = graph.add("sleeps") { Thread.sleep(forTimeInterval: 0.02) }
        let suspends = graph.add("suspends") { launch in try await launch.sleep(for: .milliseconds(1)) }
        graph.add("main", .milestone, after: burns, sleeps, suspends) {}
        return graph
    }

    private func run(
        _ measurements: LaunchOptions.Measurements,
        clock: any Clock<Duration> = SuspendingClock()
    ) async throws -> LaunchReport {
        var options = LaunchOptions(clock: clock)
        options.measurements = measurements
        return try await graph.run(options: options).report
    }

    @Test("a step that computes has used at least that, one that sleeps less, and one that suspends is not measured")
    func steps() async throws {
        let report = try await run(.processorTime)
        let (burns, sleeps) = (try #require(report["burns"]), try #require(report["sleeps"]))
        let (burnt, slept) = (try #require(burns.processorTime), try #require(sleeps.processorTime))
        #expect(burnt >= Self.burnt && burnt <= burns.duration + Self.tolerance)
        #expect(slept < burnt && slept <= sleeps.duration + Self.tolerance)
        #expect(report["suspends"]?.processorTime == nil && report.otherProcessorTime != nil)
        // Asked for by `.processorWaits` alone.
        #expect(report.operations.allSatisfy { $0.runnableTime == nil })
    }

    @Test("the waits for a processor are a part of the rest of the duration")
    func waits() async throws {
        let report = try await run(.processorWaits)
        for operation in report.operations {
            let (used, waited) = (operation.processorTime ?? .zero, operation.runnableTime ?? .zero)
            #expect(waited >= .zero && used + waited <= operation.duration + Self.tolerance)
        }
        #if os(Linux)
            #expect(report["burns"]?.runnableTime != nil)
        #endif
    }

    @Test("an attempt after another counts, too; one that is left behind does not")
    func attempts() async throws {
        struct Fails: Error {}
        var graph = OperationGraph("launch")
        graph.add("twice", .retry(attempts: 2, backoff: .zero)) { launch in
            burnProcessorTime(.milliseconds(5))
            if launch.attempt == 1 { throw Fails() }
        }
        let isOver = DispatchSemaphore(value: 0)
        graph.add("late", .timeout(.milliseconds(5)), .onFailure(.continue)) { isOver.wait() }
        var options = LaunchOptions()
        options.measurements = .processorTime
        let report = try await graph.run(options: options).report
        isOver.signal()
        #expect(try #require(report["twice"]?.processorTime) >= .milliseconds(10))
        #expect(report["late"]?.outcome == .timedOut && report["late"]?.processorTime == nil)
    }

    @Test("work of other threads of the process is told apart from that of steps")
    func others() async throws {
        var graph = OperationGraph("launch")
        graph.add("main", .milestone) {
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                burnProcessorTime(Self.burnt)
                isDone.signal()
            }
            isDone.wait()
        }
        var options = LaunchOptions()
        options.measurements = .processorTime
        let report = try await graph.run(options: options).report
        let (own, other) = (try #require(report["main"]?.processorTime), try #require(report.otherProcessorTime))
        #expect(own < Self.burnt && other >= Self.burnt)
    }

    @Test("a report with processor times is read as it was written")
    func formats() async throws {
        let report = try await run(.processorWaits)
        let text = report.json()
        for key in ["processorMs", "otherProcessorMs", "processors"] { #expect(text.contains("\"\(key)\":")) }
        #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8)) == report)
    }

    @Test("nothing is measured unless it is asked for, nor in virtual time, and the report has no keys for it")
    func off() async throws {
        for report in [try await run([]), try await run(.processorWaits, clock: VirtualClock())] {
            #expect(report.operations.allSatisfy { $0.processorTime == nil && $0.runnableTime == nil })
            #expect(report.otherProcessorTime == nil)
            let text = report.json()
            for key in ["processorMs", "runnableMs", "otherProcessorMs", "processors"] {
                #expect(!text.contains("\"\(key)\":"))
            }
        }
    }
}

/// Computes until the thread has used so much processor time.
private func burnProcessorTime(_ duration: Duration) {
    func used() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    let end = used() + duration
    while used() < end {}
}
