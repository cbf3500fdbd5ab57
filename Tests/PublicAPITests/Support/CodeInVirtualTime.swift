import Foundation
import SequencerTesting
import Testing

/// What an app's code has done, and when, in milliseconds.
final class Trace: @unchecked Sendable {
    // @unchecked: `lock` guards the entries.
    private let lock = NSLock()
    private var entries: [String] = []
    private let clock: VirtualClock
    private let begin: VirtualClock.Instant

    init(_ clock: VirtualClock) { (self.clock, begin) = (clock, clock.now) }

    func note(_ what: String) {
        let time = begin.duration(to: clock.now) / .milliseconds(1)
        lock.withLock { entries.append("\(what) \(Int(time))") }
    }

    var text: String { lock.withLock { entries.joined(separator: ", ") } }
}

/// An ordinary piece of an app's code that goes by the clock.
struct PieceOfCode: Sendable, CustomTestStringConvertible {
    let name: String
    /// Its trace.
    let expected: String
    let run: @Sendable (VirtualClock, Trace) async throws -> Void

    init(_ name: String, _ expected: String, _ run: @escaping @Sendable (VirtualClock, Trace) async throws -> Void) {
        (self.name, self.expected, self.run) = (name, expected, run)
    }

    var testDescription: String { name }

    static let all = inputs + requests + answers + periods + streams + screens + tasks + actors
}

struct Failure: Error {}

extension VirtualClock {
    nonisolated(nonsending) fileprivate func wait(_ milliseconds: Int) async throws {
        try await sleep(for: .milliseconds(milliseconds))
    }
}

/// The value of `work`, or an error when that takes longer.
func withTimeout<Value: Sendable>(
    _ limit: Duration,
    on clock: VirtualClock,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw Failure()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}

// MARK: Inputs

private actor Debouncer {
    private let clock: VirtualClock, trace: Trace
    private var task: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func type(_ text: String) {
        task?.cancel()
        task = Task {
            try await clock.sleep(for: .milliseconds(300))
            trace.note(text)
        }
    }
}

private actor Throttle {
    private let clock: VirtualClock, interval: Duration
    private var last: VirtualClock.Instant?

    init(_ clock: VirtualClock, _ interval: Duration) { (self.clock, self.interval) = (clock, interval) }

    func letsThrough() -> Bool {
        if let last, last.duration(to: clock.now) < interval { return false }
        last = clock.now
        return true
    }
}

private actor RateLimit {
    private let clock: VirtualClock
    private var next: VirtualClock.Instant

    init(_ clock: VirtualClock) { (self.clock, next) = (clock, clock.now) }

    func wait() async throws {
        let turn = max(next, clock.now)
        next = turn.advanced(by: .milliseconds(200))
        try await clock.sleep(until: turn)
    }
}

private actor EventBatch {
    private let clock: VirtualClock, trace: Trace
    private var events: [String] = []
    private var timer: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func add(_ event: String) {
        events.append(event)
        if events.count == 3 { return send() }
        if timer == nil {
            timer = Task {
                try await clock.sleep(for: .seconds(5))
                send()
            }
        }
    }

    private func send() {
        timer?.cancel()
        timer = nil
        trace.note(events.joined())
        events = []
    }
}

extension PieceOfCode {
    fileprivate static let inputs = [
        PieceOfCode("debounce", "sea 500") { clock, trace in
            let debouncer = Debouncer(clock, trace)
            for text in ["s", "se", "sea"] {
                await debouncer.type(text)
                try await clock.sleep(for: .milliseconds(100))
            }
            try await clock.sleep(for: .seconds(1))
        },
        PieceOfCode("debounce with a pause", "s 300, sea 800") { clock, trace in
            let debouncer = Debouncer(clock, trace)
            for (text, pause) in [("s", 400), ("se", 100), ("sea", 1000)] {
                await debouncer.type(text)
                try await clock.sleep(for: .milliseconds(pause))
            }
        },
        PieceOfCode("throttle", "tap0 0, tap4 120, tap8 240") { clock, trace in
            let throttle = Throttle(clock, .milliseconds(100))
            for number in 0..<10 {
                if await throttle.letsThrough() { trace.note("tap\(number)") }
                try await clock.sleep(for: .milliseconds(30))
            }
        },
        PieceOfCode("rate limit", "0 0, 1 200, 2 400, 3 600") { clock, trace in
            let limit = RateLimit(clock)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await limit.wait()
                        trace.note("\(number)")
                    }
                }
                try await group.waitForAll()
            }
        },
        PieceOfCode("events are sent in threes, or after five seconds", "abc 2000, d 8000") { clock, trace in
            let batch = EventBatch(clock, trace)
            for event in ["a", "b", "c", "d"] {
                await batch.add(event)
                try await clock.sleep(for: .seconds(1))
            }
            try await clock.sleep(for: .seconds(10))
        },
    ]
}

