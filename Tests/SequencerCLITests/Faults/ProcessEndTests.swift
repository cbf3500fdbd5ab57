import Testing

/// The tool as a process: what it ends with, and what it makes of its environment.
@Suite("Ends of the process", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProcessEndTests {
    private static let ends: [([String], Int32)] = [
        (["run", "regular", "--clock", "virtual"], 0), (["run", "regular", "--clock", "virtual", "--inject", "main-app=fail"], 1),
        (["run", "regular", "--clock", "virtual", "--inject", "main-app=hang", "--deadline", "5s"], 1),
        (["run", "regular", "--clock", "virtual", "--budget", "1ms"], 3),
        (["run", "regular", "--clock", "virtual", "--inject", "force-update=required"], 6),
    ]

    @Test("fault A8, A9: each end has its code, and with --json one document that says the same", arguments: ends)
    func codes(arguments: [String], code: Int32) async throws {
        let result = try await Tool.run(arguments + ["--json"])
        #expect(result.code == code)
        let outcome = try result.json()["outcome"] as? String
        #expect(outcome == [0: "completed", 1: "failed", 3: "completed", 6: "aborted"][code])
    }

    @Test(
        "fault A8: what went wrong outside a launch has codes of its own",
        arguments: [(["run", "--nonsense"], 64), (["run", "no-such-file.json"], 66), (["graph", "regular", "-o", "/dev/full"], 73)]
            as [([String], Int32)]
    )
    func otherCodes(arguments: [String], code: Int32) async throws {
        let result = try await Tool.run(arguments)
        #expect(result.code == code && result.output.isEmpty && !result.messages.isEmpty)
        let json = try await Tool.run(arguments + ["--json"])
        let document = try json.json()
        #expect(json.code == code && document["schema"] as? String == "sequencer.error/1" && document["exitCode"] as? Int == Int(code))
        #expect(json.messages.contains(try #require(document["message"] as? String)), "\(json.messages)")
    }

    @Test(
        "fault C6: no time zone changes a launch in virtual time",
        arguments: ["Pacific/Apia", ":"]
    )
    func timeZone(_ zone: String) async throws {
        let usual = try await Tool.run("run", "first-launch", "--clock", "virtual", "--json", environment: ["TZ": "UTC"])
        let result = try await Tool.run("run", "first-launch", "--clock", "virtual", "--json", environment: ["TZ": zone])
        #expect(result.code == 0 && result.output == usual.output)
    }
}
