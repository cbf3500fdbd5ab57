import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Operations that moved a launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OperationBlameTests {
    /// A launch of `splash`, then `login` beside `speaker`, then `main`, whose times are in milliseconds, and go from 3 below the given one to 3 above.
    private static func scenario(_ times: [String: Int], runs: Int = 10, noise: Int = 3, others: Int = 0) -> BenchedScenario {
        var scenario = BenchedScenario(name: "regular", budget: .seconds(3))
        scenario.milestone = "main"
        let after = ["splash": [], "login": ["splash"], "speaker": ["splash"], "main": ["login", "speaker"]]
        func series(_ time: Int, _ seed: Int) -> [Duration?] {
            (0..<runs).map { .milliseconds(time) + .microseconds(noise * 1000 * (($0 * 7 + seed) % runs * 2 - runs) / runs) }
        }
        for (place, (id, time)) in times.sorted(by: { $0.key < $1.key }).enumerated() {
            let dependencies = (after[id] ?? []).filter { times[$0] != nil }
            scenario.operations.append(
                BenchedOperation(id: id, durations: series(time, place), criticalRuns: 0, dependencies: dependencies)
            )
        }
        for other in 0..<others {
            scenario.operations.append(
                BenchedOperation(id: "other \(other)", durations: series(20, other), criticalRuns: 0, dependencies: [])
            )
        }
        let middle = max(times["login"] ?? 0, times["speaker"] ?? 0)
        let total = Duration.milliseconds((times["splash"] ?? 0) + middle + (times["main"] ?? 0))
        scenario.runs = (0..<runs).map { run in
            let time = total + .microseconds(run)
            return BenchRun(outcome: .completed, isMet: true, measured: time, makespan: time, interactive: .zero)
        }
        return scenario
    }

    private static let usual = ["splash": 100, "login": 600, "speaker": 500, "main": 100]

    private static func comparison(_ changes: [String: Int], gap: BenchGap? = nil) -> BenchComparison {
        let after = scenario(usual.merging(changes) { $1 }, noise: 2)
        return BenchComparison(scenario(usual), after, clock: .wall, threshold: 0.05, gap: gap)
    }

    @Test("F5: an operation accounts for what the launch would be shorter by without its change")
    func accounts() throws {
        let longer = Self.comparison(["login": 700])
        #expect(longer.operations.map(\.id) == ["login"] && longer.criticalPathMove == nil)
        #expect(abs(try #require(longer.operations.first?.accountsFor) / 1e6 - 100) < 2)
        let login = try #require(longer.operations.first)
        #expect(abs(try #require(longer.share(of: login)) - 1) < 0.02)
        // It became longer by 200 ms, 100 of them beside the other one.
        let speaker = Self.comparison(["speaker": 700])
        #expect(speaker.operations.map(\.id) == ["speaker"])
        #expect(abs(try #require(speaker.operations.first?.accountsFor) / 1e6 - 100) < 3)
        let beside = Self.comparison(["speaker": 550])
        #expect(beside.operations.map(\.accountsFor) == [0])
        // The launch is the same: nothing has a share in its change.
        #expect(beside.operations.map { beside.share(of: $0) } == [nil])
    }

    @Test("F5: the longest path moved when another one is longer by enough to matter")
    func move() {
        #expect(Self.comparison(["speaker": 700]).criticalPathMove == CriticalPathMove(from: ["login"], to: ["speaker"]))
        #expect(Self.comparison(["speaker": 603]).criticalPathMove == nil)
        #expect(Self.comparison(["login": 400]).criticalPathMove == CriticalPathMove(from: ["login"], to: ["speaker"]))
        let text = ComparisonText(comparison: Self.comparison(["speaker": 700]), style: TextStyle(isColored: false, isUnicode: false)).text
        #expect(text.contains("\n  by median times the longest path moved from login to speaker\n"))
    }

    @Test("An operation that is new accounts for what it adds; one that is gone for what it added")
    func absent() throws {
        var without = Self.usual
        without["login"] = nil
        let (with, gone) = (Self.scenario(Self.usual), Self.scenario(without))
        let new = BenchComparison(gone, with, clock: .wall, threshold: 0.05).operations
        #expect(new.map(\.id) == ["login"] && new.first?.p == nil)
        #expect(abs(try #require(new.first?.accountsFor) / 1e6 - 100) < 4)
        let old = BenchComparison(with, gone, clock: .wall, threshold: 0.05).operations
        #expect(abs(try #require(old.first?.accountsFor) / 1e6 + 100) < 4)
    }

    @Test("A change below 1 % of the launch is not named, however sure it is; nor is one that the machine alone may have made")
    func leastEffect() {
        #expect(Self.comparison(["main": 107]).operations.isEmpty)
        #expect(Self.comparison(["main": 112]).operations.map(\.id) == ["main"])
        let gap = BenchGap(
            BenchDocument(toolVersion: "", machine: .current, clock: .wall, warmups: 0, scenarios: []),
            BenchDocument(toolVersion: "", machine: .current, clock: .wall, warmups: 0, scenarios: [])
        )
        #expect(Self.comparison(["login": 615]).operations.map(\.id) == ["login"])
        #expect(Self.comparison(["login": 615], gap: gap).operations.isEmpty)
    }

    @Test("The more operations there are, the surer each has to be", arguments: [(0, true), (60, true), (70, false)])
    func manyOperations(_ others: Int, _ isNamed: Bool) throws {
        // Eight runs against eight have a p of 2 / 12,870 at best, which is below 0.01 / 64.
        let before = Self.scenario(Self.usual, runs: 8, others: others)
        let after = Self.scenario(Self.usual.merging(["login": 700]) { $1 }, runs: 8, others: others)
        let changes = BenchComparison(before, after, clock: .wall, threshold: 0.05).operations
        #expect(changes.map(\.id) == (isNamed ? ["login"] : []))
        guard let change = changes.first else { return }
        #expect(abs(try #require(change.p) - 2 / 12_870) < 1e-9)
        #expect(abs(try #require(change.adjustedP) - 2 / 12_870 * Double(others + 4)) < 1e-9)
    }

    @Test("Benches that do not say which operations wait for which tell no shares and no paths")
    func older() throws {
        var before = Self.scenario(Self.usual)
        before.operations[0].dependencies = nil
        let after = Self.scenario(Self.usual.merging(["speaker": 900]) { $1 })
        let comparison = BenchComparison(before, after, clock: .wall, threshold: 0.05)
        #expect(comparison.operations.map(\.accountsFor) == [nil] && comparison.criticalPathMove == nil)
    }
}
