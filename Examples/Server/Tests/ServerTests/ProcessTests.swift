import Foundation
import Testing

@Suite("The built server", .serialized, .timeLimit(.minutes(10)))
struct ProcessTests {
    @Test("it starts, serves, and ends with 0 at SIGTERM")
    func serves() async throws {
        let folder = try Folder()
        let server = try await BuiltServer("--configuration", try folder.file("server.json", #"{"currency":"EUR","cacheLimit":10}"#))
        #expect(try await server.line() == "ready")
        #expect(try await server.client.get("/products/2").body == #"{"cents":340,"currency":"EUR","id":2,"name":"Cappuccino"}"#)

        server.terminate()
        let end = try await server.end()
        #expect((end.output, end.messages, end.status) == ("", "", 0))
    }

    @Test("a migration that fails ends it with 1 and a sentence that names the migration, the file and the reason; nothing of it is kept")
    func failingMigration() async throws {
        let folder = try Folder()
        let path = try folder.file("catalogue.sqlite")
        // A table of that name that no migration has made.
        try OtherProcess(path).execute("CREATE TABLE product (name TEXT)")

        let server = try await BuiltServer("--database", path, "--configuration", try folder.file("none"))
        let end = try await server.end()
        #expect(end.output == "start-up failed\n")
        #expect(
            end.messages == """
                server: the start-up failed at migrate: migration '1-products' of \(path) failed: table "product" already exists; \
                nothing of it was kept; mend the file, or move it away

                """
        )
        #expect(end.status == 1)
        #expect(try OtherProcess(path).tables() == ["grdb_migrations", "product"])
    }

    @Test("a file that is no database ends it with 1")
    func noDatabase() async throws {
        let folder = try Folder()
        let path = try folder.file("catalogue.sqlite", String(repeating: "This is no database. ", count: 100))
        let end = try await BuiltServer("--database", path).end()
        #expect(
            end.messages == """
                server: the start-up failed at open-database: \(path) cannot be opened: file is not a database; \
                --database names a file that is, or can be made, a SQLite database

                """
        )
        #expect(end.status == 1)
    }

    //  test                 server
    //  takes the lock
    //                       migrate waits for the lock
    //  /ready says so
    //  SIGTERM
    //                       the launch is cancelled, the server ends
    @Test("SIGTERM while a migration waits for another process's lock: it ends with 0, and has changed nothing")
    func terminatedDuringStartUp() async throws {
        let folder = try Folder()
        let path = try folder.file("catalogue.sqlite")
        let other = try OtherProcess(path)
        try other.execute("BEGIN IMMEDIATE")

        let server = try await BuiltServer("--database", path, "--configuration", try folder.file("none"))
        try await waitForLock(server, path)
        server.terminate()
        let end = try await server.end()
        #expect(end.output == "start-up cancelled: migrate, warm-cache, serve had not ended\n")
        #expect(end.messages == "")
        #expect(end.status == 0)
        try other.execute("ROLLBACK")
        #expect(try other.tables() == [])
    }

    @Test("a lock that is given back: the migration goes on, and the server gets ready")
    func lockGivenBack() async throws {
        let folder = try Folder()
        let path = try folder.file("catalogue.sqlite")
        let other = try OtherProcess(path)
        try other.execute("BEGIN IMMEDIATE")

        let server = try await BuiltServer("--database", path, "--configuration", try folder.file("none"))
        try await waitForLock(server, path)
        try other.execute("ROLLBACK")
        #expect(try await server.line()?.hasPrefix("load-configuration: ") == true)
        #expect(try await server.line() == "ready")
        #expect(try await server.client.get("/ready").status == 200)

        server.terminate()
        #expect(try await server.end().status == 0)
        #expect(try other.tables() == ["grdb_migrations", "product"])
    }

    @Test("a port that is taken ends it with 1, arguments that make no sense with 64")
    func refused() async throws {
        let server = try await BuiltServer()
        let second = try await BuiltServer.run("--port", "\(server.client.port)")
        #expect(second.messages.hasPrefix("server: cannot listen on 127.0.0.1:\(server.client.port): "))
        #expect(second.status == 1)
        server.terminate()
        #expect(try await server.end().status == 0)

        let usage = try await BuiltServer.run("--port", "many")
        #expect(usage.messages.hasPrefix("server: --port is 'many'; expected a number from 0 to 65535\nusage: server "))
        #expect(usage.status == 64)
        #expect(try await BuiltServer.run("--speed", "1").status == 64)
        #expect(try await BuiltServer.run("--database").status == 64)
        #expect(try await BuiltServer.run("--help").status == 0)
    }

    @Test("a setting of the environment changes the start-up; one that makes no sense ends it with 1, and is named")
    func settings() async throws {
        let folder = try Folder()
        let required = try await BuiltServer.run(
            "--port",
            "0",
            "--configuration",
            try folder.file("none"),
            environment: ["STARTUP_LOAD_CONFIGURATION_REQUIRED": "true"]
        )
        #expect(required.messages.hasPrefix("server: the start-up failed at load-configuration: "))
        #expect(required.status == 1)

        for (value, problem) in [("soon", "STARTUP_BUDGET"), ("-1", "startup.budget is -1.0; expected seconds")] {
            let refused = try await BuiltServer.run("--port", "0", environment: ["STARTUP_BUDGET": value])
            #expect(refused.output == "")
            #expect(refused.messages.contains(problem))
            #expect(refused.status == 1)
        }
    }

    /// Asks `/ready` until it says that the migration waits for the lock, and load-configuration has ended: which is what it comes to.
    private func waitForLock(_ server: BuiltServer, _ path: String) async throws {
        let expected = """
            {"pending":[{"detail":"waits for migrate","operation":"warm-cache"},{"detail":"waits for warm-cache","operation":"serve"}],\
            "running":[{"detail":"waits for the lock of \(path), which another process holds","operation":"migrate"}],"status":"starting"}
            """
        while true {
            let ready = try await server.client.get("/ready")
            #expect(ready.status == 503)
            if ready.body == expected { return }
        }
    }
}
