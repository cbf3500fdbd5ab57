import Dispatch
import Foundation
import Sequencer
import SequencerTestingCore
import TestSupport
import Testing

/// An actor that has a queue of its own.
private actor Database {
    private final class Queue: SerialExecutor {
        private let queue = DispatchQueue(label: "database")

        func enqueue(_ job: UnownedJob) { queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
    }

    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func open() {}
}

/// Races between steps, found by choosing at each suspension which task goes on.
///
/// `RACE_REPLAYS` sets how often each is replayed, and prints a line for each: `Scripts/check-races` reads them.
@Suite("Interleavings", .serialized, .timeLimit(.minutes(10)), .besideOthers)
struct InterleavingTests {
    private static let replays = ProcessInfo.processInfo.environment["RACE_REPLAYS"].flatMap { Int($0) }

    /// Explores the launch, or the one without the race.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private func explored(_ race: PlantedRace, isIntact: Bool = false, _ count: Int, seed: UInt64 = 0) async throws
        -> InterleavingExploration
    {
        let world = Locked(RaceWorld())
        return try await explore(graph(race, isIntact, world), interleavings: count, seed: seed) { _ in
            try await race.check(world.withLock { $0 })
        }
    }

    private func graph(_ race: PlantedRace, _ isIntact: Bool, _ world: Locked<RaceWorld>) -> OperationGraph {
        let new = RaceWorld()
        world.withLock { $0 = new }
        return race.graph(isIntact, new)
    }

    private func race(_ name: String) throws -> PlantedRace { try #require(PlantedRace.all.first { $0.name == name }) }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("each planted race is found within 1,000 launches, and replayed", arguments: PlantedRace.all)
    func planted(_ race: PlantedRace) async throws {
        let start = ContinuousClock.now
        let exploration = try await explored(race, 1_000)
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        let found = try #require(exploration.race)
        let world = Locked(RaceWorld())
        for _ in 0..<(Self.replays ?? 5) {
            let again = try await explore(graph(race, false, world), replaying: found.interleaving) { _ in
                try await race.check(world.withLock { $0 })
            }
            // The hash of the schedule, too; but other tests keep the main thread busy for longer than a launch waits.
            let isControlled = Self.replays != nil || !race.name.contains("main")
            #expect(isControlled ? again.race == found : again.race?.subject == found.subject)
        }
        guard let replays = Self.replays else { return }
        let hash = String(found.interleaving.hash, radix: 16)
        print("race|\(race.name)|\(hash)|\(exploration.interleavings)|\(Int(milliseconds))|\(replays)")
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("nothing is found in a launch without a race", arguments: PlantedRace.all)
    func intact(_ race: PlantedRace) async throws {
        // 100,000 of all by night.
        let count = Nightly.times(day: 200, night: 5_000)
        let exploration = try await explored(race, isIntact: true, count)
        #expect(exploration.race == nil && exploration.unsteady.isEmpty && exploration.interleavings == count)
        if Self.replays != nil { print("intact|\(race.name)|\(exploration.interleavings)") }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("other seeds find them as well", arguments: 1..<4 as Range<UInt64>)
    func seeds(_ seed: UInt64) async throws {
        for name in ["check then act, actor", "several switches", "late start"] {
            #expect(try await explored(race(name), 1_000, seed: seed).race != nil, "\(name)")
        }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a race is told in one sentence, with the fewest put-offs, by the orders it is not found")
    func sentence() async throws {
        let race = try race("check then act, yield")
        let exploration = try await explored(race, 1_000)
        let found = try #require(exploration.race)
        #expect(found.description == "the check fails when 'login' is put off before its second part: created is 2")
        #expect(found.interleaving.description == "'login' is put off before its second part")
        #expect(exploration == (try await explored(race, 1_000)))
        let world = Locked(RaceWorld())
        let orders = try await explore(graph(race, false, world), orders: 100, oneAtATime: false) { _ in
            try await race.check(world.withLock { $0 })
        }
        #expect(orders.hidden == nil)
        let late = try #require(try await explored(self.race("late start"), 1_000).race)
        let putOffs = [("config", "flags"), ("flags", "config")].map { one, other in
            "'\(one)' is put off before its first part and '\(other)' before its first part"
        }
        #expect(putOffs.contains { late.description == "experiment fails when \($0): no configuration" })
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("parts on the main actor are chosen, too, also for explorations that begin there or beside each other")
    func mainActor() async throws {
        let race = try race("late main actor")
        let sentence = "the check fails when 'show' is put off before its second part: shown late is 1"
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<3 { group.addTask { try await explored(race, 1_000).race?.description } }
            group.addTask { try await exploredOnMain(race) }
            for try await description in group { #expect(description == sentence) }
        }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor private func exploredOnMain(_ race: PlantedRace) async throws -> String? {
        let world = Locked(RaceWorld())
        let exploration = try await explore(graph(race, false, world), interleavings: 1_000) { _ in
            MainActor.preconditionIsolated()
            try await race.check(world.withLock { $0 })
        }
        return exploration.race?.description
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a step that blocks its thread until the main thread has answered goes on; what is chosen is said")
    func blocking() async throws {
        func launch() -> OperationGraph {
            var graph = OperationGraph("launch")
            graph.add("splash", on: .main) { await Task.yield() }
            graph.add("legacy") { DispatchQueue.main.sync {} }
            return graph
        }
        let exploration = try await explore(launch(), interleavings: 3)
        #expect(exploration.race == nil && exploration.interleavings == 3)
        #expect(exploration.notControlled.contains("what Dispatch brings to the main thread (goes on at once)"))
        #expect(exploration.controlled.contains("the main actor"))
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a race between timers is found where they wake late, and replayed", arguments: 0..<4 as Range<UInt64>)
    func jitter(_ seed: UInt64) async throws {
        func launch() -> OperationGraph {
            let isLoaded = Locked(false)
            var graph = OperationGraph("launch")
            graph.add("load") { step in
                try await step.sleep(for: .milliseconds(100))
                isLoaded.withLock { $0 = true }
            }
            graph.add("show") { step in
                try await step.sleep(for: .milliseconds(110))
                if !isLoaded.withLock({ $0 }) { throw RaceFailure("nothing to show") }
            }
            return graph
        }
        let late = Duration.zero ... .milliseconds(20)
        #expect(try await explore(launch(), interleavings: 200, seed: seed).race == nil)
        #expect(try await explore(launch(), interleavings: 200, seed: seed, jitter: .zero ... .milliseconds(9)).race == nil)
        let exploration = try await explore(launch(), interleavings: 200, seed: seed, jitter: late)
        let found = try #require(exploration.race)
        // Nothing else is needed, and nothing else is said.
        #expect(found.description.hasPrefix("show fails when sleepers wake up to 20 ms late (number "), "\(found)")
        #expect(found.description.hasSuffix("): nothing to show"))
        #expect(exploration == (try await explore(launch(), interleavings: 200, seed: seed, jitter: late)))
        for _ in 0..<5 { #expect(try await explore(launch(), replaying: found.interleaving).race == found) }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a race that needs no late clock is told without it")
    func needlessJitter() async throws {
        let race = try race("check then act, yield"), world = Locked(RaceWorld())
        let exploration = try await explore(graph(race, false, world), interleavings: 1_000, jitter: .zero ... .seconds(1)) { _ in
            try await race.check(world.withLock { $0 })
        }
        #expect(exploration.race?.interleaving.description == "'login' is put off before its second part")
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("what is not under control is part of the result: a step that another thread brings back is named")
    func uncontrolled() async throws {
        func launch() -> OperationGraph {
            var graph = OperationGraph("launch")
            graph.add("location") {
                await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
            }
            graph.add("pause") { try await Task.sleep(for: .milliseconds(1)) }
            graph.add("database") { await Database().open() }
            graph.add("config") { await Task.yield() }
            return graph
        }
        let exploration = try await explore(launch(), interleavings: 20)
        #expect(exploration.race == nil)
        let steps = exploration.notControlled.filter { $0.hasPrefix("'") }
        #expect(steps == ["database", "location", "pause"].map { "'\($0)' (goes on from another thread, or blocks its own)" })
        #expect(exploration.controlled.contains("time"))
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a launch that fails in every interleaving is an error; one that is stopped in some is found")
    func outcomes() async throws {
        func failing() -> OperationGraph {
            var graph = OperationGraph("launch")
            graph.add("login") { throw RaceFailure("no token") }
            return graph
        }
        await #expect(throws: FailsInEveryOrder.self) { try await explore(failing(), interleavings: 20) }
        func stopping() -> OperationGraph {
            let isOld = Locked(false)
            var graph = OperationGraph("launch")
            graph.add("version") {
                await Task.yield()
                isOld.withLock { $0 = true }
            }
            graph.add("update") { launch in
                await Task.yield()
                if !isOld.withLock({ $0 }) { launch.abort(.forceUpdate) {} }
            }
            return graph
        }
        let found = try #require(try await explore(stopping(), interleavings: 200).race)
        #expect(found.subject == "the launch")
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a task that waits by yielding does not go on for ever")
    func spinning() async throws {
        func launch() -> OperationGraph {
            let isReady = Locked(false)
            var graph = OperationGraph("launch")
            graph.add("waiting") { while !isReady.withLock({ $0 }) { await Task.yield() } }
            graph.add("ready") {
                await Task.yield()
                isReady.withLock { $0 = true }
            }
            return graph
        }
        #expect(try await explore(launch(), interleavings: 20).race == nil)
    }
}
