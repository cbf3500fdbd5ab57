import Foundation
import Sequencer
import Testing

@testable import sequencer_cli

@Suite("compare", .serialized, .timeLimit(.minutes(10)))
struct CompareCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A saved bench of runs that take these times, in milliseconds; `login` takes all of it but 100 ms.
    private func bench(_ name: String, _ times: [Int], clock: ClockMode = .wall, processors: Int = 4) throws -> String {
        var scenario = BenchedScenario(name: "regular", budget: .seconds(3))
        scenario.runs = times.map {
            BenchRun(
                outcome: .completed,
                isMet: $0 <= 3000,
                measured: .milliseconds($0),
                makespan: .milliseconds($0),
                interactive: .zero
            )
        }
        scenario.operations = [
            BenchedOperation(id: "splash", durations: times.map { _ in .milliseconds(100) }, criticalRuns: times.count),
            BenchedOperation(id: "login", durations: times.map { .milliseconds($0 - 100) }, criticalRuns: times.count),
        ]
        let machine = Machine(system: "Linux", architecture: "x86_64", processors: processors, name: "Model 7")
        let document = BenchDocument(toolVersion: "0.1.0", machine: machine, clock: clock, warmups: 1, scenarios: [scenario])
        return try folder.write(document.json(), to: name + ".json")
    }

    private static let before = [1000, 1010, 990, 1005, 995, 1020, 980, 1002, 998, 1015]

    @Test("Slower beyond doubt: what, by how much, how sure, and why; code 4")
    func regression() async throws {
        defer { folder.remove() }
        let after = try bench("b", Self.before.map { $0 + 130 })
        let result = try await Tool.run("compare", try bench("a", Self.before), after)
        #expect(result.code == 4)
        #expect(
            result.output == """
                regular  10 against 10 completed runs
                  median  1 s → 1.13 s, +13.0%
                  change  +11.7% to +14.2% (95% interval)
                  test    Mann-Whitney U = 0, p < 0.0001 (exact)

                  operation   change  before   after        p
                  login *    +130 ms  901 ms  1.03 s  <0.0001
                  * on the critical path; operations overlap, their changes do not add up

                REGRESSION  slower by more than 5%

                """
        )
    }

    @Test("Faster is a success; so is no change")
    func improvement() async throws {
        defer { folder.remove() }
        let (slow, fast) = (try bench("a", Self.before), try bench("b", Self.before.map { $0 - 200 }))
        let result = try await Tool.run("compare", slow, fast)
        #expect(result.code == 0)
        #expect(result.output.hasSuffix("IMPROVED  faster by more than 5%\n"))
        let same = try await Tool.run("compare", slow, slow, "--strict")
        #expect(same.code == 0)
        #expect(same.output.hasSuffix("SAME  neither faster nor slower by more than 5%\n"))
    }

    @Test("Too few runs, or too much noise, are no regression: inconclusive, an error only with --strict")
    func inconclusive() async throws {
        defer { folder.remove() }
        let few = (try bench("a", [1000, 1001, 1002]), try bench("b", [1200, 1201, 1202]))
        let lenient = try await Tool.run("compare", few.0, few.1)
        #expect(lenient.code == 0)
        #expect(lenient.output.contains("INCONCLUSIVE  chance may explain the change"))
        #expect(try await Tool.run("compare", few.0, few.1, "--strict").code == 5)
        let noise = (try bench("c", [500, 2000, 900, 1700, 1000]), try bench("d", [700, 2100, 800, 1500, 1300]))
        let noisy = try await Tool.run("compare", noise.0, noise.1, "--strict")
        #expect(noisy.code == 5)
        #expect(noisy.output.contains("INCONCLUSIVE  the change may be more or less than 5%"))
    }

    @Test("Other machines and other clocks are refused with a sentence; --force is for machines")
    func machines() async throws {
        defer { folder.remove() }
        let (small, large) = (try bench("a", Self.before, processors: 4), try bench("b", Self.before, processors: 64))
        let result = try await Tool.run("compare", small, large)
        #expect(result.code == 65)
        #expect(result.output.isEmpty)
        #expect(result.messages.contains("was measured on another machine (Model 7, 4 processors, Linux x86_64;"))
        #expect(try await Tool.run("compare", small, large, "--force").code == 0)
        let clocks = try await Tool.run("compare", small, try bench("c", Self.before, clock: .virtual), "--force")
        #expect(clocks.code == 65)
        #expect(clocks.messages.contains("measure both with the same '--clock'"))
    }

    @Test("JSON, and two files of which neither is a bench")
    func formats() async throws {
        defer { folder.remove() }
        let file = try bench("a", Self.before)
        let json = try await Tool.run("compare", file, file, "--json").json()
        #expect(json["schema"] as? String == "sequencer.comparison/1")
        let report = try await Tool.run("run", "regular", "--clock", "virtual", "--json").output
        let wrong = try await Tool.run("compare", file, try folder.write(report, to: "report.json"))
        #expect(wrong.code == 65)
        #expect(wrong.messages.contains("expected 'sequencer.bench/1', as 'bench --save' writes it, found 'sequencer.report/1'"))
        #expect(try await Tool.run("compare", file).code == 64)
    }
}
