import Foundation
import TestSupport
import Testing

@Suite("Examples", .serialized, .timeLimit(.minutes(30)), .real)
struct RealExampleTests {
    static let programs = ["QuickStart", "ClassicOperations", "MusicApp", "Bootstrap", "SDK", "Browser", "Messenger", "PortedApp"]

    @Test("An example prints what its README says, and nothing else, and ends well")
    func output() async throws {
        // Beside each other: they wait most of the time.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for example in Self.programs {
                let runs = try DocumentedRun.all(of: example)
                #expect(!runs.isEmpty, "\(example)/README.md has no block that begins with '$ swift run \(example)'")
                for run in runs {
                    #expect(run.program == example)
                    group.addTask {
                        let result = try await self.result(of: run)
                        #expect(withoutTimes(result.output) == withoutTimes(run.output), "swift run \(run)")
                        #expect(result.messages.isEmpty, "swift run \(run)")
                        #expect(result.code == 0, "swift run \(run)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// What comes of a run that the machine had time for.
    ///
    /// These are launches in real time: one that is held up uses its fallbacks, misses its budget, or ends in another order, and says so, as it
    /// should. What differs is run again, a few times; what is wrong differs each time.
    private func result(of run: DocumentedRun) async throws -> BuiltProgram.Result {
        for _ in 1..<4 {
            let result = try await BuiltProgram(named: run.program).run(run.arguments)
            if withoutTimes(result.output) == withoutTimes(run.output) { return result }
        }
        return try await BuiltProgram(named: run.program).run(run.arguments)
    }

    @Test(
        "Every example has a README, a line in the table of all, and a source file that begins with its graph",
        arguments: programs + ["TestingYourLaunch"]
    )
    func documented(_ example: String) throws {
        let folder = DocumentedRun.examples.appending(path: example)
        let table = try String(contentsOf: DocumentedRun.examples.appending(path: "README.md"), encoding: .utf8)
        #expect(table.contains("[`\(example)`](\(example)"))
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let texts = try sources.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        #expect(texts.contains { $0.hasPrefix("//") && $0.contains("──") })
    }

    @Test("The first program a newcomer sees has fewer than 25 lines of code")
    func quickStart() throws {
        let text = try String(contentsOf: DocumentedRun.examples.appending(path: "QuickStart/QuickStart.swift"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }.count < 25)
    }

    @Test("Times are all that is not compared")
    func normalised() {
        #expect(withoutTimes("a 5 ms to  12.5 ms") == "a TIME to TIME")
        #expect(withoutTimes("in 0.412718 seconds of 3.0 seconds") == "in TIME of TIME")
        #expect(withoutTimes("splash succeeded \nnext \n") == "splash succeeded\nnext\n")
        #expect(withoutTimes("version 0.9, 7 operations, 2 screens") == "version 0.9, 7 operations, 2 screens")
    }
}
