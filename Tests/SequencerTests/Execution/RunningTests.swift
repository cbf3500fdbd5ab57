import Foundation
import Testing

@testable import Sequencer

@Suite("Running a launch", .timeLimit(.minutes(1)))
struct RunningTests {
    private func options(lanes: Int? = nil, deadline: Duration? = nil) -> LaunchOptions {
        LaunchOptions(lanes: lanes, deadline: deadline, clock: VirtualClock(), seed: 1)
    }

    @Test("values flow from a step to the steps that read them")
    func values() async throws {
        var graph = OperationGraph("values")
        let country = graph.add("country") { "CH" }
        let token = graph.add("token") { await Task { 42 }.value }
        let session = graph.add("session", using: country, token) { country, token in "\(country)-\(token)" }
        graph.add("main-app", .milestone, using: session, on: .main) { session in
            dispatchPrecondition(condition: .onQueue(.main))
            #expect(session == "CH-42")
        }
        let sequencer = Sequencer(graph)
        let report = try await sequencer.run()
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.succeeded, .succeeded, .succeeded, .succeeded])
        #expect(try sequencer.value(of: session) == "CH-42")
    }

    @Test("independent steps run at the same time, in virtual time to the nanosecond")
    func parallel() async throws {
        var graph = OperationGraph("parallel")
        let splash = graph.add("splash") { launch in try await launch.sleep(for: .milliseconds(400)) }
        let update = graph.add("force-update") { launch in try await launch.sleep(for: .milliseconds(300)) }
        let login = graph.add("login", after: splash) { launch in try await launch.sleep(for: .milliseconds(700)) }
        graph.add("main-app", .milestone, after: login, update, on: .main) { launch in try await launch.sleep(for: .milliseconds(100)) }
        let report = try await Sequencer(graph, options: options()).run()
        #expect(report.makespan == .milliseconds(1200))
        #expect(report.criticalPath == ["splash", "login", "main-app"])
        #expect(report["force-update"]?.slack == .milliseconds(800))
        #expect(report["login"]?.start == .milliseconds(400))
        #expect(report["splash"]?.lane == 1)
        #expect(report["force-update"]?.lane == 2)
        #expect(report["main-app"]?.lane == nil)
        #expect(report.budget.isMet)
    }
}
