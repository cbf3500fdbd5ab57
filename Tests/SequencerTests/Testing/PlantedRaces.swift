import Sequencer
import Testing

/// A race planted into the steps of a launch, and the same launch without it.
struct PlantedRace: Sendable, CustomTestStringConvertible {
    let name: String
    let graph: @Sendable (_ isIntact: Bool, _ world: RaceWorld) -> OperationGraph
    let check: @Sendable (RaceWorld) async throws -> Void

    var testDescription: String { name }
}

struct RaceFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What the steps of one launch share.
final class RaceWorld: Sendable {
    let box = RaceBox()
    let values = Locked<[String: Int]>([:])
    func count(_ key: String) -> Int { values.withLock { $0[key] ?? 0 } }
    func add(_ key: String, _ number: Int = 1) { values.withLock { $0[key, default: 0] += number } }
    func set(_ key: String, _ number: Int) { values.withLock { $0[key] = number } }
    func expect(_ key: String, _ number: Int) throws {
        if count(key) != number { throw RaceFailure("\(key) is \(count(key))") }
    }
}

actor RaceBox {
    private(set) var values: [String: Int] = [:]
    private var refresh: Task<Int, Never>?
    private(set) var log: [String] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func get(_ key: String) -> Int? { values[key] }
    func set(_ key: String, _ value: Int?) { values[key] = value }
    func add(_ key: String, _ number: Int = 1) { values[key, default: 0] += number }
    func createIfMissing(_ key: String) {
        if values[key] == nil { values[key] = 1; values["created", default: 0] += 1 }
    }

    /// Re-entrant: another call may come in at the await.
    func withdraw(_ amount: Int, from other: RaceBox) async {
        guard values["money", default: 0] >= amount else { return }
        await other.add("audits")
        values["money", default: 0] -= amount
    }
    func withdrawAtOnce(_ amount: Int, from other: RaceBox) async {
        guard values["money", default: 0] >= amount else { return }
        values["money", default: 0] -= amount
        await other.add("audits")
    }

    func token(single: Bool, from server: RaceBox) async -> Int {
        if let token = values["token"] { return token }
        if single, let refresh { return await refresh.value }
        let task = Task {
            await server.add("requests")
            values["refreshes", default: 0] += 1
            return 7
        }
        if single { refresh = task }
        let token = await task.value
        values["token"] = token
        return token
    }
    func append(_ line: String) { log.append(line) }
}

@MainActor final class RaceScreen {
    let world: RaceWorld
    nonisolated init(_ world: RaceWorld) { self.world = world }
    func show() async {
        await Task.yield()
        world.values.withLock { if $0["hidden"] != 1 { $0["shown"] = 1 } }
    }
    func hide() async {
        world.set("shown", 0)
        await Task.yield()
        world.set("hidden", 1)
    }
}

