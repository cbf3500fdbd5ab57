import Sequencer
import Testing

@testable import StartupOps

/// Runs one operation as a launch of its own, in virtual time, and gives what became of it and what it produced.
func runAlone<Value: Sendable>(
    _ id: String = "operation",
    _ options: StepOption...,
    fallback: Fallback<Value>? = nil,
    body: @escaping @Sendable (Launch) async throws -> Value
) async throws -> (report: OperationReport, value: Value?) {
    var graph = OperationGraph("alone")
    let step = graph.add(id, .all(options), fallback: fallback) { launch in try await body(launch) }
    let sequencer = Sequencer(graph, options: LaunchOptions(clock: VirtualClock(patience: .seconds(20))))
    let report = try await sequencer.run()
    return (try #require(report[id]), try sequencer.value(of: step))
}

/// A request that found no server.
let unreachable = NetworkError(.unreachable, request: "GET example.invalid/v1", "connection refused")
