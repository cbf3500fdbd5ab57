import SequencerTesting
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// Runs one operation as a launch of its own, in virtual time, and gives what became of it and what it produced.
func runAlone<Value: Sendable>(
    _ id: String = "operation",
    _ options: StepOption...,
    body: @escaping @Sendable (StepContext) async throws -> Value,
    fallback: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
) async throws -> (report: OperationReport, value: Value?) {
    var graph = OperationGraph("alone")
    let step = graph.add(id, .all(options), fallback: nil, body: { launch in try await body(launch) }, fallback: fallback)
    let launch = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(patience: .seconds(300))))
    return (try #require(launch.report[id]), try? launch[step])
}

/// A request that found no server.
let unreachable = NetworkError(.unreachable, request: "GET example.invalid/v1", "connection refused")