extension PlantedRace {
    /// How each can go wrong stands above it; it is found by the plainest launch in which it does.
    static let all: [PlantedRace] = [
        // Both may have looked before either has stored: nothing orders them.
        PlantedRace(name: "check then act, yield") { isIntact, world in
            var graph = OperationGraph("launch")
            for id in ["login", "images"] {
                graph.add(id) {
                    if isIntact {
                        if world.values.withLock({
                            let old = $0["token"]; $0["token"] = 1; return old == nil
                        }) {
                            world.add("created")
                        }; return
                    }
                    let token = world.count("token")
                    await Task.yield()
                    if token == 0 { world.set("token", 1); world.add("created") }
                }
            }
            return graph
        } check: {
            try $0.expect("created", 1)
        },
        // Each call of the actor is whole, the two together are not: the other step may call in between.
        PlantedRace(name: "check then act, actor") { isIntact, world in
            var graph = OperationGraph("launch")
            for id in ["login", "images"] {
                graph.add(id) {
                    if isIntact { await world.box.createIfMissing("token"); return }
                    if await world.box.get("token") == nil {
                        await world.box.set("token", 1)
                        await world.box.add("created")
                    }
                }
            }
            return graph
        } check: {
            if await $0.box.get("created") != 1 { throw RaceFailure("two tokens") }
        },
        // Two may read the same sum, and one of their additions is overwritten.
        PlantedRace(name: "lost update") { isIntact, world in
            var graph = OperationGraph("launch")
            for id in ["a", "b", "c"] {
                graph.add(id) {
                    if isIntact { await world.box.add("sum"); return }
                    let sum = await world.box.get("sum") ?? 0
                    await world.box.set("sum", sum + 1)
                }
            }
            return graph
        } check: {
            if await $0.box.get("sum") != 3 { throw RaceFailure("an update is lost") }
        },
        // The second call comes into the actor while the first one waits for the server, and finds no token yet.
        PlantedRace(name: "two refreshes") { isIntact, world in
            let server = RaceBox()
            var graph = OperationGraph("launch")
            for id in ["profile", "feed"] {
                graph.add(id) { _ = await world.box.token(single: isIntact, from: server) }
            }
            return graph
        } check: {
            if await $0.box.get("refreshes") != 1 { throw RaceFailure("refreshed twice") }
        },
        // The upload has seen that it is not cancelled, and is cancelled before it says that it has ended.
        PlantedRace(name: "finish against cancel") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("upload") {
                await Task.yield()
                if isIntact { world.values.withLock { if $0["state"] == nil { $0["state"] = 1 } }; return }
                if world.count("state") == 0 { await Task.yield(); world.set("state", 1); world.add("ends") }
            }
            graph.add("cancel") {
                await Task.yield()
                if isIntact { world.values.withLock { if $0["state"] == nil { $0["state"] = 2 } }; world.set("ends", 1); return }
                if world.count("state") == 0 { world.set("state", 2); world.add("ends") }
            }
            return graph
        } check: {
            try $0.expect("ends", 1)
        },
        // Both have counted themselves before either looks whether it is the last.
        PlantedRace(name: "gate opened twice") { isIntact, world in
            var graph = OperationGraph("launch")
            for id in ["config", "consent"] {
                graph.add(id) {
                    if isIntact {
                        if world.values.withLock({
                            $0["done", default: 0] += 1; return $0["done"] == 2
                        }) {
                            world.add("opened")
                        }
                        return
                    }
                    world.add("done")
                    await Task.yield()
                    if world.count("done") == 2 { world.add("opened") }
                }
            }
            return graph
        } check: {
            try $0.expect("opened", 1)
        },
        // The post may come before anybody listens.
        PlantedRace(name: "event before its waiter") { isIntact, world in
            var graph = OperationGraph("launch")
            let listen = graph.add("listen") {
                await Task.yield()
                world.set("listens", 1)
            }
            graph.add("post", after: isIntact ? [listen.id] : []) {
                await Task.yield()
                await Task.yield()
                if world.count("listens") == 1 { world.set("heard", 1) }
            }
            return graph
        } check: {
            try $0.expect("heard", 1)
        },
        // Both pass the guard, since the actor lets the second call in while the first one awaits the audit.
        PlantedRace(name: "actor re-entrance") { isIntact, world in
            let other = RaceBox()
            var graph = OperationGraph("launch")
            let fill = graph.add("fill") { await world.box.set("money", 100) }
            for id in ["a", "b"] {
                graph.add(id, after: fill) {
                    if isIntact { return await world.box.withdrawAtOnce(80, from: other) }
                    await world.box.withdraw(80, from: other)
                }
            }
            return graph
        } check: {
            if await $0.box.get("money") != 20 { throw RaceFailure("overdrawn") }
        },
        // The reset may come after what was restored.
        PlantedRace(name: "value after its reset") { isIntact, world in
            var graph = OperationGraph("launch")
            let reset = graph.add("reset") {
                await Task.yield()
                await world.box.set("user", nil)
            }
            graph.add("restore", after: isIntact ? [reset.id] : []) {
                await Task.yield()
                await Task.yield()
                await world.box.set("user", 5)
            }
            return graph
        } check: {
            if await $0.box.get("user") != 5 { throw RaceFailure("no user") }
        },
        // Each writes back what it has read, and may have read before the other has written.
        PlantedRace(name: "dictionary filled by two") { isIntact, world in
            var graph = OperationGraph("launch")
            for id in ["a", "b"] {
                graph.add(id) {
                    if isIntact { await world.box.add(id); return }
                    var all = await world.box.values
                    all[id] = 1
                    for (key, value) in all { await world.box.set(key, value) }
                    let copy = all
                    world.values.withLock { $0 = copy }
                }
            }
            if isIntact {
                graph.add("end", after: "a", "b") {
                    let all = await world.box.values; world.values.withLock { $0 = all }
                }
            }
            return graph
        } check: {
            if $0.values.withLock({ $0.count }) != 2 { throw RaceFailure("an entry is lost") }
        },
        // The main thread may show the screen between the two parts of hiding it.
        PlantedRace(name: "main actor beside async") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("show", on: .main) {
                await Task.yield()
                world.values.withLock { if $0["hidden"] != 1 { $0["shown"] = 1 } }
            }
            graph.add("hide") {
                if isIntact {
                    world.values.withLock {
                        $0["shown"] = 0; $0["hidden"] = 1
                    }; return
                }
                world.set("shown", 0)
                await Task.yield()
                world.set("hidden", 1)
            }
            return graph
        } check: {
            if $0.count("hidden") == 1, $0.count("shown") == 1 { throw RaceFailure("shown though hidden") }
        },
        // The same, by steps that belong nowhere and call the main actor.
        PlantedRace(name: "screen from a step") { isIntact, world in
            let screen = RaceScreen(world)
            var graph = OperationGraph("launch")
            graph.add("show") { await screen.show() }
            graph.add("hide") {
                if isIntact {
                    world.values.withLock {
                        $0["shown"] = 0; $0["hidden"] = 1
                    }
                } else {
                    await screen.hide()
                }
            }
            return graph
        } check: {
            if $0.count("hidden") == 1, $0.count("shown") == 1 { throw RaceFailure("shown though hidden") }
        },
        // The main thread may be busy when the step calls it, and the screen is withdrawn meanwhile.
        PlantedRace(name: "late main actor") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("show") {
                world.set("asked", 1)
                await MainActor.run { if world.count("withdrawn") == 1 { world.set("shown late", 1) } }
            }
            graph.add("withdraw") { if world.count("asked") == 1, !isIntact { world.set("withdrawn", 1) } }
            return graph
        } check: {
            try $0.expect("shown late", 0)
        },
        // The same, by a step of the main thread that awaits an actor.
        PlantedRace(name: "main step over an await") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("show", on: .main) {
                world.set("asked", 1)
                await world.box.add("shows")
                if world.count("withdrawn") == 1 { world.set("shown late", 1) }
            }
            graph.add("draw", on: .main) { await Task.yield() }
            graph.add("withdraw") { if world.count("asked") == 1, !isIntact { world.set("withdrawn", 1) } }
            return graph
        } check: {
            try $0.expect("shown late", 0)
        },
        // The reader may look while the writer is in the middle; only there.
        PlantedRace(name: "narrow window") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("writer") {
                for _ in 0..<6 { await world.box.add("before") }
                if !isIntact { world.set("dirty", 1) }
                await Task.yield()
                world.set("dirty", 0)
                for _ in 0..<6 { await world.box.add("after") }
            }
            graph.add("reader") {
                for _ in 0..<4 { await world.box.add("reads") }
                if world.count("dirty") == 1 { world.set("torn", 1) }
            }
            return graph
        } check: {
            try $0.expect("torn", 0)
        },
        // Nothing waits for the task that fills the cache.
        PlantedRace(name: "task in a step") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("warm") {
                let task = Task {
                    await Task.yield(); world.set("cache", 1)
                }
                if isIntact { await task.value }
            }
            graph.add("use", after: "warm") {
                for _ in 0..<3 { await Task.yield() }
                if world.count("cache") == 0 { throw RaceFailure("the cache is empty") }
            }
            return graph
        } check: { _ in
        },
        // Nor for a detached one.
        PlantedRace(name: "detached task in a step") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("warm") {
                let task = Task.detached { await world.box.set("cache", 1) }
                if isIntact { await task.value }
            }
            graph.add("use", after: "warm") {
                for _ in 0..<3 { await Task.yield() }
                if await world.box.get("cache") == nil { throw RaceFailure("the cache is empty") }
            }
            return graph
        } check: { _ in
        },
        // It needs a, b, a, b, a: four switches.
        PlantedRace(name: "several switches") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("a") {
                world.set("x", 1)
                await Task.yield()
                if world.count("y") == 1 { world.set("z", 1) }
                await Task.yield()
                if world.count("w") == 1, !isIntact { world.set("bad", 1) }
            }
            graph.add("b") {
                if world.count("x") == 1 { world.set("y", 1) }
                await Task.yield()
                if world.count("z") == 1 { world.set("w", 1) }
            }
            return graph
        } check: {
            try $0.expect("bad", 0)
        },
        // The third step may be through before either of the others has begun.
        PlantedRace(name: "late start") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("config") { world.set("config", 1) }
            graph.add("flags") { world.set("flags", 1) }
            graph.add("experiment", after: isIntact ? ["config", "flags"] : []) {
                await Task.yield()
                if world.count("config") == 0, world.count("flags") == 0 { throw RaceFailure("no configuration") }
            }
            return graph
        } check: { _ in
        },
        // Both wake at one moment, in either order.
        PlantedRace(name: "sleepers of one moment") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("fetch") { step in
                try await step.sleep(for: .milliseconds(100))
                world.set("fetched", 1)
            }
            graph.add("show", after: isIntact ? ["fetch"] : []) { step in
                try await step.sleep(for: .milliseconds(100))
                if world.count("fetched") == 0 { throw RaceFailure("nothing to show") }
            }
            return graph
        } check: { _ in
        },
        // The children of one step read and write in turns.
        PlantedRace(name: "child tasks of a step") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("sum") {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            if isIntact { world.add("sum"); return }
                            let sum = world.count("sum")
                            await Task.yield()
                            world.set("sum", sum + 1)
                        }
                    }
                }
            }
            return graph
        } check: {
            try $0.expect("sum", 3)
        },
        // The two that race are two of forty.
        PlantedRace(name: "forty steps") { isIntact, world in
            var graph = OperationGraph("launch")
            for number in 0..<38 {
                graph.add("step \(number)") {
                    await world.box.add("steps"); await Task.yield()
                }
            }
            for id in ["debit", "credit"] {
                graph.add(id) {
                    if isIntact { await world.box.add("balance"); return }
                    let sum = await world.box.get("balance") ?? 0
                    await world.box.set("balance", sum + 1)
                }
            }
            return graph
        } check: {
            if await $0.box.get("balance") != 2 { throw RaceFailure("an update is lost") }
        },
        // The second attempt may come between the word that nothing may be sent any more and the end of the launch.
        PlantedRace(name: "retry beside abort") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("upload", .retry(attempts: 2, backoff: .zero), .onFailure(.continue)) {
                await Task.yield()
                try Task.checkCancellation()
                if world.count("stopped") == 1 { world.set("sent late", 1) }
                throw RaceFailure("offline")
            }
            graph.add("update") { step in
                await Task.yield()
                world.set("stopped", 1)
                if !isIntact { await Task.yield() }
                step.abort(.forceUpdate) {}
            }
            return graph
        } check: {
            try $0.expect("sent late", 0)
        },
        // A step that does not suspend runs between the parts of one that does.
        PlantedRace(name: "synchronous beside async") { isIntact, world in
            var graph = OperationGraph("launch")
            graph.add("migrate") {
                world.set("open", 1)
                await Task.yield()
                world.set("open", 0)
            }
            graph.add("read", after: isIntact ? ["migrate"] : []) {
                if world.count("open") == 1 { throw RaceFailure("read while open") }
            }
            return graph
        } check: { _ in
        },
    ]
}
