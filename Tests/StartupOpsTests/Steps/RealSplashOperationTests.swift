import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("The splash", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSplashOperationTests {
    private func run(_ person: FakePerson?, minimum: Duration = .zero, lifecycle: AppLifecycle = AppLifecycle()) async throws
        -> OperationReport
    {
        let operation = try SplashOperation(presenter: person, minimum: minimum, lifecycle: lifecycle)
        return try await runAlone("splash") { launch in try await operation.run(in: launch) }.report
    }

    @Test("A13, B38: a splash that stands still is over after its minimum time; an app without one has nothing to wait for")
    func still() async throws {
        let report = try await run(FakePerson(), minimum: .milliseconds(400))
        #expect(report.outcome == .succeeded && report.duration == .milliseconds(400))
        #expect(try await run(nil, minimum: .seconds(9)).duration == .zero)
    }

    @Test("B40: an app that becomes active sees the splash to its end")
    func active() async throws {
        let lifecycle = AppLifecycle()
        let video = Video { lifecycle.send(.didBecomeActive) }
        let operation = try SplashOperation(presenter: video, minimum: .zero, lifecycle: lifecycle)
        let report = try await runAlone("splash") { launch in try await operation.run(in: launch) }.report
        #expect(report.outcome == .succeeded && report.notes == [])
        #expect(video.journal.withLock { $0 } == ["shown", "at its end"])
    }

    /// A splash that ends by itself, a while after its minimum time; one that is cut off does not come to its end.
    @MainActor
    private final class Video: SplashPresenter {
        nonisolated let journal = Locked<[String]>([])
        private let onShow: @Sendable () -> Void

        nonisolated init(onShow: @escaping @Sendable () -> Void = {}) { self.onShow = onShow }

        func showSplash() async {
            journal.withLock { $0.append("shown") }
            onShow()
        }

        func splashEnded() async {
            for _ in 0..<1_000 { await Task.yield() }
            journal.withLock { $0.append(Task.isCancelled ? "cut off" : "at its end") }
        }
    }

    /// A splash with a video.
    @MainActor
    private final class VideoSplash: SplashPresenter {
        nonisolated let journal = Locked<[String]>([])
        private let end: Gate?

        nonisolated init(end: Gate? = nil) { self.end = end }

        func showSplash() async { journal.withLock { $0.append("shown") } }
        func splashEnded() async {}

        func playSplashVideo() async {
            journal.withLock { $0.append("video") }
            guard let end else { return }
            await withTaskCancellationHandler {
                await end.wait()
            } onCancel: {
                end.open()
            }
        }
    }

    private func gate(_ sources: ReadinessGate) -> [String?] { sources.conditions.prefix(2).map(\.source) }

    @Test(
        "B38, B40: the video is played where the app is set to it, and the splash says when it and its video are over",
        arguments: [true, false]
    )
    func video(shows: Bool) async throws {
        let splash = VideoSplash()
        let first = ReadinessGate.firstScreen(showsSplashVideo: shows, hasSplashController: true)
        let operation = try SplashOperation(
            presenter: splash,
            minimum: .milliseconds(400),
            lifecycle: AppLifecycle(),
            showsVideo: shows,
            gate: first
        )
        let report = try await runAlone("splash") { launch in try await operation.run(in: launch) }.report
        #expect(report.outcome == .succeeded && report.duration == .milliseconds(400))
        #expect(splash.journal.withLock { $0 } == (shows ? ["shown", "video"] : ["shown"]))
        #expect(gate(first) == ["its end", "its end"])
        #expect(first.conditions.filter(\.isMet).map(\.condition.name) == [.splashVideoDone, .splashControllerEnded])
    }

    @Test("B40: a video that is cut off in the background has not ended by itself, and the gate says what ended it")
    func cutOffVideo() async throws {
        let lifecycle = AppLifecycle()
        let splash = VideoSplash(end: Gate())
        let first = ReadinessGate.firstScreen(showsSplashVideo: true, hasSplashController: true)
        let operation = try SplashOperation(
            presenter: splash,
            minimum: .zero,
            lifecycle: lifecycle,
            showsVideo: true,
            gate: first
        )
        let running = Task { try await runAlone("splash") { launch in try await operation.run(in: launch) }.report }
        await eventually { gate(first)[1] == "its end" && splash.journal.withLock { $0.contains("video") } }
        #expect(gate(first)[0] == nil && first.conditions.first?.isMet == false)
        lifecycle.send(.didEnterBackground)
        #expect(try await running.value.outcome == .succeeded)
        #expect(gate(first)[0] == "going to the background")
    }

    @Test("B44: an app without a splash meets the conditions of one, also where it is set to a video")
    func noSplash() async throws {
        let first = ReadinessGate.firstScreen(showsSplashVideo: true)
        let operation = try SplashOperation(
            presenter: nil,
            minimum: .seconds(9),
            lifecycle: AppLifecycle(),
            showsVideo: true,
            gate: first
        )
        _ = try await runAlone("splash") { launch in try await operation.run(in: launch) }
        #expect(gate(first) == ["an app without a splash", "an app without a splash"])
    }

    @Test(
        "B40: the splash is over when the app goes to the background, also before it is shown, and the report says so",
        arguments: [true, false]
    )
    func backgrounded(isShown: Bool) async throws {
        let end = Gate()
        let lifecycle = AppLifecycle()
        let person = FakePerson(splashEnd: end)
        if !isShown { lifecycle.send(.didEnterBackground) }
        let running = Task { try await run(person, lifecycle: lifecycle) }
        await eventually { person.shown.withLock { $0.contains("splash") } }
        if isShown { lifecycle.send(.didEnterBackground) }
        let report = try await running.value
        #expect(report.notes == ["the app went to the background: the rest of the splash was left out"])
    }
}
