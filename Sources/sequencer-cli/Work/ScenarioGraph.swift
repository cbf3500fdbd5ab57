import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import StartupStorage

/// Makes the graph of a scenario file.
extension ScenarioDocument {
    /// - Parameter clock: in virtual time, work that would take real time waits for as long instead.
    func graph(clock: ClockMode) -> OperationGraph {
        var graph = OperationGraph(name)
        graph.reserveCapacity(operations.count)
        // Limits first: operations refer to resources by name.
        for (resource, limit) in resources { graph.limit(ExclusiveResource(resource), to: limit) }
        let edges = ScenarioEdges(self)
        for operation in operations {
            var displays: [StepOption] = []
            if operation.id == milestone { displays.append(.milestone) }
            if operation.id == initialDisplay { displays.append(.initialDisplay) }
            operation.add(to: &graph, clock: clock, runs: runs(operation), edges, displays)
        }
        for operation in operations { if let steps = operation.heldOver { graph.hold(operation.id, over: steps) } }
        return graph
    }
}

/// The dependencies of a scenario, as a graph has them: there, the effect of a failure is a matter of the operation
/// that fails, and what needs the result of one that continues without it is skipped.
private struct ScenarioEdges {
    /// All identifiers.
    private let identifiers: Set<String>
    /// Operations whose failure skips some of those that wait for them, and not others.
    private let mixed: Set<String>
    /// Operations whose condition is false: these do not fail.
    private let absent: Set<String>

    init(_ document: ScenarioDocument) {
        let operations = document.operations
        identifiers = Set(operations.lazy.map(\.id))
        absent = Set(operations.lazy.filter { !document.runs($0) }.map(\.id))
        let continued = Set(operations.lazy.flatMap(\.after).filter { $0.onFailure == .continue }.map(\.id))
        mixed = Set(operations.lazy.filter { $0.onFailure == .skipDependents && continued.contains($0.id) }.map(\.id))
    }

    /// The dependencies of an operation.
    func dependencies(of operation: OperationDocument) -> [NamedDependency] {
        operation.after.compactMap { dependency in
            if dependency.isOptional, !identifiers.contains(dependency.id) { return nil }
            let isSkipped = dependency.onFailure == .skip || dependency.onFailure == nil && mixed.contains(dependency.id)
            // A skipped operation does not fail, so its dependents must not be skipped because they need its result.
            return NamedDependency(dependency.id, needsValue: isSkipped && !absent.contains(dependency.id))
        }
    }

    func policy(of operation: OperationDocument) -> FailurePolicy {
        // The failing operation continues for those that may, and each of the others says that it needs its result.
        mixed.contains(operation.id) ? .continue : operation.onFailure
    }
}

extension OperationDocument {
    fileprivate func add(
        to graph: inout OperationGraph,
        clock: ClockMode,
        runs: Bool,
        _ edges: ScenarioEdges,
        _ displays: [StepOption]
    ) {
        let after = edges.dependencies(of: self)
        let options = StepOption.all(options(runs: runs, edges.policy(of: self)) + displays)
        if onMain {
            graph.add(id, options, after: after, on: .main, fallback: fallback) { launch in try await perform(in: launch, clock: clock) }
        } else if work == .none, fallback == nil {
            graph.join(id, options, after: after)
        } else if work.computes, clock == .wall {
            // Not async: a step that computes must not hold a thread of the cooperative pool (O8).
            graph.add(id, options, after: after, fallback: fallback) { launch in
                try burnProcessorTime(work.knownDuration ?? expected ?? .zero, in: launch)
                return ""
            }
        } else {
            graph.add(id, options, after: after, fallback: fallback) { launch in try await perform(in: launch, clock: clock) }
        }
    }

    /// Does the work. Where it is an answer that is waited for, the operation's timeout stands still meanwhile, as it
    /// does for code that asks.
    ///
    /// - Returns: the output of a command; an empty text for other work.
    private nonisolated(nonsending) func perform(in launch: StepContext, clock: ClockMode) async throws -> String {
        guard isAnswer else { return try await work.perform(in: launch, clock: clock, expected: expected) }
        return try await launch.waitForPerson { try await work.perform(in: launch, clock: clock, expected: expected) }
    }

    /// Whether the work stands for the user's answer: not that of a program or a server, nor the time that an operation
    /// is expected to take without the user.
    private var isAnswer: Bool {
        switch work {
        case .simulate, .expected(keepsThread: false): interactive && !expectsOwnTime
        case .compute, .command, .http, .expected, .none: false
        }
    }

