import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Operations that are started on the main thread.
@Suite("Operations on the main thread", .serialized, .timeLimit(.minutes(30)), .real)
struct RealMainOperationTests {
    typealias Answer = ValueOperationTests.Answer

    /// Notes where it is started, and ends elsewhere.
    final class Screen: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: only constants and a lock.
        let startedOnMain = Locked<Bool?>(nil)
        private let body: @Sendable (Screen) -> Void

        init(_ body: @escaping @Sendable (Screen) -> Void = { screen in elsewhere.async { screen.finish() } }) { self.body = body }

        override func main() {
            startedOnMain.withLock { $0 = MainThreadCheck.isCurrent }
            body(self)
        }

        override func didCancel() { finish() }
    }

    enum Time: CaseIterable {
        case wall, virtual

        var options: LaunchOptions {
            self == .wall ? .patient : LaunchOptions(clock: VirtualClock(patience: .seconds(300)), seed: 1)
        }
    }

    @Test("with on: .main an operation is started on the main thread, without it on a lane", arguments: Time.allCases)
    func whereStarted(_ time: Time) async throws {
        let (onMain, onLane) = (Screen(), Screen())
        let made = Locked<[Screen]>([])
        let block = Locked<Bool?>(nil)
        var graph = OperationGraph("where")
        graph.add(onMain, id: "on-main", on: .main)
        graph.add(onLane, id: "on-lane")
        graph.addOperation("made", after: "on-main", on: .main) { _ in
            #expect(MainThreadCheck.isCurrent)
            let screen = Screen()
            made.withLock { $0.append(screen) }
            return screen
        }
        graph.add(BlockOperation { block.withLock { $0 = MainThreadCheck.isCurrent } }, id: "block", on: .main)
        let valid = try graph.validated()
        #expect((0..<4).map(valid.isMain) == [true, false, true, true])
        let report = try await graph.run(options: time.options).report
        #expect(report.operations.map(\.outcome) == Array(repeating: .succeeded, count: 4))
        #expect(onMain.startedOnMain.withLock { $0 } == true && onLane.startedOnMain.withLock { $0 } == false)
        #expect(made.withLock { $0.map { $0.startedOnMain.withLock { $0 } } } == [true])
        #expect(block.withLock { $0 } == true)
        #expect(report.operations.map(\.isMain) == [true, false, true, true])
        #expect(report.operations.map { $0.lane == nil } == [true, false, true, true])
    }

    @Test("one that is left out is not started")
    func skipped() async throws {
        let screen = Screen()
        var graph = OperationGraph("skipped")
        graph.add(screen, id: "screen", .onFailure(.continue), on: .main)
        graph.add(Screen(), id: "substituted", .substitute(()), on: .main)
        for step in ["screen", "substituted"] { try graph.skip(step, because: "a test says so") }
        let report = try await graph.run(options: .patient).report
        #expect(report.operations.map(\.outcome) == [.skipped, .fellBack])
        #expect(!screen.isFinished)
    }

    @Test("one that runs is told to cancel, by an abort and by its timeout; one that waits for the main thread is never started")
    func cancelled() async throws {
        let hangs = Screen { _ in }
        let told = Screen { _ in }
        var graph = OperationGraph("cancelled")
        graph.add(hangs, id: "hangs", .timeout(.milliseconds(1)), .onFailure(.continue), on: .main)
        graph.add(told, id: "told", on: .main)
        graph.add("aborts", after: "hangs") { launch in
            await eventually { told.isExecuting }
            launch.abort("test")
        }
        graph.add(Screen { _ in Issue.record("it was started") }, id: "later", after: "aborts", on: .main)
        let report = try await graph.run(options: .patient).report
        #expect(report.operations.map(\.outcome) == [.timedOut, .cancelled, .succeeded, .cancelled])
        #expect(await eventually { hangs.isCancelled && told.isCancelled && hangs.isFinished && told.isFinished })
    }

    /// Says late that it is ready, as Foundation may of an operation whose dependency has just ended.
    final class ReadyLate: Operation, @unchecked Sendable {
        // @unchecked: only constants and locks.
        let mayStart = Locked(false)
        let startedOnMain = Locked<Bool?>(nil)

        override var isReady: Bool { mayStart.withLock { $0 } && super.isReady }
        override func main() { startedOnMain.withLock { $0 = MainThreadCheck.isCurrent } }

        func becomeReady() {
            willChangeValue(forKey: "isReady")
            mayStart.withLock { $0 = true }
            didChangeValue(forKey: "isReady")
        }
    }

    @Test("one that is not ready when its turn comes is started on the main thread when it is")
    func readyLate() async throws {
        let late = ReadyLate()
        var graph = OperationGraph("late")
        graph.add(late, id: "late", on: .main)
        let launch = try graph.start(options: .patient)
        await eventually { launch.status.operations.first?.wait == .code(nil) }
        late.becomeReady()
        #expect(await launch.end().report.outcome == .completed)
        #expect(late.startedOnMain.withLock { $0 } == true)
    }
}
