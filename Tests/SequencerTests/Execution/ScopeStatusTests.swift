import TestSupport
import Testing

@testable import Sequencer

@Suite("The status of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScopeStatusTests {
    @Test("the status of a launch has the scopes that go on, each with what it waits for; a stall names the scope")
    func status() async throws {
        let (box, seen) = (LaunchBox(), Locked<LaunchStatus?>(nil))
        var inner = OperationGraph("account")
        inner.add("sync") { step in try await step.sleep(for: .seconds(20)) }
        let account = inner
        var outer = OperationGraph("window")
        outer.add("open") { step in
            try step.addScope("account", account)
            try await step.sleep(for: .seconds(1))
            let status = try await box.launch().status
            seen.withLock { $0 = status }
            try await step.sleep(for: .seconds(1))
        }
        let window = outer
        var graph = OperationGraph("app")
        graph.add("restore") { step in
            try await step.sleep(for: .seconds(1))
            try step.addScope("window-2", window)
        }
        let stalls = Locked<[LaunchStatus]>([])
        var options = LaunchOptions.virtual()
        options.stallWatch = StallWatch(after: .seconds(5)) { status in stalls.withLock { $0.append(status) } }
        let launch = try await box.run(graph, options: options)

        let status = try #require(seen.withLock { $0 })
        #expect(status.operations.isEmpty && status.scope == nil && status.scopes.map(\.scope) == ["window-2"])
        #expect(status.scopes.first?.operations.map(\.id) == ["open"])
        #expect(status.scopes.first?.scopes.map(\.scope) == ["window-2/account"])
        let lines = status.description.split(separator: "\n")
        #expect(lines.count == 5 && lines.first?.hasPrefix("app: all ") == true, "\(status)")
        #expect(lines.dropFirst().first == "scope window-2 after 1 s: 1 of 1 operations have not ended")
        #expect(lines.dropFirst(3).first == "scope window-2/account after 1 s: 1 of 1 operations have not ended")

        #expect(stalls.withLock { $0.map(\.scope) } == ["window-2/account"])
        #expect(stalls.withLock { $0.first?.description.hasPrefix("scope window-2/account after 5 s: ") } == true)
        #expect(launch.report.outcome == .completed)
    }
}
