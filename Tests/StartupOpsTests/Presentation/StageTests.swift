import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

@Suite("The stage", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct StageTests {
    /// Somebody presents, until the gate is open.
    private func show(on stage: Stage) async -> (showing: Task<Void, any Error>, until: Gate) {
        let (begun, end) = (Gate(), Gate())
        let showing = Task {
            try await stage.present(by: "splash") {
                begun.open()
                await end.wait()
            }
        }
        await begun.wait()
        return (showing, end)
    }

    @Test("fault O18: who asks while another one presents waits, and gets its turn in order")
    func turns() async throws {
        let stage = Stage()
        var order: [String] = []
        let (showing, first) = await show(on: stage)
        var later: [Task<Void, any Error>] = []
        for name in ["login", "tutorial", "menu"] {
            later.append(Task { try await stage.present(by: name) { order.append(name) } })
            await eventually { stage.queueLength == later.count }
        }
        #expect(order.isEmpty)
        first.open()
        for task in [showing] + later { try await task.value }
        #expect(order == ["login", "tutorial", "menu"])
    }

    @Test("A11, fault O19: after a takeover nobody presents: who waits is refused, and who comes later, too")
    func takeover() async throws {
        let stage = Stage()
        let (showing, first) = await show(on: stage)
        let waiting = Task { try await stage.present(by: "login") { Issue.record("presented") } }
        await eventually { stage.queueLength == 1 }
        var isShown = false
        await stage.takeOver(by: "force-update") { isShown = true }
        await stage.takeOver(by: "license") { Issue.record("presented") }
        #expect(isShown && stage.isTakenOverBy == "force-update")
        await #expect(throws: PresentationRefused(operation: "login", takenOverBy: "force-update")) { try await waiting.value }
        first.open()
        try await showing.value
        let error = await #expect(throws: PresentationRefused.self) {
            try await stage.present(by: "main-app") { Issue.record("presented") }
        }
        #expect(error?.description == "main-app may not present: force-update has taken over the screen")
    }

    @Test("who is cancelled while waiting leaves the queue, and the others their places")
    func cancelled() async throws {
        let stage = Stage()
        let (showing, first) = await show(on: stage)
        let impatient = Task { try await stage.present(by: "login") { Issue.record("presented") } }
        await eventually { stage.queueLength == 1 }
        var isShown = false
        let patient = Task { try await stage.present(by: "menu") { isShown = true } }
        await eventually { stage.queueLength == 2 }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        first.open()
        try await showing.value
        try await patient.value
        #expect(isShown)
    }

    @Test("F15: the screen on top is that of who presents; then the one that stayed under it, such as the splash, then the main screen's")
    func top() async throws {
        let stage = Stage()
        #expect(stage.top == nil)
        try await stage.present(by: "splash", stays: true) { #expect(stage.top == "splash") }
        #expect(stage.top == "splash")
        let (begun, end) = (Gate(), Gate())
        let asking = Task {
            try await stage.present(by: "login") {
                begun.open()
                await end.wait()
            }
        }
        await begun.wait()
        let main = Task { try await stage.present(by: "main-app", stays: true) { #expect(stage.top == "main-app") } }
        await eventually { stage.queueLength == 1 }
        #expect(stage.top == "login")
        end.open()
        try await asking.value
        try await main.value
        #expect(stage.top == "main-app")
        await stage.takeOver(by: "force-update") { #expect(stage.top == "force-update") }
        await #expect(throws: PresentationRefused.self) { try await stage.present(by: "main-app", stays: true) {} }
        #expect(stage.top == "force-update")
    }

    @Test("a screen that fails gives the stage on")
    func failing() async throws {
        let stage = Stage()
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await stage.present(by: "login") { throw Failure() } }
        #expect(try await stage.present(by: "menu") { true })
    }

    @Test("fault O18: who asks just as the stage becomes free gets it: nobody waits for a turn that has passed")
    nonisolated func noTurnIsLost() async throws {
        for round in 0..<Nightly.times(day: 100, night: 500) {
            let stage = Stage()
            var graph = OperationGraph("turns")
            for number in 0..<3 {
                graph.add("step-\(number)", .timeout(.seconds(20))) { launch in
                    for _ in 0..<(round + number) % 4 { await Task.yield() }
                    try await stage.present(by: launch.operation) {}
                }
            }
            let clock = VirtualClock(patience: .seconds(300))
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: clock)).report
            try #require(report.outcome == .completed, "round \(round): \(report.outcome)")
        }
    }
}