    private static let qualities: [QualityDocument: QualityOfService] = [
        .userInteractive: .userInteractive, .userInitiated: .userInitiated, .utility: .utility, .background: .background,
    ]

    private func options(runs: Bool, _ policy: FailurePolicy) -> [StepOption] {
        var options: [StepOption] = []
        if let title { options.append(.title(title)) }
        if let timeout { options.append(.timeout(timeout)) }
        if let delay { options.append(.delay(delay)) }
        // On the main thread, or with a fallback, one without work is a step of its own: it takes no time either.
        if let expected = isWorkless ? Duration.zero : expected ?? work.knownDuration { options.append(.expected(expected)) }
        if expectsOwnTime { options.append(.expectsOwnTime) }
        if let retry { options.append(.retry(retry) { [finalStatuses] in status(of: $0).map(finalStatuses.contains) ?? false }) }
        // Comes after the expected duration: an absent operation takes no time, or the plan would wait for it.
        if when != nil || !conditions.isEmpty { options.append(runs ? .when { true } : .switchedOff) }
        // A plan has to be told: nobody sees in a closure whether it suspends.
        if onMain || work.computes { options.append(.suspends(!work.computes)) }
        if let qos { options.append(.qualityOfService(Self.qualities[qos] ?? .default)) }
        options += exclusive.map { .exclusive(ExclusiveResource($0)) }
        options += exclusiveOfProcess.map { .exclusive(ExclusiveResource($0).ofProcess) }
        if asksPerson { options.append(.interactive) }
        if deferrable { options.append(.deferrable) }
        if always { options.append(.always) }
        if cancellationShield { options.append(.cancellationShield) }
        if let firstOf { options.append(.first(of: firstOf)) }
        if cuttable { options.append(.cuttable) }
        if policy != .required { options.append(.onFailure(policy)) }
        return options
    }
}

extension WorkDocument {
    /// How long the work takes, where the file says so.
    var knownDuration: Duration? {
        switch self {
        case .simulate(let duration), .compute(let duration): duration
        case .command, .http, .expected, .none: nil
        }
    }

    /// Whether it keeps its thread for all of its time.
    fileprivate var computes: Bool {
        switch self {
        case .compute, .expected(keepsThread: true): true
        case .simulate, .command, .http, .expected, .none: false
        }
    }

    /// Does the work.
    ///
    /// - Returns: the output of a command; an empty text for other work.
    fileprivate nonisolated(nonsending) func perform(in launch: StepContext, clock: ClockMode, expected: Duration?) async throws -> String {
        let duration = knownDuration ?? expected ?? .zero
        switch (self, clock) {
        case (.none, _): break
        case (.command(let command), .wall): return try await ChildProcess(command).run(launch.addProcessorTime)
        case (.http(let request), .wall): return try await request.fetch(by: launch.deadline)
        case (_, .wall) where computes: try burnProcessorTime(duration, in: launch)
        // In virtual time a computation is a wait that keeps its processor.
        case _ where computes: try await launch.compute(for: duration)
        case _: try await launch.sleep(for: duration)
        }
        return ""
    }
}

/// The status that a command, or a server, has failed with; nil for another error.
private func status(of error: any Error) -> Int? {
    if case .status(let status)? = (error as? ChildProcessError)?.reason { return Int(status) }
    return (error as? NetworkError)?.status
}

/// Keeps the calling thread's processor busy until it has spent `duration` of processor time.
func burnProcessorTime(_ duration: Duration, in launch: StepContext) throws {
    let end = processorTime() + duration
    // A loop that the compiler cannot take out: its value is used behind it.
    var value: UInt64 = 1
    while processorTime() < end {
        // Between two looks at the clock: for the time of a thread that is a system call.
        for _ in 0..<10_000 { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        try launch.checkCancellation()
    }
    withExtendedLifetime(value) {}
}

/// The processor time that the calling thread has spent.
private func processorTime() -> Duration {
    var time = timespec()
    // The thread's own time: what other processes take of the processor does not count.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}

extension HTTPRequest {
    /// Makes a single attempt: the operation decides how often to try again.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        // The operation's own retries decide; the client's would multiply with them.
        configuration.retry = .never
        return HTTPClient(configuration)
    }()

    /// Fetches, with the real client.
    ///
    /// - Returns: the status and the size of the answer, in a few words.
    /// - Throws: a ``NetworkError``, also for a status outside 200 to 299.
    func fetch(by deadline: Deadline) async throws -> String {
        // A status outside 200 to 299 fails the operation.
        let response = try await Self.client.send(self, deadline: deadline).checked(for: self)
        return "status \(response.status), \(response.body.count) bytes"
    }
}
