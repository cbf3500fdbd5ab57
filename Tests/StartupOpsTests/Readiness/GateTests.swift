import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// Gates: conditions, orders, threads, deadlines, and what they say while they are closed.
@Suite("Readiness gates", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GateTests {
    private static let names: [ConditionName] = ["a", "b", "c", "d", "e"]

    private func gate(_ names: [ConditionName] = Self.names, elapsed: (@Sendable () -> Duration)? = nil) -> ReadinessGate {
        ReadinessGate("test", names.map { GateCondition($0, setBy: "\($0)-op", because: "of \($0)") }, elapsed: elapsed)
    }

    @Test("B48: in each of the 120 orders the gate is looked at after every change, and opens with the last")
    func everyOrderOpens() {
        let orders = everyOrder(Self.names)
        #expect(Set(orders).count == 120)
        for order in orders {
            let now = Locked(Duration.zero)
            let gate = gate { now.withLock { $0 } }
            for (index, name) in order.enumerated() {
                now.withLock { $0 = .seconds(index) }
                #expect(gate.meet(name) == (index == 4 ? .opened : .made))
            }
            #expect(gate.diagnosis.hasPrefix("test opened after 4 s; met: "))
        }
    }

    @Test("B48: a condition that is unmet again holds the gate, in each order, until it is met once more")
    func unmetAgain() {
        for order in everyOrder(Self.names) {
            let gate = gate()
            for name in order.dropLast() { gate.meet(name) }
            gate.set(order[0], to: false)
            #expect(gate.meet(order[4]) == .made)
            #expect(!gate.isOpen)
            #expect(gate.meet(order[0]) == .opened)
        }
    }

    @Test("B47, fault L11: closed by many threads at once, with repeats, the gate lets through exactly once")
    func race() async {
        for _ in 0..<200 {
            let gate = gate()
            let (opened, handled, late) = (Locked(0), Locked(0), Locked(0))
            gate.whenOpen { handled.withLock { $0 += 1 } }
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<16 {
                    group.addTask {
                        for name in thread % 2 == 0 ? Self.names : Self.names.reversed() {
                            if gate.meet(name, by: "thread \(thread)") == .opened { opened.withLock { $0 += 1 } }
                        }
                    }
                }
            }
            gate.whenOpen { late.withLock { $0 += 1 } }
            #expect(opened.withLock { $0 } == 1)
            #expect(handled.withLock { $0 } == 1)
            #expect(late.withLock { $0 } == 1)
        }
    }

    @Test("fault L11: what is set after the gate has opened, or twice, changes nothing")
    func tooLate() {
        let gate = gate(["a", "b"])
        #expect(gate.meet("a") == .made)
        #expect(gate.meet("a") == .same)
        #expect(gate.meet("b") == .opened)
        #expect(gate.meet("b") == .tooLate)
        #expect(gate.set("a", to: false) == .tooLate)
        #expect(gate.isOpen)
        #expect(gate.conditions.map(\.isMet) == [true, true])
    }

    @Test("B49, fault L12: a gate that stays closed ends the wait at the deadline, and names condition, owner and since when")
    func deadline() async {
        let now = Locked(Duration.zero)
        let gate = ReadinessGate(
            "first-screen",
            [
                GateCondition("configuration", setBy: "fetch-config", because: "the first screen depends on it"),
                GateCondition("flags", setBy: "refresh-flags", because: "onboarding depends on them"),
                GateCondition("splash", setBy: "splash", because: "it is to be seen"),
            ],
            elapsed: { now.withLock { $0 } }
        )
        now.withLock { $0 = .milliseconds(400) }
        gate.meet("splash")
        gate.meet("flags")
        now.withLock { $0 = .milliseconds(900) }
        gate.set("flags", to: false)
        now.withLock { $0 = .milliseconds(2100) }
        let error = await #expect(throws: GateClosedError.self) { try await gate.wait(by: .after(.milliseconds(1))) }
        #expect(error?.unmet.map(\.condition.name) == ["configuration", "flags"])
        #expect(error?.unmet.map(\.condition.setBy) == ["fetch-config", "refresh-flags"])
        #expect(error?.unmet.map(\.age) == [.milliseconds(2100), .milliseconds(1200)])
        #expect(
            gate.diagnosis == """
                first-screen is waiting for: configuration (set by fetch-config, unmet for 2.1 s: the first screen depends on it), \
                flags (set by refresh-flags, unmet for 1.2 s: onboarding depends on them); met: splash (set by splash, after 400 ms)
                """
        )
        #expect(error.map { "\($0)".contains("configuration (set by fetch-config, unmet for 2.1 s") } == true)
        gate.meet("configuration")
        gate.meet("flags")
        #expect(gate.diagnosis.hasPrefix("first-screen opened after 2.1 s; met: configuration (set by fetch-config, after 2.1 s), "))
    }

    @Test("fault L12: the deadline comes although blocked operations hold every thread of the pool")
    func deadlineUnderLoad() {
        let (release, fired) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<64 { DispatchQueue.global().async { release.waitPatiently() } }
        let timer = DeadlineTimer(.after(.milliseconds(5))) { fired.signal() }
        fired.waitPatiently()
        for _ in 0..<64 { release.signal() }
        timer?.cancel()
    }

    @Test("any number of tasks wait; a cancelled one is let go alone; an open gate lets everyone through at once")
    func waiting() async throws {
        let gate = gate(["a"])
        let cancelled = Task { try await gate.wait() }
        let waiters = (0..<100).map { _ in Task { try await gate.wait(by: .after(.seconds(300))) } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.meet("a")
        for waiter in waiters { try await waiter.value }
        try await gate.wait(by: .after(.zero))
    }

    @Test("an already cancelled task, and a deadline that is over, end the wait at once")
    func overBeforeItBegins() async {
        let gate = gate(["a"])
        await #expect(throws: GateClosedError.self) { try await gate.wait(by: .after(.zero)) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.wait()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("cancelling races opening: each wait ends once, one way or the other")
    func cancelRace() async {
        for round in 0..<300 {
            // Only opened, only cancelled, or both at once.
            let (opens, cancels) = (round % 3 != 0, round % 3 != 1)
            let gate = gate(["a"])
            let task = Task { try await gate.wait(by: .after(patience)) }
            async let opening: Void = { if opens { _ = gate.meet("a") } }()
            if cancels { task.cancel() }
            await opening
            switch await task.result {
            case .success: #expect(opens)
            case .failure(let error): #expect(cancels && error is CancellationError, "\(error)")
            }
            #expect(gate.isOpen == opens)
        }
    }

    @Test("a step that waits for a gate's opening needs no lane; a gate that is open from the beginning has opened")
    func opening() async throws {
        let gate = gate(["a", "b"])
        var graph = OperationGraph("opening")
        graph.add("after", after: graph.wait(for: gate)) {}
        graph.add("meets") { launch in
            gate.meet("a")
            try await launch.sleep(for: .seconds(2))
            gate.meet("b")
        }
        graph.wait(for: self.gate([]), id: "open", after: "meets", "after")
        graph.wait(for: self.gate(["a"]), id: "shut", .timeout(.seconds(3)), .onFailure(.continue), after: "open")
        let report = try await graph.run(options: LaunchOptions(lanes: 1, clock: VirtualClock())).report
        #expect(report.outcome == .completed && report["test"]?.end == .seconds(2))
        #expect(report["open"]?.end == .seconds(2))
        #expect(report["shut"]?.outcome == .timedOut && report["shut"]?.end == .seconds(5))
    }

    @Test("a handler of a gate that goes without having opened is not called")
    func gone() {
        let calls = Locked(0)
        func make() {
            let gate = self.gate(["a"])
            gate.whenOpen { calls.withLock { $0 += 1 } }
        }
        make()
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("B46: a bypassed condition counts as met, whatever is said of it later, and says why")
    func bypass() {
        let gate = gate(["a", "b"])
        #expect(gate.bypass("a", because: "nobody needs it") == .made)
        #expect(gate.set("a", to: false) == .bypassed)
        #expect(gate.conditions[0].source == "a bypass, for nobody needs it")
        #expect(gate.meet("b") == .opened)
    }

    @Test("B46: a stream that fed a condition is no longer read once that is bypassed")
    func bypassedStream() async {
        let gate = gate(["a", "b"])
        let (values, value) = AsyncStream.makeStream(of: Bool.self)
        let task = gate.follow("a", values) { $0 }
        gate.bypass("a", because: "nobody needs it")
        value.yield(false)
        await task.value
        // The stream goes on: nobody has ended it.
        #expect(gate.conditions[0].isMet && !gate.conditions[0].hasSourceEnded && !gate.isOpen)
        value.finish()
    }

    @Test("an unknown condition is named in the diagnosis, with the nearest one")
    func unknown() {
        let gate = gate(["configuration"]) { .zero }
        #expect(gate.meet("configuraton") == .unknown)
        #expect(gate.diagnosis.hasSuffix("; it has no condition configuraton, did you mean configuration?"))
        let diagnosis = gate.diagnosis
        for _ in 0..<100 { gate.meet("configuraton") }
        #expect(gate.diagnosis.count == diagnosis.count)
        for number in 0..<1000 { gate.meet(ConditionName(stringLiteral: "typo \(number)")) }
        #expect(gate.diagnosis.count < diagnosis.count + 1000)
    }

    @Test("a gate whose conditions are all met by default, or that has none, is open")
    func openFromTheBeginning() {
        #expect(gate([]).isOpen)
        #expect(ReadinessGate("x", [GateCondition("a", setBy: "", because: "", isMetByDefault: true)]).isOpen)
    }
}

func everyOrder<Element>(_ elements: [Element]) -> [[Element]] {
    guard let first = elements.first else { return [[]] }
    return everyOrder(Array(elements.dropFirst())).flatMap { rest in
        (0...rest.count).map { position in
            var order = rest
            order.insert(first, at: position)
            return order
        }
    }
}