// MARK: Requests

private actor Cache {
    private let clock: VirtualClock, trace: Trace
    private var entry: (value: Int, end: VirtualClock.Instant)?
    private var loads = 0

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    var value: Int {
        if let entry, clock.now < entry.end { return entry.value }
        loads += 1
        trace.note("load")
        entry = (loads, clock.now.advanced(by: .seconds(60)))
        return loads
    }
}

/// Forgets its value by a task, and not when it is asked.
private actor ForgetfulCache {
    private let clock: VirtualClock, trace: Trace
    private(set) var value: String?
    private var expiry: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func set(_ value: String) {
        self.value = value
        expiry?.cancel()
        expiry = Task {
            try await clock.sleep(for: .seconds(60))
            self.value = nil
            trace.note("expired")
        }
    }
}

/// Two that ask at the same time share one request.
private actor SharedRequest {
    private let clock: VirtualClock, trace: Trace
    private var task: Task<String, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func answer() async throws -> String {
        if let task { return try await task.value }
        trace.note("request")
        let task = Task {
            try await clock.sleep(for: .seconds(1))
            return "a"
        }
        self.task = task
        defer { self.task = nil }
        return try await task.value
    }
}

private actor CircuitBreaker {
    private let clock: VirtualClock
    private var failures = 0
    private var openUntil: VirtualClock.Instant?

    init(_ clock: VirtualClock) { self.clock = clock }

    func call(_ request: @Sendable () async throws -> Void) async -> String {
        if let openUntil, clock.now < openUntil { return "open" }
        do {
            try await request()
            (failures, openUntil) = (0, nil)
            return "works"
        } catch {
            failures += 1
            if failures >= 2 { openUntil = clock.now.advanced(by: .seconds(30)) }
            return "fails"
        }
    }
}

private actor Server {
    private(set) var isReady = false
    func becomesReady() { isReady = true }
}

extension PieceOfCode {
    fileprivate static let requests = [
        PieceOfCode("retry with back-off", "try 0, try 100, try 300, try 700, works 700") { clock, trace in
            var pause = Duration.milliseconds(100)
            for attempt in 1... {
                trace.note("try")
                if attempt == 4 { break }
                try await clock.sleep(for: pause)
                pause *= 2
            }
            trace.note("works")
        },
        PieceOfCode("a cache expires", "load 0, load 60000") { clock, trace in
            let cache = Cache(clock, trace)
            for pause in [0, 59, 1] {
                try await clock.sleep(for: .seconds(pause))
                _ = await cache.value
            }
        },
        PieceOfCode("a cache forgets", "expired 90000, nil 91000") { clock, trace in
            let cache = ForgetfulCache(clock, trace)
            await cache.set("a")
            try await clock.sleep(for: .seconds(30))
            await cache.set("b")
            try await clock.sleep(for: .seconds(61))
            trace.note(await cache.value ?? "nil")
        },
        PieceOfCode("polling until it is ready", "ready 3000") { clock, trace in
            let server = Server()
            let start = Task {
                try await clock.sleep(for: .milliseconds(2500))
                await server.becomesReady()
            }
            while await !server.isReady { try await clock.sleep(for: .seconds(1)) }
            trace.note("ready")
            try await start.value
        },
        PieceOfCode("a request that is too late", "timed out 1000") { clock, trace in
            do {
                try await withTimeout(.seconds(1), on: clock) { try await clock.sleep(for: .seconds(5)) }
            } catch is Failure {
                trace.note("timed out")
            }
        },
        PieceOfCode("a request in time", "answer 800") { clock, trace in
            let answer = try await withTimeout(.seconds(1), on: clock) {
                try await clock.sleep(for: .milliseconds(800))
                return "answer"
            }
            trace.note(answer)
        },
        PieceOfCode("a timeout for each attempt", "late 500, late 1000, answer 1300") { clock, trace in
            for duration in [900, 800, 300] {
                do {
                    try await withTimeout(.milliseconds(500), on: clock) { try await clock.wait(duration) }
                    trace.note("answer")
                } catch is Failure {
                    trace.note("late")
                }
            }
        },
        PieceOfCode("a second request after 200 ms", "second 600") { clock, trace in
            try await withThrowingTaskGroup(of: String.self) { group in
                for (name, duration) in [("first", 900), ("second", 600)] {
                    group.addTask {
                        try await clock.wait(duration)
                        return name
                    }
                }
                trace.note(try await group.next() ?? "none")
                group.cancelAll()
            }
        },
        PieceOfCode("a shared request", "request 0, a 1000, a 1000, request 1000, a 2000") { clock, trace in
            let request = SharedRequest(clock, trace)
            async let first = request.answer()
            async let second = request.answer()
            for answer in try await [first, second] { trace.note(answer) }
            trace.note(try await request.answer())
        },
        PieceOfCode("a circuit breaker", "fails 0, fails 10000, open 20000, open 30000, works 40000") { clock, trace in
            let breaker = CircuitBreaker(clock)
            for number in 0..<5 {
                trace.note(await breaker.call { if number < 4 { throw Failure() } })
                if number < 4 { try await clock.sleep(for: .seconds(10)) }
            }
        },
        PieceOfCode("two downloads at a time", "0 1000, 1 1000, 2 2000, 3 2000, 4 3000") { clock, trace in
            try await withThrowingTaskGroup(of: Int.self) { group in
                func add(_ number: Int) {
                    group.addTask {
                        try await clock.sleep(for: .seconds(1))
                        return number
                    }
                }
                add(0)
                add(1)
                var next = 2
                while let number = try await group.next() {
                    trace.note("\(number)")
                    if next < 5 { add(next) }
                    next += 1
                }
            }
        },
    ]
}

