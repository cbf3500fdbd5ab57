import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

/// Code of an app in virtual time, without a launch: the same each time, however busy the machine is.
@Suite("Public API: code in virtual time", .serialized, .timeLimit(.minutes(120)), .besideOthers)
struct CodeInVirtualTimeTests {
    /// `CODE_RUNS`, as in each night: how often each piece of code runs.
    private static let runs = ProcessInfo.processInfo.environment["CODE_RUNS"].flatMap { Int($0) } ?? 5

    private static func run(_ piece: PieceOfCode) async throws -> String {
        try await withVirtualTime { clock in
            let trace = Trace(clock)
            try await piece.run(clock, trace)
            return trace.text
        }
    }

    @Test("a piece of an app's code comes to the same each time", arguments: PieceOfCode.all)
    func piece(_ piece: PieceOfCode) async throws {
        for number in 0..<Self.runs { try #require(try await Self.run(piece) == piece.expected, "run \(number)") }
    }

    @Test("all pieces at once, each on a clock of its own, come to the same")
    func together() async throws {
        for _ in 0..<max(Self.runs / 50, 1) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for piece in PieceOfCode.all {
                    group.addTask {
                        let text = try await Self.run(piece)
                        #expect(text == piece.expected, "\(piece.name)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("code that is isolated to the main actor, called from there")
    @MainActor
    func mainActor() async throws {
        for _ in 0..<Self.runs {
            var model = 0
            let end = try await withVirtualTime { @MainActor clock in
                try await clock.sleep(for: .seconds(1))
                let task = Task {
                    try await clock.sleep(for: .seconds(1))
                    Self.checkMainActor()
                    return clock.now
                }
                return try await task.value
            }
            model += 1
            try #require(VirtualClock().now.duration(to: end) == .seconds(2) && model == 1)
        }
    }

    @MainActor private static func checkMainActor() { MainActor.assumeIsolated {} }

    @Test("a launch within the code shares its clock")
    func launch() async throws {
        for _ in 0..<Self.runs {
            let times = try await withVirtualTime { clock in
                let begin = clock.now
                var graph = OperationGraph("launch")
                graph.add("login") { step in try await step.sleep(for: .seconds(2)) }
                graph.add("main", .milestone, after: "login", on: .main) {}
                async let tick: Void = clock.sleep(for: .seconds(5))
                let report = try await graph.run(options: LaunchOptions(clock: clock)).report
                let launched = begin.duration(to: clock.now)
                try await tick
                #expect(report.outcome == .completed)
                return [launched, begin.duration(to: clock.now)]
            }
            try #require(times == [.seconds(2), .seconds(5)])
        }
    }

    @Test("interleavings that are explored within the code do not wait for it, and it waits for them")
    func explored() async throws {
        try await withVirtualTime { @MainActor clock in
            func launch() -> OperationGraph {
                let screen = Screen()
                var graph = OperationGraph("launch")
                graph.add("show") {
                    await screen.ask()
                    try await screen.show()
                }
                graph.add("withdraw") { await screen.withdraw() }
                return graph
            }
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            let exploration = try await explore(launch(), interleavings: 500, options: LaunchOptions(clock: clock))
            #expect(exploration.race?.subject == "show")
            #expect(VirtualClock().now.duration(to: clock.now) == .zero)
            try await task.value
        }
    }

    @MainActor private final class Screen {
        private var isAsked = false, isWithdrawn = false

        nonisolated init() {}

        func ask() { isAsked = true }
        func withdraw() { isWithdrawn = isAsked }
        func show() throws { if isWithdrawn { throw Failure() } }
    }

    @Test("code within a step, on the clock of its launch")
    func step() async throws {
        for _ in 0..<Self.runs {
            let clock = VirtualClock()
            var graph = OperationGraph("launch")
            graph.add("login") {
                try await withVirtualTime(on: clock) { clock in
                    try await Task { @MainActor in try await clock.sleep(for: .seconds(1)) }.value
                }
            }
            graph.add("feed", after: "login") { step in try await step.sleep(for: .seconds(1)) }
            let report = try await graph.run(options: LaunchOptions(clock: clock)).report
            try #require(report.outcome == .completed && report.makespan == .seconds(2))
        }
    }

    @Test("two pieces of code on one clock end each by itself")
    func sharedClock() async throws {
        for _ in 0..<Self.runs {
            let clock = VirtualClock()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seconds in 1...2 {
                    group.addTask {
                        try await withVirtualTime(on: clock) { clock in
                            try await Task { try await clock.sleep(for: .seconds(seconds)) }.value
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("an error of the code is thrown, and a value returned")
    func ends() async throws {
        await #expect(throws: Failure.self) {
            try await withVirtualTime { clock in
                try await clock.sleep(for: .seconds(1))
                throw Failure()
            }
        }
        #expect(try await withVirtualTime { _ in 7 } == 7)
    }

    /// A wait that nothing on the clock can end.
    enum EndlessWait: CaseIterable, Sendable {
        case value, valueOnMainActor, otherClock, limit, neverInTime

        @Sendable func wait(_ clock: VirtualClock) async throws {
            switch self {
            case .value: for await _ in AsyncStream<Int>.makeStream().stream {}
            case .valueOnMainActor: await Self.waitOnMainActor()
            case .otherClock: try await Task.sleep(for: .seconds(3600))
            case .limit: while true { try await clock.sleep(for: .seconds(1)) }
            case .neverInTime: try await clock.sleep(for: .seconds(1_000_000_000_000))
            }
        }

        @MainActor private static func waitOnMainActor() async {
            for await _ in AsyncStream<Int>.makeStream().stream {}
        }
    }

    @Test("a wait that nothing can end is an issue at the call", arguments: EndlessWait.allCases)
    func endless(_ wait: EndlessWait) async throws {
        for _ in 0..<max(Self.runs / 100, 1) {
            let line = #line + 2
            try await withKnownIssue {
                try await withVirtualTime(limit: .seconds(100)) { try await wait.wait($0) }
            } matching: {
                $0.sourceLocation?.line == line
            }
        }
    }

    @Test("what the code leaves behind ends with no hang, and not the next code")
    func leftBehind() async throws {
        for _ in 0..<Self.runs {
            let clock = VirtualClock()
            let heart = try await withVirtualTime(on: clock) { clock in
                Task { while (try? await clock.sleep(for: .seconds(10))) != nil {} }
            }
            let now = clock.now
            #expect(try await withVirtualTime(on: clock) { _ in 7 } == 7)
            #expect(clock.now == now)
            heart.cancel()
            await heart.value
        }
    }

    @Test("a sleep on a clock on which nothing runs ends with an error that says so")
    func bareSleep() async throws {
        let clock = VirtualClock()
        for _ in 0..<max(Self.runs / 100, 2) {
            let error = await #expect(throws: (any Error).self) { try await clock.sleep(for: .seconds(1)) }
            #expect(error.map { "\($0)".contains("on which nothing runs") } == true)
        }
    }

    @Test("a sleep that goes on after the launch on its clock ends with that error, too")
    func sleepBeyondTheLaunch() async throws {
        let clock = VirtualClock()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        var graph = OperationGraph("launch")
        graph.add("login") { step in
            for await _ in begun { break }
            try await step.sleep(for: .seconds(1))
        }
        let launch = try graph.start(options: LaunchOptions(clock: clock))
        let sleep = Task { try await clock.sleep(for: .seconds(3600)) }
        begin.yield()
        #expect(await launch.end().report.outcome == .completed)
        await #expect(throws: (any Error).self) { try await sleep.value }
    }

    @Test("a sleep on a clock on which nothing runs is cancelled at once")
    func cancelledBareSleep() async {
        let task = Task { try await VirtualClock().sleep(for: .seconds(1)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
