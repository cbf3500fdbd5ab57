import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Pausing the live view", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLivePauseTests {
    private static let plain = TextStyle(isColored: false, isUnicode: true)

    /// A view whose time and ticks belong to the test.
    private struct Stage {
        let view: LiveView
        let tick: AsyncStream<Void>.Continuation
        let event: AsyncStream<LaunchEvent>.Continuation
        let task: Task<Void, Never>

        init(write: @escaping @Sendable (String) -> Void) {
            let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
            let (events, event) = AsyncStream.makeStream(of: LaunchEvent.self)
            (self.tick, self.event) = (tick, event)
            let view = LiveView(
                state: LiveState(name: "one", identifiers: ["splash"]),
                style: RealLivePauseTests.plain,
                size: { Terminal.Size(width: 60, height: 24) },
                now: { .seconds(1) },
                ticks: ticks,
                write: write
            )
            self.view = view
            task = Task { await view.run(events) }
        }

        func start() {
            event.yield(LaunchEvent(kind: .launchStarted, time: .zero))
        }
    }

    private static let picture = "· splash\u{1B}[K\none  0.0 s  0 of 1 ended, 1 waiting\u{1B}[K\n\u{1B}[J"
    private static let begin = "\u{1B}[?25l" + picture
    private static let again = "\u{1B}[2A\r" + picture
    private static let erasure = "\u{1B}[2A\r\u{1B}[J\u{1B}[?25h"

    @Test("A pause erases the view before it begins; the view goes on below, after the last one has ended")
    func pause() async {
        let (writes, write) = AsyncStream.makeStream(of: String.self)
        let stage = Stage { write.yield($0) }
        var texts = writes.makeAsyncIterator()
        stage.start()
        #expect(await texts.next() == Self.begin)
        let pausing = stage.view.pausing
        await pausing.pause()
        write.yield("a screen")
        await pausing.pause()
        stage.tick.yield()
        pausing.resume()
        stage.tick.yield()
        await pausing.pause()
        pausing.resume()
        write.yield("its end")
        pausing.resume()
        stage.tick.yield()
        #expect(await texts.next() == Self.erasure)
        #expect(await texts.next() == "a screen")
        #expect(await texts.next() == "its end")
        #expect(await texts.next() == Self.begin)
        stage.event.finish()
        // The ticks of the pauses may have come after them, each with a picture.
        var last = await texts.next()
        while last == Self.again { last = await texts.next() }
        #expect(last == Self.erasure)
        await stage.task.value
    }

    @Test("A launch that ends during a pause has nothing to erase, and later pauses need not wait")
    func endWhilePaused() async {
        let writes = Locked<[String]>([])
        let (drawn, draw) = AsyncStream.makeStream(of: Void.self)
        let stage = Stage { text in
            writes.withLock { $0.append(text) }
            draw.yield()
        }
        stage.start()
        var draws = drawn.makeAsyncIterator()
        await draws.next()
        await stage.view.pausing.pause()
        stage.event.finish()
        await stage.task.value
        stage.view.pausing.resume()
        await stage.view.pausing.pause()
        stage.view.pausing.resume()
        #expect(writes.withLock { $0 } == [Self.begin, Self.erasure])
    }

    @Test("A view that is not shown yet, or never, holds nobody up, and does not draw into a pause")
    func beforeTheView() async {
        let pausing = LivePause()
        await pausing.pause()
        #expect(!pausing.mayDraw())
        pausing.resume()
        pausing.resume()
        #expect(pausing.mayDraw())
    }

    @Test("Whoever waits for a view that is cancelled goes on", arguments: 0..<20)
    func cancellation(_: Int) async {
        let stage = Stage { _ in }
        stage.start()
        let pauses = (0..<4).map { _ in Task { await stage.view.pausing.pause() } }
        stage.task.cancel()
        for pause in pauses { await pause.value }
        await stage.task.value
    }

    @Test("A screen takes the view's place, and the view comes back below it")
    func screen() async throws {
        let terminal = try PseudoTerminal()
        let stage = Stage { terminal.write($0) }
        let screens = try RealTerminalScreensTests.screens(on: terminal, live: stage.view.pausing)
        stage.start()
        #expect(await terminal.shows(Self.picture.replacing("\n", with: "\r\n")))
        async let answer = screens.confirm(question: "Go on?")
        #expect(await terminal.shows("[y/n]: "))
        stage.tick.yield()
        terminal.type("y\n")
        #expect(await answer == true)
        stage.tick.yield()
        #expect(await terminal.shows("\u{1B}[?25l", times: 2))
        stage.event.finish()
        await stage.task.value
        #expect(await terminal.shows(Self.erasure, times: 2))
        // Below the answer the view may have been drawn more than once.
        let expected = Self.begin + Self.erasure + "Go on? [y/n]: y\n" + Self.begin
        #expect(terminal.shown.hasPrefix(expected.replacing("\n", with: "\r\n")))
        #expect(terminal.shown.hasSuffix(Self.erasure.replacing("\n", with: "\r\n")))
        #expect(terminal.shown.components(separatedBy: "Go on?").count == 2)
    }
}