// MARK: Answers that come by callback

private func locate(_ clock: VirtualClock, _ answer: @escaping @Sendable (Result<String, any Error>) -> Void) {
    Task {
        try await clock.wait(400)
        answer(.success("here"))
        try await clock.wait(400)
        answer(.failure(Failure()))
    }
}

private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ free: Int) { self.free = free }

    func take() async {
        if free == 0 { await withCheckedContinuation { waiting.append($0) } } else { free -= 1 }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension PieceOfCode {
    fileprivate static let answers = [
        PieceOfCode("an answer by callback", "here 400") { clock, trace in
            let answers = AsyncStream.makeStream(of: String.self)
            locate(clock) { if case .success(let place) = $0 { answers.continuation.yield(place) } }
            for await place in answers.stream.prefix(1) { trace.note(place) }
        },
        PieceOfCode("an error by callback", "fails 800") { clock, trace in
            do {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    locate(clock) { if case .failure(let error) = $0 { continuation.resume(throwing: error) } }
                }
            } catch is Failure {
                trace.note("fails")
            }
        },
        PieceOfCode("a gate that three wait for", "0 1000, 1 1000, 2 1000") { clock, trace in
            let gate = Gate()
            async let opening: Void = {
                try await clock.wait(1000)
                await gate.open()
            }()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<3 {
                    group.addTask {
                        await gate.pass()
                        trace.note("\(number)")
                    }
                }
            }
            try await opening
        },
        PieceOfCode("places for two", "0 1000, 1 1000, 2 2000, 3 2000") { clock, trace in
            let places = Places(2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        await places.take()
                        try await clock.wait(1000)
                        trace.note("\(number)")
                        await places.giveBack()
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}

// MARK: What comes again and again

private actor Ticker {
    private let clock: VirtualClock, trace: Trace
    private var ticks = 0
    private var timer: Task<Void, Never>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func start() {
        timer = Task {
            while (try? await clock.sleep(for: .seconds(1))) != nil { tick() }
            trace.note("stopped")
        }
    }

    func stop() { timer?.cancel() }

    private func tick() {
        ticks += 1
        trace.note("\(ticks)")
    }
}

private func ticks(every interval: Duration, on clock: VirtualClock) -> AsyncStream<Int> {
    AsyncStream { continuation in
        let task = Task {
            for number in 1... {
                guard (try? await clock.sleep(for: interval)) != nil else { break }
                continuation.yield(number)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}

extension PieceOfCode {
    fileprivate static let periods = [
        PieceOfCode("heartbeat", "beat 10000, beat 20000, beat 30000, stopped 35000") { clock, trace in
            let heart = Task {
                while (try? await clock.sleep(for: .seconds(10))) != nil { trace.note("beat") }
                trace.note("stopped")
            }
            try await clock.sleep(for: .seconds(35))
            heart.cancel()
            await heart.value
        },
        PieceOfCode("an actor's timer", "1 1000, 2 2000, 3 3000, stopped 3500") { clock, trace in
            let ticker = Ticker(clock, trace)
            await ticker.start()
            try await clock.sleep(for: .milliseconds(3500))
            await ticker.stop()
            try await clock.sleep(for: .seconds(10))
        },
        PieceOfCode("ticks as an AsyncStream", "1 250, 2 500, 3 750") { clock, trace in
            for await tick in ticks(every: .milliseconds(250), on: clock).prefix(3) { trace.note("\(tick)") }
        },
        PieceOfCode("a token is refreshed in time", "refresh 48000, refresh 96000, refresh 144000") { clock, trace in
            let refresh = Task {
                while true {
                    try await clock.sleep(for: .seconds(60) * 0.8)
                    trace.note("refresh")
                }
            }
            try await clock.sleep(for: .seconds(150))
            refresh.cancel()
            _ = await refresh.result
        },
        PieceOfCode("ticks that were missed are left out", "tick 100, tick 400, tick 700") { clock, trace in
            let begin = clock.now
            for _ in 0..<3 {
                let passed = Int(begin.duration(to: clock.now) / .milliseconds(100))
                try await clock.sleep(until: begin.advanced(by: .milliseconds(100) * (passed + 1)))
                trace.note("tick")
                try await clock.wait(250)
            }
        },
        PieceOfCode("countdown", "3 0, 2 1000, 1 2000, go 3000") { clock, trace in
            for number in [3, 2, 1] {
                trace.note("\(number)")
                try await clock.sleep(for: .seconds(1))
            }
            trace.note("go")
        },
    ]
}

// MARK: Streams

extension PieceOfCode {
    fileprivate static let streams = [
        PieceOfCode("a reader that is cancelled", "ended 500") { clock, trace in
            let (values, source) = AsyncStream.makeStream(of: Int.self)
            let reader = Task {
                for await _ in values {}
                trace.note("ended")
            }
            try await clock.wait(500)
            reader.cancel()
            await reader.value
            source.finish()
        },
        PieceOfCode("a slow reader is given the newest value", "1 0, 3 250, 5 500") { clock, trace in
            let (values, source) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
            let writer = Task {
                for value in 1...5 {
                    source.yield(value)
                    try await clock.wait(100)
                }
                source.finish()
            }
            for await value in values {
                trace.note("\(value)")
                try await clock.wait(250)
            }
            try await writer.value
        },
        PieceOfCode("two streams beside each other", "a1 200, b1 300, a2 400, b2 600") { clock, trace in
            await withTaskGroup(of: Void.self) { group in
                for (name, interval) in [("a", 200), ("b", 300)] {
                    group.addTask {
                        for await tick in ticks(every: .milliseconds(interval), on: clock).prefix(2) {
                            trace.note("\(name)\(tick)")
                        }
                    }
                }
            }
        },
        PieceOfCode("a stream that falls silent", "1 100, 2 200, late 1000") { clock, trace in
            let (values, source) = AsyncStream.makeStream(of: Int.self)
            let writer = Task {
                for value in 1...2 {
                    try await clock.wait(100)
                    source.yield(value)
                }
            }
            do {
                try await withTimeout(.seconds(1), on: clock) { for await value in values { trace.note("\(value)") } }
            } catch is Failure {
                trace.note("late")
            }
            try await writer.value
        },
    ]
}

// MARK: On the main actor

@MainActor private final class SearchModel {
    private let clock: VirtualClock, trace: Trace, server = Server()
    private var task: Task<Void, any Error>?
    private(set) var shown = ""

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func type(_ text: String) {
        task?.cancel()
        task = Task {
            try await clock.sleep(for: .milliseconds(300))
            trace.note("search \(text)")
            await server.becomesReady()
            try await clock.sleep(for: .milliseconds(200))
            shown = text
            trace.note("show \(text)")
        }
    }
}

@MainActor private final class Session {
    private let clock: VirtualClock, trace: Trace
    private var logout: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func isUsed() {
        logout?.cancel()
        logout = Task {
            try await clock.sleep(for: .seconds(300))
            trace.note("log out")
        }
    }
}

@MainActor private final class Progress {
    private(set) var value = 0

    func advance(to end: Int, on clock: VirtualClock) async throws {
        while value < end {
            try await clock.sleep(for: .milliseconds(20))
            value += 1
        }
    }

    func follow(_ values: AsyncStream<Int>, _ trace: Trace) async {
        for await value in values {
            self.value = value
            trace.note("\(value)")
        }
    }
}

@MainActor private final class Toasts {
    private let clock: VirtualClock, trace: Trace
    private var end: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    func show(_ text: String) {
        end?.cancel()
        trace.note(text)
        end = Task {
            try await clock.wait(2000)
            trace.note("gone")
        }
    }

    /// Shows that something goes on, once that has taken 300 ms.
    func load(_ duration: Int) async throws {
        let spinner = Task {
            try await clock.wait(300)
            trace.note("spinner")
        }
        try await clock.wait(duration)
        spinner.cancel()
        trace.note("loaded")
    }
}

extension PieceOfCode {
    fileprivate static let screens = [
        PieceOfCode("a toast is replaced, and goes by itself", "a 0, b 1500, gone 3500") { clock, trace in
            let toasts = await Toasts(clock, trace)
            for (text, pause) in [("a", 1500), ("b", 3000)] {
                await toasts.show(text)
                try await clock.wait(pause)
            }
        },
        PieceOfCode("a spinner for what takes long", "loaded 200, spinner 500, loaded 700") { clock, trace in
            let toasts = await Toasts(clock, trace)
            for duration in [200, 500] { try await toasts.load(duration) }
        },
        PieceOfCode("a detached task shows something", "shown 100") { clock, trace in
            try await Task.detached {
                try await clock.wait(100)
                await MainActor.run { trace.note("shown") }
            }.value
        },
        PieceOfCode("a continuation that the main actor resumes", "back 300") { clock, trace in
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    try? await clock.wait(300)
                    continuation.resume()
                }
            }
            trace.note("back")
        },
        PieceOfCode("progress that is stopped", "49 990") { clock, trace in
            let progress = Progress()
            do {
                try await withTimeout(.milliseconds(990), on: clock) { try await progress.advance(to: 100, on: clock) }
            } catch is Failure {
                trace.note("\(await progress.value)")
            }
        },
        PieceOfCode("a view model with a delayed search", "search sea 500, show sea 700") { clock, trace in
            let model = await SearchModel(clock, trace)
            for text in ["s", "se", "sea"] {
                await model.type(text)
                try await clock.sleep(for: .milliseconds(100))
            }
            try await clock.sleep(for: .seconds(1))
        },
        PieceOfCode("a replaced search", "search s 300, search sea 700, show sea 900, sea 1400") { clock, trace in
            let model = await SearchModel(clock, trace)
            await model.type("s")
            try await clock.sleep(for: .milliseconds(400))
            await model.type("sea")
            try await clock.sleep(for: .seconds(1))
            trace.note(await model.shown)
        },
        PieceOfCode("a session that ends when nobody uses it", "log out 600000") { clock, trace in
            let session = await Session(clock, trace)
            for _ in 0..<4 {
                await session.isUsed()
                try await clock.sleep(for: .seconds(100))
            }
            try await clock.sleep(for: .seconds(1000))
        },
        PieceOfCode("two that advance one progress", "21 220") { clock, trace in
            let progress = Progress()
            async let first: Void = progress.advance(to: 20, on: clock)
            async let second: Void = progress.advance(to: 19, on: clock)
            _ = try await (first, second)
            trace.note("\(await progress.value)")
        },
        PieceOfCode("a screen follows a stream", "1 100, 2 200, 3 300") { clock, trace in
            let (values, source) = AsyncStream.makeStream(of: Int.self)
            let progress = Progress()
            let screen = Task { await progress.follow(values, trace) }
            for value in 1...3 {
                try await clock.sleep(for: .milliseconds(100))
                source.yield(value)
            }
            source.finish()
            await screen.value
        },
        PieceOfCode("a splash stays for a second", "loaded 300, main 1000") { clock, trace in
            async let minimum: Void = clock.sleep(for: .seconds(1))
            try await clock.sleep(for: .milliseconds(300))
            trace.note("loaded")
            try await minimum
            await MainActor.run { trace.note("main") }
        },
        PieceOfCode("all of it on the main actor", "a 0, b 1000, c 1000, d 3000") { clock, trace in
            try await onMainActor(clock, trace)
        },
    ]

    @MainActor private static func onMainActor(_ clock: VirtualClock, _ trace: Trace) async throws {
        trace.note("a")
        let other = Task {
            try await clock.sleep(for: .seconds(1))
            trace.note("b")
        }
        try await other.value
        trace.note("c")
        try await Task.detached { try await clock.sleep(for: .seconds(2)) }.value
        trace.note("d")
    }
}

// MARK: Actors

private actor Worker {
    private let clock: VirtualClock, trace: Trace
    private var last: Task<Void, any Error>?

    init(_ clock: VirtualClock, _ trace: Trace) { (self.clock, self.trace) = (clock, trace) }

    /// Another call may come in meanwhile.
    func work() async throws {
        trace.note("begin")
        try await clock.wait(500)
        trace.note("end")
    }

    /// One after the other.
    func add(_ name: String, _ duration: Int) {
        last = Task { [last] in
            try await last?.value
            try await clock.wait(duration)
            trace.note(name)
        }
    }

    func finish() async throws { try await last?.value }
}

extension PieceOfCode {
    fileprivate static let actors = [
        PieceOfCode("a call comes in while another waits", "begin 0, begin 100, end 500, end 600") { clock, trace in
            let worker = Worker(clock, trace)
            async let first: Void = worker.work()
            try await clock.wait(100)
            async let second: Void = worker.work()
            _ = try await (first, second)
        },
        PieceOfCode("one after the other", "a 300, b 400, c 600") { clock, trace in
            let worker = Worker(clock, trace)
            for (name, duration) in [("a", 300), ("b", 100), ("c", 200)] { await worker.add(name, duration) }
            try await worker.finish()
        },
    ]
}

// MARK: Tasks

extension PieceOfCode {
    fileprivate static let tasks = [
        PieceOfCode("a cancelled sleep", "cancelled 1000") { clock, trace in
            let task = Task {
                do {
                    try await clock.sleep(for: .seconds(3600))
                } catch is CancellationError {
                    trace.note("cancelled")
                }
            }
            try await clock.sleep(for: .seconds(1))
            task.cancel()
            try await task.value
        },
        PieceOfCode("tasks of two priorities", "low 1000, high 1000") { clock, trace in
            let tasks = [("low", TaskPriority.background), ("high", .high)].map { name, priority in
                Task(priority: priority) {
                    try await clock.wait(1000)
                    trace.note(name)
                }
            }
            for task in tasks { try await task.value }
        },
        PieceOfCode("child tasks", "3 2000") { clock, trace in
            async let one = {
                try await clock.sleep(for: .seconds(2)); return 1
            }()
            async let two = {
                try await clock.sleep(for: .seconds(1)); return 2
            }()
            let sum = try await one + two
            trace.note("\(sum)")
        },
        PieceOfCode("a detached task", "done 3600000") { clock, trace in
            try await Task.detached { try await clock.sleep(for: .seconds(3600)) }.value
            trace.note("done")
        },
        PieceOfCode("a detached task of an actor's", "1 1000, stopped 1500, end 2000") { clock, trace in
            let ticker = Ticker(clock, trace)
            Task.detached {
                await ticker.start()
                try await clock.sleep(for: .milliseconds(1500))
                await ticker.stop()
            }
            try await clock.sleep(for: .seconds(2))
            trace.note("end")
        },
        PieceOfCode("a second clock", "before 1000, within 1000, after 2000") { clock, trace in
            try await clock.sleep(for: .seconds(1))
            trace.note("before")
            try await withVirtualTime { other in
                try await other.sleep(for: .seconds(50))
                trace.note("within")
            }
            try await clock.sleep(for: .seconds(1))
            trace.note("after")
        },
        PieceOfCode("many that wake at once", (0..<10).map { "\($0) 1000" }.joined(separator: ", ")) { clock, trace in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try? await clock.sleep(for: .seconds(1))
                        trace.note("\(number)")
                    }
                }
            }
        },
    ]
}
