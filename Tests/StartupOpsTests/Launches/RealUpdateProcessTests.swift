import Foundation
import SequencerTesting
import StartupSamples
import TestSupport
import Testing

@testable import StartupOps

/// Launches of a version that has to be updated, each in a process that ends with its launch: nobody sees what would come later.
@Suite("A required update, in processes that end", .serialized, .timeLimit(.minutes(30)), .real)
struct RealUpdateProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "a check that reads the oldest version from the configuration finds it, though every launch before was killed in its main screen",
        arguments: Nightly.cases([4, 5, 6, 8], each: 4)
    )
    func killedInMain(demandedFrom first: Int) async throws {
        let path = folder("app").path
        for number in 1...(first + Nightly.times(day: 1, night: 4)) {
            let ending: ExitTest.Condition = number < first ? .signal(SIGKILL) : .exitCode(UpdatedApp.isUpdated)
            await #expect(processExitsWith: ending, "launch \(number)") {
                [path = path as String, isDemanded = (number >= first) as Bool] in
                try await UpdatedApp.readConfiguration(at: path, isDemanded: isDemanded)
            }
        }
        let launches = LaunchJournal.launches(in: URL(fileURLWithPath: path))
        let levels: [RecoveryLevel] = [.normal, .normal, .normal, .withoutTrialConfiguration, .withoutCaches, .minimal]
        #expect(launches.reversed().prefix(min(first, levels.count)).map(\.recovery.level) == Array(levels.prefix(first)))
    }

    /// Each step of each scenario.
    private static let steps = Scenario.all.flatMap { scenario in
        ((try? OutdatedApp.steps(of: scenario)) ?? []).map { "\(scenario.name) \($0)" }
    }

    @Test(
        "whichever step fails at once, the launch ends with the update's screen",
        arguments: Nightly.cases(steps, each: 30),
        [false, true]
    )
    func failsFirst(step: String, isStored: Bool) async {
        await #expect(processExitsWith: .exitCode(UpdatedApp.isUpdated)) { [step = step as String, isStored = isStored as Bool] in
            let names = step.split(separator: " ").map(String.init)
            try await UpdatedApp.launch(names[0], failing: names[1], isStored: isStored)
        }
    }

    @Test(
        "a process that is older than its launch, or than any launch, does not lead past the update",
        arguments: Nightly.cases([0, 4, 21], each: 3)
    )
    func oldProcess(age: Int) async {
        await #expect(processExitsWith: .exitCode(UpdatedApp.isUpdated)) { [age = age as Int] in
            try await Task.sleep(for: .seconds(age))
            // All of it is spent before the launch.
            let budget = Budget(age > 20 ? .seconds(3) : .milliseconds(1), fromProcessStart: true)
            try await UpdatedApp.launch("regular", budget: budget, isEarly: age > 20)
        }
    }
}

/// What the processes do.
private enum UpdatedApp {
    /// How a process exits whose launch has ended with the update's screen.
    static let isUpdated: Int32 = 6

    /// Launches an app whose check goes by its configuration, and which dies in its main screen.
    static func readConfiguration(at path: String, isDemanded: Bool) async throws -> Never {
        let journal = LaunchJournal.open(in: .open(at: URL(fileURLWithPath: path)), version: "1")
        let isShown = Locked(false)
        var graph = OperationGraph("regular")
        let oldest = graph.add("fetch-config", fallback: 1) { isDemanded ? 2 : 1 }
        graph.add("force-update", .essential, .onFailure(.continue), using: oldest) { step, oldest in
            if oldest > 1 { step.abort(.forceUpdate) { isShown.withLock { $0 = true } } }
        }
        graph.add("main-app", .milestone, using: oldest, after: "force-update", on: .main) { _ in killThisProcess() }
        journal.prepare(&graph)
        _ = try await journal.run(graph)
        exit(isShown.withLock { $0 } ? isUpdated : 1)
    }

    /// Launches an app that has to be updated.
    ///
    /// - Parameters:
    ///   - step: the step that fails; nil for none.
    ///   - isStored: whether that is known of an earlier launch, and the service does not answer.
    ///   - isEarly: whether the report has to say that the process was older than any launch.
    static func launch(
        _ scenario: String,
        failing step: String? = nil,
        isStored: Bool = false,
        budget: Budget = .seconds(3),
        isEarly: Bool = false
    ) async throws -> Never {
        let app = try OutdatedApp(try #require(Scenario.named(scenario)), isStored: isStored) {
            try await Task.sleep(for: .milliseconds(100))
        }
        let graph = try app.graph(failing: step)
        let report = try await MainActor.run { try graph.start(budget: budget) }.end().report
        exit(app.isUpdated && (report.processStart != nil) == isEarly ? isUpdated : 1)
    }
}
