import Sequencer
import ServiceLifecycle

/// The launch as a service: it runs once the server listens, and stays until the group shuts down.
///
/// A graceful shutdown while the launch runs cancels it. A launch that fails makes the service throw ``StartupError``, which ends the group.
struct LaunchService: Service {
    let graph: OperationGraph
    let budget: Budget?
    let options: LaunchOptions
    let readiness: Readiness
    /// Has one element, once the server listens.
    let listening: AsyncStream<Void>
    let listeningEnds: AsyncStream<Void>.Continuation
    let linger: Duration
    let announce: @Sendable (String) -> Void

    func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            guard await listening.first(where: { true }) != nil else { return }
            let launch = try graph.start(budget: budget, options: options)
            // Cancels it, if a shutdown has come meanwhile; one that comes later does so too.
            readiness.begin(launch)
            let report = await launch.end().report
            readiness.end(report)
            try await goOn(after: report)
        } onCancelOrGracefulShutdown: {
            listeningEnds.finish()
            readiness.stop()
        }
    }

    private func goOn(after report: LaunchReport) async throws {
        switch report.outcome {
        case .completed:
            for operation in report.operations where operation.outcome != .succeeded {
                announce("\(operation.id): \(operation.message ?? operation.outcome.rawValue)")
            }
            if !report.budget.isMet { announce("start-up over budget: \(report.budget)") }
            announce("ready")
            try await gracefulShutdown()
        case .cancelled:
            let ended = report.operations.filter { $0.outcome == .cancelled }.map(\.id)
            announce("start-up cancelled: \(ended.joined(separator: ", ")) had not ended")
        case .failed(let operation, let message):
            announce("start-up failed")
            // Ended early by a shutdown, which is as good.
            if linger > .zero { try? await cancelWhenGracefulShutdown { try await Task.sleep(for: linger) } }
            throw StartupError(operation: operation, message: message)
        case .aborted(let operation, let reason):
            throw StartupError(operation: operation, message: reason.description)
        }
    }
}

/// A start-up that has failed.
struct StartupError: Error, CustomStringConvertible {
    let operation: String
    let message: String

    var description: String { "the start-up failed at \(operation): \(message)" }
}
