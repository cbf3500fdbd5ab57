import Foundation
import Sequencer
import Testing

@testable import server

@Suite("The service, over a real socket", .serialized, .timeLimit(.minutes(10)))
struct ServiceTests {
    struct Broken: Error, CustomStringConvertible {
        let description = "the disk is on fire"
    }

    @Test("while a step is held, /ready names what runs and what waits, and products are not served; then all is well")
    func startUp() async throws {
        let folder = try Folder()
        var options = ServerOptions()
        options.configuration = try folder.file("server.json", #"{"currency":"DKK","cacheLimit":2}"#)
        let gate = Gate()
        let server = try await LocalServer(options) { steps in
            let migrate = steps.migrate
            steps.migrate = { launch, catalogue in
                try await launch.waiting(for: "the test") { try await gate.hold() }
                return try await migrate(launch, catalogue)
            }
        }
        await gate.isReached()

        let live = try await server.client.get("/live")
        #expect((live.status, live.body) == (200, #"{"status":"live"}"#))
        // load-configuration runs beside migrate, and ends by itself.
        var early = try await server.client.get("/ready")
        while early.body.contains("load-configuration") {
            early = try await server.client.get("/ready")
        }
        #expect(early.status == 503)
        #expect(early.retryAfter == "1")
        #expect(
            early.body == """
                {"pending":[{"detail":"waits for migrate","operation":"warm-cache"},{"detail":"waits for warm-cache","operation":"serve"}],\
                "running":[{"detail":"waits for the test","operation":"migrate"}],"status":"starting"}
                """
        )
        let product = try await server.client.get("/products/1")
        #expect((product.status, product.body) == (503, #"{"status":"not ready, see /ready"}"#))

        gate.open()
        #expect(await server.lines.next() == "ready")
        let ready = try await server.client.get("/ready")
        #expect((ready.status, ready.body) == (200, #"{"degraded":[],"status":"ready"}"#))
        let first = try await server.client.get("/products/1")
        #expect((first.status, first.body) == (200, #"{"cents":220,"currency":"DKK","id":1,"name":"Espresso"}"#))
        // The configuration limits the cache to two products.
        #expect(try await server.client.get("/products/2").status == 200)
        #expect(try await server.client.get("/products/3").status == 404)
        #expect(try await server.client.get("/products/nothing").status == 404)

        await server.server.shutDown()
        try await server.end()
        #expect(await server.lines.next() == nil)
    }

    @Test(
        "a configuration that cannot be used is replaced by what is built in, and /ready says so",
        arguments: [
            (nil, "cannot be read; --configuration names another file"),
            ("{", #"is not as expected: {"currency":"EUR","cacheLimit":1000}"#),
            (#"{"currency":"EUR","cacheLimit":0}"#, "has a cacheLimit of 0; expected 1 to 1000000"),
        ]
    )
    func fallback(_ text: String?, _ problem: String) async throws {
        let folder = try Folder()
        var options = ServerOptions()
        options.configuration = try folder.file("server.json", text)
        let server = try await LocalServer(options)

        let message = "the configuration \(options.configuration) \(problem); its fallback was used"
        #expect(await server.lines.next() == "load-configuration: \(message)")
        #expect(await server.lines.next() == "ready")
        let ready = try await server.client.get("/ready")
        #expect(ready.status == 200)
        let answer = try JSONSerialization.jsonObject(with: Data(ready.body.utf8)) as? [String: Any]
        #expect(answer?["degraded"] as? [[String: String]] == [["operation": "load-configuration", "detail": message]])
        #expect(try await server.client.get("/products/3").body == #"{"cents":190,"currency":"EUR","id":3,"name":"Croissant"}"#)

        await server.server.shutDown()
        try await server.end()
    }

    @Test("a launch that has failed: /ready says why for as long as the server lingers, and run throws it")
    func failure() async throws {
        var options = ServerOptions()
        options.linger = .seconds(3600)
        let server = try await LocalServer(options) { steps in
            steps.migrate = { _, _ in throw Broken() }
        }
        #expect(await server.lines.next() == "start-up failed")

        let ready = try await server.client.get("/ready")
        #expect((ready.status, ready.body) == (503, #"{"message":"migrate: the disk is on fire","status":"failed"}"#))
        #expect(try await server.client.get("/live").status == 200)
        #expect(try await server.client.get("/products/1").status == 503)

        await server.server.shutDown()
        let error = await #expect(throws: StartupError.self) { try await server.end() }
        #expect(error?.description == "the start-up failed at migrate: the disk is on fire")
    }

    @Test("a launch that fails ends the server by itself, with its error")
    func failureWithoutLinger() async throws {
        let server = try await LocalServer { steps in
            steps.warmCache = { _, _ in throw Broken() }
        }
        let error = await #expect(throws: StartupError.self) { try await server.end() }
        #expect(error?.description == "the start-up failed at warm-cache: the disk is on fire")
    }

    @Test("a shutdown during the start-up cancels it; until it has ended /ready says that the server stops")
    func shutDown() async throws {
        let (gate, ending) = (Gate(), Gate())
        // As long as the operation likes: it is the test that lets it end.
        let server = try await LocalServer(launch: LaunchOptions(grace: .seconds(3600))) { steps in
            steps.loadConfiguration = { .builtIn }
            steps.migrate = { _, _ in
                do {
                    try await gate.hold()
                } catch {
                    // A task of its own, which is not cancelled: the operation takes its time to end.
                    try await Task { try await ending.hold() }.value
                }
                throw CancellationError()
            }
        }
        await gate.isReached()
        await server.server.shutDown()
        await ending.isReached()
        let ready = try await server.client.get("/ready")
        #expect((ready.status, ready.body) == (503, #"{"status":"stopping"}"#))
        #expect(try await server.client.get("/live").status == 200)

        ending.open()
        try await server.end()
        let line = try #require(await server.lines.next())
        #expect(line.hasPrefix("start-up cancelled: "))
        #expect(line.hasSuffix("migrate, warm-cache, serve had not ended"))
        #expect(await server.lines.next() == nil)
    }

    @Test("a database is migrated once, and found as it was left")
    func secondStart() async throws {
        let folder = try Folder()
        var options = ServerOptions()
        options.database = try folder.file("catalogue.sqlite")
        for _ in 1...2 {
            let server = try await LocalServer(options) { $0.loadConfiguration = { .builtIn } }
            #expect(await server.lines.next() == "ready")
            #expect(try await server.client.get("/products/3").status == 200)
            #expect(try await server.client.get("/products/4").status == 404)
            await server.server.shutDown()
            try await server.end()
        }
    }
}
