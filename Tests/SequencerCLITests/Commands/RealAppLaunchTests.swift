import Foundation
import StartupOps
import StartupSamples
import TestSupport
import Testing

/// `run` with the sample app behind it: what it remembers, who it talks to, what starts it.
@Suite("run, as an app", .serialized, .timeLimit(.minutes(30)), .real)
struct RealAppLaunchTests {
    @Test("A4, A5, A6: with one --state, the first run is a first launch, the second and the third are regular ones")
    func threeRuns() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        var scenarios: [String] = []
        for _ in 1...3 {
            let result = try await Tool.run("run", "--state", state, "--json", "--budget", "60s")
            #expect(result.code == 0 && result.messages.isEmpty, "\(result.messages)")
            let report = try result.json()
            scenarios.append(try #require(report["scenario"] as? String))
            #expect(report["outcome"] as? String == "completed")
            let operations = try #require(report["operations"] as? [[String: Any]])
            for operation in operations { #expect(operation["outcome"] as? String == "succeeded", "\(operation)") }
        }
        #expect(scenarios == ["first-launch", "regular", "regular"])
        // Nothing of it can be read by anyone else.
        let mode = try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test("A state without an earlier launch is told, with what to do, where the scenario supposes one; afterwards it is not")
    func newDevice() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        @Sendable func messages(_ scenario: String) async throws -> String {
            try await Tool.run("run", scenario, "--state", state, "--budget", "60s").messages
        }
        #expect(try await messages("background").contains("begin with 'sequencer-cli run first-launch --state \(state)'"))
        #expect(try await messages("first-launch").isEmpty)
        #expect(try await messages("push").isEmpty)
    }

    @Test("B13: guest-dismissable shows somebody new the onboarding, once; the service of this process says what each scenario supposes")
    func onboarding() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        @Sendable func notes(_ scenario: String) async throws -> [String: [String]] {
            let result = try await Tool.run("run", scenario, "--state", folder.file(scenario).path, "--json", "--budget", "60s")
            #expect(result.code == 0, "\(result.messages)")
            let operations = try #require(try result.json()["operations"] as? [[String: Any]])
            return operations.reduce(into: [:]) { all, operation in
                if let id = operation["id"] as? String { all[id] = operation["notes"] as? [String] ?? [] }
            }
        }
        try await atOnce(["guest", "guest-none", "guest-dismissable"]) { scenario in
            let first = try await notes(scenario)
            #expect(first["main-app"] == [] && first["login"] == [], "\(scenario)")
            guard scenario == "guest-dismissable" else {
                #expect(first["onboarding"] == nil, "\(scenario)")
                return
            }
            #expect(first["onboarding"] == [])
            let second = try await notes(scenario)
            #expect(second["onboarding"] == ["the onboarding was not shown: it was dismissed in an earlier launch"])
            #expect(second["main-app"] == [] && second["login"] == [], "\(scenario)")
        }
    }

    @Test(
        "D7, D8, F13: the bootstrap's SDK that cannot be initialised, or hangs in it, is told by its steps, and the app starts"
    )
    func sdkSteps() async throws {
        try await atOnce(["fail", "hang"]) { fault in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let state = folder.file("device").path
            let injected = ["--inject", "sdk-steps=\(fault)"]
            let result = try await Tool.run(["run", "bootstrap", "--state", state, "--json", "--budget", "60s"] + injected)
            #expect(result.code == 0, "\(result.messages)")
            let operations = try #require(try result.json()["operations"] as? [[String: Any]])
            func outcome(_ id: String) -> String? { operations.first { $0["id"] as? String == id }?["outcome"] as? String }
            #expect(outcome("sdk-steps") == (fault == "fail" ? "failed" : "timedOut"))
            #expect(outcome("sdk-steps-ready") == "failed" && outcome("main-app") == "succeeded")
            let ready = operations.first { $0["id"] as? String == "sdk-steps-ready" }
            #expect((ready?["message"] as? String)?.contains("the SDK is not initialised") == true)
        }
    }

    @Test("what started the app decides the launch, and is delivered in it")
    func entryPoints() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let push = #"{"aps":{"alert":{"title":"New","body":"An album"}}}"#
        let cases = [
            ("push", "present-push-information", ["--push", push]), ("deeplink", "deeplink", ["--link", "app://open/speakers/7"]),
            ("shortcut", "shortcut", ["--shortcut", "play"]),
        ]
        // Each on a device of its own: a speaker is looked for at the port that it had in the launch before.
        try await atOnce(cases) { (scenario, operation, arguments) in
            let line = ["run", "--state", folder.file(scenario).path, "--json", "--budget", "60s"]
            #expect(try await Tool.run(line).code == 0)
            let result = try await Tool.run(line + arguments)
            #expect(result.code == 0, "\(result.messages)")
            let report = try result.json()
            #expect(report["scenario"] as? String == scenario)
            let operations = try #require(report["operations"] as? [[String: Any]])
            let delivered = operations.first { $0["id"] as? String == operation }
            #expect(delivered?["outcome"] as? String == "succeeded", "\(String(describing: delivered))")
            // Delivered once: the next launch is an ordinary one.
            #expect(try await Tool.run(line).json()["scenario"] as? String == "regular")
        }
    }

    @Test("a state folder that cannot be used is said to be, and the launch goes on without one")
    func brokenState() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.write("no folder", to: "file")
        let result = try await Tool.run("run", "--state", file, "--budget", "60s")
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("first-launch: completed"))
        #expect(result.messages.contains(file))
    }

    @Test("'http' fetches with the real client: an answer that is no success fails the operation")
    func httpWork() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let url = "http://127.0.0.1:\(try closedPort())/config"
        let path = try folder.write(scenarioText(#"{ "id": "fetch", "onFailure": "continue", "work": { "http": { "url": "\#(url)" } } }"#))
        let result = try await Tool.run("run", path, "--json")
        let operations = try #require(try result.json()["operations"] as? [[String: Any]])
        #expect(operations.first?["outcome"] as? String == "failed")
        #expect((operations.first?["message"] as? String)?.contains("connection refused") == true)
    }

    /// A port of this machine at which nobody listens any more.
    private func closedPort() throws -> Int {
        let speaker = try LoopbackSpeaker(id: "gone", name: "Gone")
        defer { speaker.stop() }
        return speaker.speaker.port
    }
}
