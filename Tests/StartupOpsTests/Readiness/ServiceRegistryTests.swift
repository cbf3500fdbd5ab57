import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// What an app registers while it is set up: what is required, in which order, and what is said when it is not so.
@Suite("Service registry", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ServiceRegistryTests {
    private static let rightOrder = [
        "platform", "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics", "module-setup", "configuration",
        "module-delegates", "delegates", "third-party", "image-codec", "coordinator", "observers",
    ]

    private func registry(_ rules: [RegistrationRule] = RegistrationRule.bootstrap) -> ServiceRegistry {
        ServiceRegistry(rules: rules) { true }
    }

    private func registry(marking names: [String]) -> ServiceRegistry {
        let registry = registry()
        for name in names { registry.mark(name) }
        return registry
    }

    @Test("the right order has no problem")
    func rightOrder() throws {
        #expect(registry(marking: Self.rightOrder).problems.isEmpty)
        try registry(marking: Self.rightOrder).validate()
    }

    @Test("B2: whatever is registered before the root is reported, with both names and the reason")
    func root() {
        let registry = registry(marking: ["client-keys"] + Self.rightOrder.filter { $0 != "client-keys" })
        let problem = registry.problems.first { $0.code == .beforeRoot }
        #expect(
            problem?.description == """
                client-keys was registered before platform, which must come first of all: \
                it reports the crashes and counts the events of everything that follows
                """
        )
        #expect(registry.problems.filter { $0.code == .beforeRoot }.count == 1)
    }

    @Test(
        "B3, B5: each of the required registrations, when skipped, is named before the launch goes on",
        arguments: [
            "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics",
        ]
    )
    func skipped(name: String) {
        let registry = registry(marking: Self.rightOrder.filter { $0 != name })
        let error = #expect(throws: RegistryError.self) { try registry.validate() }
        #expect(error?.problems.filter { $0.code == .missing }.map(\.registration) == [name])
        #expect(error?.description.contains("\(name) is required and was not registered; register it after ") == true)
    }

    @Test("B3: none of them registered, all are named")
    func nothingRegistered() {
        let missing = registry().problems.map(\.registration)
        #expect(missing.contains("client-keys") && missing.contains("core-keys") && missing.contains("screen-configuration"))
        #expect(missing.contains("ui-configuration") && missing.contains("analytics"))
        #expect(missing == RegistrationRule.bootstrap.filter(\.isRequired).map(\.name))
    }

    private final class Accessor {
        func theme(_ registry: ServiceRegistry) throws -> String { try registry.value(ServiceKey("ui-configuration")) }
    }

    @Test("B4, fault L16: access before registration names who asked, what is missing and what has to run first")
    func accessBefore() throws {
        let registry = registry(marking: ["platform"])
        let error = #expect(throws: ServiceAccessError.self) { try Accessor().theme(registry) }
        #expect(error?.accessor == "theme(_:)" && error?.registration == "ui-configuration")
        #expect(error?.missing == ["client-keys", "ui-configuration"])
        #expect(
            error?.description == """
                theme(_:) asked for ui-configuration before it was registered; what has to run first: client-keys, then ui-configuration
                """
        )
        registry.mark("client-keys")
        registry.register("dark", for: ServiceKey<String>("ui-configuration"))
        #expect(try Accessor().theme(registry) == "dark")
        let mismatch = #expect(throws: ServiceAccessError.self) { try registry.value(ServiceKey<Int>("ui-configuration"), for: "x") }
        #expect(mismatch?.description == "x asked for ui-configuration, and what is registered is a String, not a Int")
    }

    /// The table of the white-label app, as its behaviours say it: which comes after which, and why.
    private static let constraints: [(String, String, String)] = [
        ("client-keys", "platform", "a crash while keys are read has to be reported"),
        ("core-keys", "platform", "the core counts events as soon as it has its keys"),
        ("screen-configuration", "client-keys", "screens lead to addresses that are among the client's keys"),
        ("ui-configuration", "client-keys", "the theme is the client's"),
        ("analytics", "client-keys", "events are sent with the client's keys"),
        ("module-setup", "ui-configuration", "modules copy the theme when they are set up"),
        ("configuration", "core-keys", "its parts ask the core for their keys"),
        ("configuration", "screen-configuration", "the screens that it knows are those that are configured by then"),
        ("configuration", "ui-configuration", "what it makes looks as it was configured by then"),
        ("configuration", "analytics", "it sends events while it is made"),
        ("configuration", "module-setup", "modules that are set up later do not become part of it"),
        ("module-delegates", "configuration", "they answer modules, which work with it"),
        ("delegates", "configuration", "they are handed to objects that it makes"),
        ("third-party", "configuration", "some need the person's identifier"),
        ("coordinator", "image-codec", "its first screen shows images, which stay empty without a codec"),
        ("observers", "coordinator", "they live as long as the app, and tell the coordinator"),
    ]

    @Test(
        "B63, fault G21: each of the sixteen constraints, when violated, says both names and its own why",
        arguments: ServiceRegistryTests.constraints
    )
    func constraint(name: String, predecessor: String, reason: String) {
        // The one that has to wait comes just before the one it waits for.
        var order = Self.rightOrder.filter { $0 != name }
        order.insert(name, at: order.firstIndex(of: predecessor) ?? 0)
        let registry = registry(marking: order)
        let problem = registry.problems.first { $0.registration == name && $0.other == predecessor && $0.code == .misordered }
        #expect(problem?.description == "\(name) must come after \(predecessor): \(reason)")
        #expect(throws: RegistryError.self) { try registry.validate() }
    }

    @Test("B63: these sixteen are all: whatever else changes places is in order")
    func table() {
        #expect(RegistrationRule.bootstrap.flatMap(\.constraints).count == 16)
        #expect(Set(Self.constraints.map(\.2)).count == 16)
        let after = Set(Self.constraints.map { [$0.0, $0.1] })
        for (index, name) in Self.rightOrder.enumerated().dropFirst(2) {
            let previous = Self.rightOrder[index - 1]
            var order = Self.rightOrder
            order.swapAt(index - 1, index)
            #expect(registry(marking: order).problems.isEmpty != after.contains([name, previous]), "\(name), then \(previous)")
        }
    }

    @Test("B7, B63: the two keys may be registered in any order")
    func keysInAnyOrder() {
        var order = Self.rightOrder
        order.swapAt(1, 2)
        #expect(order.prefix(3) == ["platform", "core-keys", "client-keys"] && registry(marking: order).problems.isEmpty)
    }

    @Test("B34, B63: an image codec may be absent; one that is there comes before the coordinator")
    func codec() throws {
        try registry(marking: Self.rightOrder.filter { $0 != "image-codec" }).validate()
        var order = Self.rightOrder.filter { $0 != "image-codec" }
        order.append("image-codec")
        #expect(registry(marking: order).problems.map(\.other) == ["image-codec"])
    }

    @Test("B6: a misordered registration is reported at once when what it waits for is sure to come, and otherwise when it comes")
    func misordered() {
        let registry = registry(marking: ["platform"])
        let early = registry.mark("ui-configuration")
        #expect(early.map(\.description) == ["ui-configuration must come after client-keys: the theme is the client's"])
        for name in ["client-keys", "core-keys", "screen-configuration", "analytics", "configuration"] {
            #expect(registry.mark(name).isEmpty, "\(name)")
        }
        let late = registry.mark("module-setup")
        #expect(
            late.map(\.description) == [
                "configuration must come after module-setup: modules that are set up later do not become part of it"
            ]
        )
    }

    private final class Keys: Sendable {}

    @Test("B7: one instance serves two keys")
    func sameInstance() throws {
        let (client, core, keys) = (ServiceKey<Keys>("client-keys"), ServiceKey<Keys>("core-keys"), Keys())
        let registry = registry(marking: ["platform"])
        #expect(registry.register(keys, for: client).isEmpty)
        #expect(registry.register(keys, for: core).isEmpty)
        #expect(try registry.value(client) === registry.value(core))
    }

    @Test("B8: the same value again is nothing; a different one is reported, and the first one stays")
    func twice() throws {
        let registry = ServiceRegistry { true }
        let (text, object, keys) = (ServiceKey<String>("text"), ServiceKey<Keys>("object"), Keys())
        registry.register("a", for: text)
        registry.register(keys, for: object)
        #expect(registry.register("a", for: text).isEmpty && registry.register(keys, for: object).isEmpty)
        #expect(registry.problems.isEmpty)
        #expect(registry.register("b", for: text).map(\.code) == [.repeated])
        #expect(registry.register(Keys(), for: object).map(\.code) == [.repeated])
        #expect(try registry.value(text) == "a" && registry.value(object) === keys)
        #expect(registry.problems.map(\.description).first?.hasPrefix("text was registered twice with different values") == true)
    }

    @Test("B28: delegates before the configuration are an error, after it they are fine")
    func afterConfiguration() {
        let upToAnalytics = Array(Self.rightOrder.prefix(6))
        let registry = registry(marking: upToAnalytics)
        #expect(registry.mark("delegates").map(\.other) == ["configuration"])
        #expect(self.registry(marking: upToAnalytics + ["configuration", "delegates", "image-codec", "coordinator"]).problems.isEmpty)
    }

    private struct Module: Sendable, Equatable { var name: String }

    @Test("B35: only modules that are activated are registered; each declares what it depends on, and absent ones are asked nothing")
    func optionalModules() throws {
        let (map, chat) = (ServiceKey<Module>("map"), ServiceKey<Module>("chat"))
        let registry = registry([
            .required("configuration"),
            .optional("map", .after("configuration", because: "its tiles come from there")),
            .optional("chat", .after("map", because: "it shows places")),
        ])
        registry.mark("configuration")
        #expect(registry.register(Module(name: "chat"), for: chat).isEmpty, "the map is not activated, and so not waited for")
        #expect(registry.optional(chat) == Module(name: "chat") && registry.optional(map) == nil)
        try registry.validate()
        #expect(registry.register(Module(name: "map"), for: map).map(\.registration) == ["chat"])
    }

    @Test("B36: a module made before the configuration is reported, and does not crash")
    func moduleTooEarly() throws {
        let rules: [RegistrationRule] = [
            .required("configuration"),
            .optional("map", .after("configuration", because: "its tiles come from there")),
        ]
        let registry = registry(rules)
        let error = #expect(throws: ServiceAccessError.self) { try registry.value(ServiceKey<Module>("map"), for: "Map.show") }
        #expect(error?.missing == ["configuration", "map"])
        #expect(
            registry.register(Module(name: "map"), for: ServiceKey("map")).map(\.description) == [
                "map must come after configuration: its tiles come from there"
            ]
        )
        #expect(registry.optional(ServiceKey<Module>("map")) != nil)
    }

    @Test("B37: an absent module's operations are not in the graph")
    func absentModule() async throws {
        func graph(_ registry: ServiceRegistry) -> OperationGraph {
            var graph = OperationGraph("modules")
            graph.add("main-app") { _ in }
            if let module = registry.optional(ServiceKey<Module>("map")) { graph.add("load-\(module.name)") { _ in } }
            return graph
        }
        let (with, without) = (ServiceRegistry { true }, ServiceRegistry { true })
        with.register(Module(name: "map"), for: ServiceKey("map"))
        #expect(try await graph(with).run(budget: .seconds(3)).report.operations.map(\.id).sorted() == ["load-map", "main-app"])
        #expect(try await graph(without).run(budget: .seconds(3)).report.operations.map(\.id) == ["main-app"])
    }

    @Test("B64: set-up off the main thread is reported, by name; the value is there all the same")
    func offMain() throws {
        let onMain = Locked(true)
        let registry = ServiceRegistry(rules: []) { onMain.withLock { $0 } }
        #expect(registry.register("a", for: ServiceKey<String>("first")).isEmpty)
        onMain.withLock { $0 = false }
        #expect(registry.register("b", for: ServiceKey<String>("second")).map(\.code) == [.offMain])
        #expect(registry.problems.first?.description.hasPrefix("second was not registered on the main thread") == true)
        #expect(try registry.value(ServiceKey<String>("second")) == "b")
        let real = ServiceRegistry()
        let problems = Locked<[RegistryProblem]>([])
        let end = DispatchSemaphore(value: 0)
        Thread {
            problems.withLock { $0 = real.mark("x") }
            end.signal()
        }.start()
        end.waitPatiently()
        #expect(problems.withLock { $0.map(\.code) } == [.offMain])
    }

    @Test("a registration that there is no rule for is named, with the nearest one")
    func unknown() {
        #expect(
            registry(marking: ["platform", "client-key"]).problems.contains {
                $0.description.hasSuffix("called client-key; did you mean client-keys?")
            }
        )
    }

    @Test("rules that lead in a circle do not hang the search for what is missing")
    func circle() {
        let registry = registry([
            .required("a", .after("b", because: "")),
            .required("b", .after("a", because: "")),
        ])
        let error = #expect(throws: ServiceAccessError.self) { try registry.value(ServiceKey<Int>("a")) }
        #expect(error?.missing.last == "a")
    }

    @Test("many threads register at once: each name is registered once")
    func threads() async {
        let registry = ServiceRegistry { true }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { for number in 0..<50 { registry.register(number, for: ServiceKey("\(number)")) } } }
        }
        #expect(registry.registered.count == 50 && registry.problems.isEmpty)
    }
}
