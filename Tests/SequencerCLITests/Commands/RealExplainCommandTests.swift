import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// `explain`, over launches that have really died.
@Suite("explain", .serialized, .timeLimit(.minutes(30)), .real)
struct RealExplainCommandTests {
    /// What differs from one time to the next, replaced.
    private func steady(_ text: String, _ folder: String) -> String {
        text.replacing(folder, with: "DIR")
            .replacing(#/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/#, with: "2026-11-21 13:47:54")
            .replacing(#/\d[\d.]* (?:µs|ms|s) */#, with: "412 ms  ")
            .replacing(#/after +ended/#, with: "after   ended")
    }

    @Test("fault P2: a step that crashes three launches is left out of the fourth, which reaches main-app; explain says all of it")
    func loop() async throws {
        let folder = try await crashedInTutorial()
        defer { folder.remove() }
        let state = folder.file("device").path
        let before = try await Tool.run("explain", "--state", state, environment: ["COLUMNS": "400"])
        #expect(before.code == 0 && before.messages.isEmpty)
        #expect(
            steady(before.output, state) == """
                The next launch is in safe mode: tutorial is left out.
                  Why: the last 3 launches crashed in tutorial.
                  It ends after a launch that stays healthy, or with another version of the app. If the next launch dies too, the one after it also goes without the configuration on trial.

                Launches in DIR, the newest first:

                     began (UTC)          version  scenario      level   after   ended
                  4  2026-11-21 13:47:54  1.0.0    regular       normal  412 ms  crashed in tutorial
                  3  2026-11-21 13:47:54  1.0.0    regular       normal  412 ms  crashed in tutorial
                  2  2026-11-21 13:47:54  1.0.0    regular       normal  412 ms  crashed in tutorial
                  1  2026-11-21 13:47:54  1.0.0    first-launch  normal  412 ms  completed, stayed healthy

                """
        )
        let fourth = try await Tool.run("run", "--state", state, "--budget", "60s", "--inject", "tutorial=crash", "--json")
        #expect(fourth.code == 0)
        let sentence = "safe mode: tutorial is left out, because the last 3 launches crashed in tutorial"
        #expect(fourth.messages == "sequencer-cli: \(sentence)\n")
        let report = try fourth.json()
        #expect(report["outcome"] as? String == "completed")
        let operations = try #require(report["operations"] as? [[String: Any]])
        func operation(_ id: String) -> [String: Any]? { operations.first { $0["id"] as? String == id } }
        #expect(operation("tutorial")?["outcome"] as? String == "skipped")
        #expect(operation("main-app")?["outcome"] as? String == "succeeded")
        #expect(operation("main-app")?["notes"] as? [String] == [sentence])

        let after = try await Tool.run("explain", "--state", state, "--last", "1", environment: ["COLUMNS": "400"])
        #expect(
            steady(after.output, state) == """
                The next launch leaves nothing out.

                Launches in DIR, the newest first, 1 of 5:

                     began (UTC)          version  scenario  level     after   ended
                  5  2026-11-21 13:47:54  1.0.0    regular   skipping  412 ms  completed, stayed healthy

                  launch 5 was in \(sentence)

                """
        )
    }

    @Test("a launch that nobody sees runs as any other built-in scenario, and is written down as one: three that crash leave nothing out")
    func unseen() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        #expect(try await Tool.run("run", "--state", state, "--budget", "60s").code == 0)
        let unseen = try await Tool.run("run", "background", "--state", state, "--budget", "60s", "--json")
        #expect(unseen.code == 0, "\(unseen.messages)")
        let operations = try unseen.json()["operations"] as? [[String: Any]]
        let expected = ["silent-push", "fetch-config", "restore-session", "entitlements"]
        #expect(operations?.compactMap { $0["id"] as? String } == expected)
        for _ in 0..<3 {
            let crash = try await Tool.run("run", "background", "--state", state, "--inject", "fetch-config=crash")
            #expect(crash.code == 128 + SIGKILL)
        }
        let after = try await Tool.run("explain", "--state", state, environment: ["COLUMNS": "400"])
        #expect(after.output.hasPrefix("The next launch leaves nothing out."), "\(after.output)")
    }

    /// A folder whose app has crashed three times while nothing but its tutorial ran.
    ///
    /// The force-update check ends before the tutorial begins, unless the machine is busy with something else: then that is tried once more.
    private func crashedInTutorial() async throws -> TemporaryFolder {
        for attempt in 1... {
            let folder = try TemporaryFolder()
            let state = folder.file("device").path
            #expect(try await Tool.run("run", "--state", state, "--budget", "60s").code == 0)
            var said: [String] = []
            for _ in 0..<3 {
                let crash = try await Tool.run("run", "--state", state, "--inject", "tutorial=crash")
                #expect(crash.code == 128 + SIGKILL && crash.output.isEmpty)
                said.append(crash.messages)
            }
            let explained = try await Tool.run("explain", "--state", state, "--json").json()
            let launches = try #require(explained["launches"] as? [[String: Any]])
            guard launches.prefix(3).allSatisfy({ $0["operations"] as? [String] == ["tutorial"] }) || attempt == 5 else {
                folder.remove()
                continue
            }
            let sentence = "sequencer-cli: the launch before this one crashed in tutorial\n"
            #expect(said == ["", sentence, sentence])
            return folder
        }
        preconditionFailure("the fifth attempt returned")
    }

    @Test("How launches ended that did not crash: one that failed, one that was interrupted, one that another version ran")
    func otherEnds() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        _ = try await Tool.run("run", "regular", "--state", state, "--clock", "virtual", "--inject", "login=fail")
        _ = try await Tool.run("run", "regular", "--state", state, "--inject", "force-update=required", "--app-version", "2.0.0")
        let interrupted = try await Tool.shell(
            // Nobody stops it sooner: in a first launch, the login has no timeout.
            """
            "$TOOL" run first-launch --state \(state) --inject login=hang --deadline none &
            until grep -q '"started".*"login"' "$(ls -d \(state)/journal/* | sed -n 3p)"; do sleep 0.05; done
            kill -INT $!; wait $!
            """
        )
        #expect(interrupted.code == 130)
        let launches = try #require(try await Tool.run("explain", "--state", state, "--json").json()["launches"] as? [[String: Any]])
        #expect(launches.map { $0["ending"] as? String } == ["quit", "aborted", "failed"])
        #expect(launches.map { $0["operations"] as? [String] } == [[], ["force-update"], ["login"]])
        #expect(launches.map { $0["version"] as? String } == ["1.0.0", "2.0.0", "1.0.0"])
    }
}
