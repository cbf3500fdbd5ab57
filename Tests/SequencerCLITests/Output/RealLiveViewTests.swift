import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis
@testable import sequencer_cli

/// A process has one live view, which every message pauses: no other test may run beside.
@Suite("The live view", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLiveViewTests {
    private static let plain = TextStyle(isColored: false, isUnicode: true)
    private static let size = Terminal.Size(width: 60, height: 24)

    private static let events: [LaunchEvent] = [
        event(.launchStarted, 0), event(.ready("splash"), 0), event(.ready("config"), 0), event(.started("splash", attempt: 1), 0),
        event(.started("config", attempt: 1), 100), event(.ended("splash", .succeeded), 400), event(.retrying("config", attempt: 1), 500),
        event(.started("config", attempt: 2), 600), event(.ended("tutorial", .skipped), 700), event(.started("login", attempt: 1), 800),
        event(.ended("login", .timedOut), 1800),
    ]

    private static func event(_ kind: LaunchEvent.Kind, _ milliseconds: Int) -> LaunchEvent {
        LaunchEvent(kind: kind, time: .milliseconds(milliseconds))
    }

    private func state(_ count: Int) -> LiveState {
        var state = LiveState(name: "regular", total: 5)
        for event in Self.events.prefix(count) { state.apply(event) }
        return state
    }

    // MARK: Drawing

    @Test("Operations that run have a line each, and a sum counts them all")
    func phases() {
        #expect(state(1).lines(Self.size, now: .zero, style: Self.plain) == ["regular  0.0 s  0 of 5 ended, 5 waiting"])
        #expect(
            state(5).lines(Self.size, now: .milliseconds(250), style: Self.plain) == [
                "splash  0.2 s", "config  0.1 s", "regular  0.2 s  0 of 5 ended, 2 running, 3 waiting",
            ]
        )
        let retrying = state(7).lines(Self.size, now: .milliseconds(500), style: Self.plain)
        #expect(retrying.first == "config  0.4 s  attempt 1 failed, retrying")
        #expect(
            state(11).lines(Self.size, now: .milliseconds(65_000), style: Self.plain) == [
                "config  64.9 s  attempt 2", "regular  65.0 s  3 of 5 ended, 1 running, 1 waiting",
            ]
        )
    }

    @Test("Where the rows do not suffice, those that run are shown, and the sum")
    func manyOperations() {
        var state = LiveState(name: "big", total: 10_000)
        for number in 0..<30 { state.apply(Self.event(.started("operation-\(number)", attempt: 1), 0)) }
        for number in 0..<4 { state.apply(Self.event(.ended("operation-\(number)", .succeeded), 100)) }
        state.apply(Self.event(.stopped, 100))
        let lines = state.lines(Terminal.Size(width: 80, height: 8), now: .milliseconds(100), style: Self.plain)
        #expect(lines.count == 7)
        #expect(lines.first == "operation-4  0.1 s")
        #expect(lines.last == "big  0.1 s  4 of 10000 ended, 26 running, 9970 waiting, stopping")
    }

    @Test("Nothing is wider or higher than the terminal", arguments: [1, 3, 10, 20, 40, 400])
    func fits(width: Int) {
        var state = LiveState(name: "日本語\u{1B}[2J", total: 2)
        state.apply(Self.event(.started("b\u{1B}[31m", attempt: 3), 0))
        state.apply(Self.event(.started("e\u{301}日本語👩‍💻-and-a-long-identifier", attempt: 1), 0))
        for height in [1, 2, 3, 4, 24] {
            let lines = state.lines(Terminal.Size(width: width, height: height), now: .seconds(100), style: Self.plain)
            #expect(lines.count <= max(height - 1, 1))
            #expect(lines.allSatisfy { displayWidth($0) <= max(width, 3) })
            #expect(!lines.joined().unicodeScalars.contains("\u{1B}"))
        }
    }

    @Test("Events about operations that are over change nothing")
    func strayEvents() {
        var stray = state(11)
        stray.apply(Self.event(.ended("splash", .failed), 1800))
        stray.apply(Self.event(.started("splash", attempt: 2), 1800))
        let lines = state(11).lines(Self.size, now: .seconds(2), style: Self.plain)
        #expect(stray.lines(Self.size, now: .seconds(2), style: Self.plain) == lines)
    }

    // MARK: On a terminal

    private static let picture = "one  0.0 s  0 of 1 ended, 1 waiting\u{1B}[K\r\n\u{1B}[J"
    private static let erasure = "\u{1B}[1A\r\u{1B}[J"

    /// A view whose time and terminal belong to the test.
    private struct Stage {
        let terminal: PseudoTerminal
        let view: LiveView
        let time: Locked<Duration>
        let event: AsyncStream<LaunchEvent>.Continuation
        let task: Task<Void, Never>

        init() throws {
            let terminal = try PseudoTerminal()
            let (events, event) = AsyncStream.makeStream(of: LaunchEvent.self)
            let time = Locked(Duration.seconds(1000))
            let now: @Sendable () -> Duration = { time.withLock { $0 } }
            let view = LiveView(on: Terminal(descriptor: terminal.descriptor), tick: nil, environment: [:], now: now)
            self.view = try #require(view)
            var graph = OperationGraph("one")
            graph.join("splash")
            (self.terminal, self.event, self.time) = (terminal, event, time)
            task = Task { [graph] in await view?.show(events, of: graph, RealLiveViewTests.plain) }
        }

        /// Shows the first picture.
        func begin() async {
            event.yield(RealLiveViewTests.event(.launchStarted, 0))
            #expect(await terminal.shows(RealLiveViewTests.picture))
        }

        /// What has been shown when the launch has ended.
        func end() async -> String {
            event.finish()
            await task.value
            terminal.write("over")
            #expect(await terminal.shows("over"))
            return terminal.shown
        }
    }

    @Test("A picture is drawn, drawn over as time goes on, and removed at the end")
    func pictures() async throws {
        let stage = try Stage()
        await stage.begin()
        stage.time.withLock { $0 += .milliseconds(100) }
        stage.event.yield(Self.event(.started("splash", attempt: 1), 50))
        let second = "\u{1B}[1A\rsplash  0.1 s\u{1B}[K\r\none  0.1 s  0 of 1 ended, 1 running\u{1B}[K\r\n\u{1B}[J"
        #expect(await stage.terminal.shows(second))
        stage.time.withLock { $0 += .milliseconds(100) }
        stage.view.redraw()
        let third = "\u{1B}[2A\rsplash  0.1 s\u{1B}[K\r\none  0.2 s  0 of 1 ended, 1 running\u{1B}[K\r\n\u{1B}[J"
        #expect(await stage.end() == Self.picture + second + third + "\u{1B}[2A\r\u{1B}[Jover")
    }

    @Test("A view that is cancelled restores the terminal")
    func cancellation() async throws {
        let stage = try Stage()
        await stage.begin()
        stage.task.cancel()
        #expect(await stage.terminal.shows(Self.erasure))
        _ = await stage.end()
    }

    @Test("A launch that is over before anything was drawn leaves the terminal alone; off a terminal there is no view")
    func nothingToShow() async throws {
        #expect(try await Stage().end() == "over")
        #expect(LiveView(on: Terminal(descriptor: -1), environment: [:]) == nil)
    }

    @Test("A pause erases the view before it begins; the view goes on below, after the last one has ended")
    func pause() async throws {
        let stage = try Stage()
        await stage.begin()
        stage.view.pause()
        stage.terminal.write("a screen")
        stage.view.pause()
        stage.view.redraw()
        stage.view.resume()
        stage.view.redraw()
        stage.terminal.write(", its end\n")
        stage.view.resume()
        stage.view.redraw()
        stage.view.pause()
        let drawn = Self.picture + Self.erasure
        #expect(await stage.end() == drawn + "a screen, its end\r\n" + drawn + "over")
    }
}
