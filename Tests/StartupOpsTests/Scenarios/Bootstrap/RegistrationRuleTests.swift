import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// What an app registers while it is set up: what is required, in which order, and what is said when it is not so.
@Suite("Registrations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RegistrationRuleTests {
    private static let rightOrder = [
        "platform", "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics", "settings", "module-setup",
        "configuration", "module-delegates", "delegates", "third-party", "image-codec", "modules", "coordinator", "observers",
    ]

    private func problems(_ names: [String]) -> [String] { RegistrationRule.problems(names.map { .action($0) {} }) }

    @Test("B2: whatever is registered before the root is reported, with both names and the reason")
    func root() {
        let found = problems(["client-keys"] + Self.rightOrder.filter { $0 != "client-keys" })
        #expect(
            found == [
                "client-keys was registered before platform, which must come first of all: it reports the crashes and counts the events of "
                    + "everything that follows",
                "client-keys must come after platform: a crash while keys are read has to be reported",
            ]
        )
    }

    @Test("B3: none of them registered, all are named")
    func nothingRegistered() {
        let required = [
            "platform", "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics", "configuration",
        ]
        #expect(problems([]).map { $0.prefix { $0 != " " } } == required.map { $0[...] })
    }

    @Test("B4, fault L16: access before registration names who asked, and what has to run first")
    func accessBefore() throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        bootstrap.didRegister("platform")
        let error = #expect(throws: RegistryError.self) { try bootstrap.configuration(for: "Map.show") }
        #expect(
            error?.description == """
                Map.show asked for the configuration before it was made; what has to run first: client-keys, then core-keys, \
                then screen-configuration, then ui-configuration, then analytics, then configuration
                """
        )
    }

    /// The table of the white-label app, as its behaviours say it: which comes after which, and why.
    private static let constraints: [(String, String, String)] = [
        ("client-keys", "platform", "a crash while keys are read has to be reported"),
        ("core-keys", "platform", "the core counts events as soon as it has its keys"),
        ("screen-configuration", "client-keys", "screens lead to addresses that are among the client's keys"),
        ("ui-configuration", "client-keys", "the theme is the client's"),
        ("analytics", "client-keys", "events are sent with the client's keys"),
        ("module-setup", "ui-configuration", "modules copy the theme when they are set up"),
        ("settings", "analytics", "what an app registers of its own may use all of these"),
        ("configuration", "client-keys", "its client is made with them"),
        ("configuration", "settings", "those that are written later do not count in this launch"),
        ("configuration", "core-keys", "its parts ask the core for their keys"),
        ("configuration", "screen-configuration", "the screens that it knows are those that are configured by then"),
        ("configuration", "ui-configuration", "what it makes looks as it was configured by then"),
        ("configuration", "analytics", "it sends events while it is made"),
        ("configuration", "module-setup", "modules that are set up later do not become part of it"),
        ("module-delegates", "configuration", "they answer modules, which work with it"),
        ("delegates", "configuration", "they are handed to objects that it makes"),
        ("third-party", "configuration", "some need the person's identifier"),
        ("modules", "configuration", "they work with its client, and with its user"),
        ("coordinator", "modules", "its screens are made with them"),
        ("coordinator", "image-codec", "its first screen shows images, which stay empty without a codec"),
        ("observers", "coordinator", "they live as long as the app, and tell the coordinator"),
    ]

    @Test(
        "B63, fault G21: each constraint, when violated, says both names and its own why",
        arguments: RegistrationRuleTests.constraints
    )
    func constraint(name: String, predecessor: String, reason: String) {
        // The one that has to wait comes just before the one it waits for.
        var order = Self.rightOrder.filter { $0 != name }
        order.insert(name, at: order.firstIndex(of: predecessor) ?? 0)
        #expect(problems(order).contains("\(name) must come after \(predecessor): \(reason)"))
    }

    @Test("B63: these are all: whatever else changes places is in order")
    func table() {
        // That of settings is that of every registration of the app's own.
        #expect(RegistrationRule.bootstrap.flatMap(\.constraints).count == Self.constraints.count - 1)
        #expect(Set(Self.constraints.map(\.2)).count == Self.constraints.count)
        let after = Set(Self.constraints.map { [$0.0, $0.1] })
        for (index, name) in Self.rightOrder.enumerated().dropFirst(2) {
            let previous = Self.rightOrder[index - 1]
            var order = Self.rightOrder
            order.swapAt(index - 1, index)
            #expect(problems(order).isEmpty != after.contains([name, previous]), "\(name), then \(previous)")
        }
    }

    private final class Keys: Sendable {}

    @Test("B7, B8: one instance serves two keys, and the same value again is nothing; a different one is reported")
    func twice() throws {
        func problems(_ again: BootstrapRegistration...) -> [String] {
            RegistrationRule.problems(BootstrapHarness.registrations() + [.configuration] + again)
        }
        let keys = Keys()
        let image = "image-codec"
        #expect(problems(.value("events", for: "analytics")) == [])
        #expect(problems(.value("other", for: "analytics")).first?.hasPrefix("analytics was registered twice") == true)
        func objects(_ first: Keys, _ second: Keys) -> [String] {
            let others = Array(BootstrapHarness.registrations().dropLast())
            return RegistrationRule.problems(others + [.value(first, for: image), .value(second, for: image), .configuration])
        }
        #expect(objects(keys, keys) == [])
        #expect(objects(keys, Keys()).first?.hasPrefix("image-codec was registered twice with different values") == true)
    }

    @Test("B36: a module made before the configuration is reported, and does not crash")
    func moduleTooEarly() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let error = await #expect(throws: RegistryError.self) { try await bootstrap.make(BootstrapModule("map") { _ in "map" }) }
        #expect(error?.description.hasPrefix("module map asked for the configuration") == true)
        #expect(error?.description.hasSuffix("then configuration") == true)
    }
}
