import Sequencer
import SequencerTesting
import Testing

@Suite("Code of an app in virtual time", .serialized, .timeLimit(.minutes(1)))
struct CodeInVirtualTimeTests {
    private actor Debouncer {
        let clock: VirtualClock
        private(set) var sent: [String] = []
        private var task: Task<Void, any Error>?

        init(_ clock: VirtualClock) { self.clock = clock }

        func type(_ text: String) {
            task?.cancel()
            task = Task {
                try await clock.sleep(for: .milliseconds(300))
                sent.append(text)
            }
        }
    }

    @Test("A debounce in a task on an actor sends the last text")
    func debounce() async throws {
        let sent = try await withVirtualTime { clock in
            let debouncer = Debouncer(clock)
            for text in ["s", "se", "sea"] {
                await debouncer.type(text)
                try await clock.sleep(for: .milliseconds(100))
            }
            try await clock.sleep(for: .seconds(1))
            return await debouncer.sent
        }
        #expect(sent == ["sea"])
    }

    @Test("A detached task that sleeps lets time move for the body that waits for it")
    func detached() async throws {
        let end = try await withVirtualTime { clock in
            try await Task.detached { try await clock.sleep(for: .seconds(3600)) }.value
            return clock.now
        }
        #expect(VirtualClock().now.duration(to: end) == .seconds(3600))
    }

    @Test("A body that never ends is an issue at the call")
    func endless() async throws {
        let line = #line + 2
        await withKnownIssue {
            try await withVirtualTime(limit: .seconds(10)) { clock in
                while true { try await clock.sleep(for: .seconds(1)) }
            }
        } matching: {
            $0.sourceLocation?.line == line
        }
        await withKnownIssue {
            try await withVirtualTime { _ in for await _ in AsyncStream<Int>.makeStream().stream {} }
        }
    }

    @Test("A sleep on a clock on which nothing runs ends with an error")
    func bareSleep() async {
        await #expect(throws: (any Error).self) { try await VirtualClock().sleep(for: .seconds(1)) }
    }
}
