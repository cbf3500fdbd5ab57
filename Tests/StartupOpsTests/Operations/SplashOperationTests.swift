import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("The splash", .serialized, .timeLimit(.minutes(10)))
struct SplashOperationTests {
    private func run(_ person: FakePerson?, minimum: Duration = .zero, lifecycle: AppLifecycle = AppLifecycle()) async throws
        -> OperationReport
    {
        let operation = SplashOperation(presenter: person, minimum: minimum, stage: Stage(), lifecycle: lifecycle)
        return try await runAlone("splash") { launch in try await operation.run(in: launch) }.report
    }

    @Test("A13, B38: a splash that stands still is over after its minimum time; an app without one has nothing to wait for")
    func still() async throws {
        let report = try await run(FakePerson(), minimum: .milliseconds(400))
        #expect(report.outcome == .succeeded && report.duration == .milliseconds(400))
        #expect(try await run(nil, minimum: .seconds(9)).duration == .zero)
    }

    @Test("A13, B39, E10: a splash of its own is over when it says so, and its minimum time is over too")
    func controlled() async throws {
        let end = Gate()
        let person = FakePerson(splashEnd: end)
        let running = Task { try await run(person) }
        while !person.shown.withLock({ $0.contains("splash") }) { await Task.yield() }
        end.open()
        #expect(try await running.value.outcome == .succeeded)
    }

    @Test("B40: the splash is over when the app goes to the background, and the report says so")
    func backgrounded() async throws {
        let end = Gate()
        let lifecycle = AppLifecycle()
        let person = FakePerson(splashEnd: end)
        let running = Task { try await run(person, lifecycle: lifecycle) }
        while !person.shown.withLock({ $0.contains("splash") }) { await Task.yield() }
        lifecycle.send(.didEnterBackground)
        let report = try await running.value
        #expect(report.notes == ["the app went to the background: the rest of the splash was left out"])
    }
}
