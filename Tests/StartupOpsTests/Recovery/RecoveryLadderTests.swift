import Foundation
import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

@testable import StartupOps

/// What the next launch leaves out, by how the ones before it ended.
@Suite("The recovery ladder", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RecoveryLadderTests {
    /// A launch, in a few words.
    private struct Sample {
        var lines: [JournalLine]
        var version: String? = "1"
        var level = RecoveryLevel.normal
        var skipped: [String] = []
        var required = ["main-app"]
        var isHealthy = false
        var updateLast: Bool?
        var avoidable: [String]?
        var kind = LaunchKind.foreground

        static func crash(_ operations: String..., level: RecoveryLevel = .normal, version: String? = "1") -> Sample {
            Sample(lines: operations.map { .started($0) }, version: version, level: level)
        }

        static func hang(_ operations: String...) -> Sample { Sample(lines: operations.map { .started($0) } + [.stalled]) }
        static let completed = Sample(lines: [.over(), .outcome("completed")])
        static let healthy = Sample(lines: [.over(), .outcome("completed")], isHealthy: true)

        func launch(_ number: Int) -> JournaledLaunch {
            var planned = JournalLine(.planned)
            planned.level = level
            planned.skipped = skipped
            planned.required = required
            planned.updateLast = updateLast
            planned.avoidable = avoidable
            let end = isHealthy ? [JournalLine(.healthy)] : []
            let all = [JournalSamples.began(version: version, level: level, kind: kind), planned] + lines + end
            return JournaledLaunch(number: number, JournalSamples.contents(all))
        }
    }

    /// - Parameter launches: the oldest first.
    private func recovery(after launches: [Sample], version: String? = "1", limits: RecoveryLimits = RecoveryLimits()) -> Recovery {
        let newestFirst = launches.enumerated().map { $1.launch($0 + 1) }.reversed()
        return RecoveryLadder(limits: limits).recovery(after: RecoveryLadder.relevant(newestFirst, for: version))
    }

    @Test("fault P2: three launches that died in the same operation, and not two, make the next one leave it out")
    func three() {
        #expect(recovery(after: []) == .none)
        #expect(recovery(after: [.crash("tutorial"), .crash("tutorial")]) == .none)
        let third = recovery(after: [.crash("tutorial"), .crash("tutorial"), .crash("tutorial")])
        #expect(third == Recovery(.skipping, skipping: ["tutorial"], because: "the last 3 launches crashed in tutorial"))
        let hung = recovery(after: [.hang("tutorial"), .hang("tutorial"), .hang("tutorial")])
        #expect(hung.reason == "the last 3 launches hung in tutorial")
        let both = recovery(after: [.hang("tutorial"), .crash("tutorial"), .hang("tutorial")])
        #expect(both.level == .skipping && both.reason == "the last 3 launches crashed or hung in tutorial")
    }

    @Test("fault P11: going to the background later changes neither that a launch stayed healthy nor that it failed")
    func laterBackground() {
        let crash = Sample.crash("tutorial")
        let healthy = Sample(lines: [.over(), .outcome("completed"), JournalLine(.healthy), .kind(.background)])
        #expect(recovery(after: [crash, crash, crash, healthy]) == .none)
        let unseen = Sample(lines: [.kind(.background), .over(), .outcome("completed"), JournalLine(.healthy)])
        #expect(recovery(after: [crash, crash, crash, unseen]).skipped == ["tutorial"])
        let failed = Sample(lines: [.over(stopped: true), .outcome("failed", "tutorial"), .kind(.background)])
        #expect(recovery(after: [failed, failed, failed]).skipped == ["tutorial"])
        let unseenFailure = Sample(lines: [.kind(.background), .over(stopped: true), .outcome("failed", "tutorial")])
        #expect(recovery(after: [unseenFailure, unseenFailure, unseenFailure]) == .none)
    }

    @Test("fault P35: a step of the name of the update check is that check where it cannot be left out, and any other step where it can")
    func ownUpdateCheck() throws {
        let crash = Sample.crash("force-update")
        #expect(recovery(after: [crash, crash, crash]).skipped == ["force-update"])
        func predecessors(_ option: StepOption) throws -> Set<String> {
            var graph = OperationGraph("own")
            graph.add("force-update", option) {}
            graph.add("main-app", .milestone) {}
            Recovery(.minimal).apply(to: &graph, skippable: graph.skippable())
            return Set(try graph.validated().ancestors(of: "main-app"))
        }
        #expect(try predecessors(.essential) == ["force-update"])
        #expect(try predecessors(.onFailure(.skipDependents)) == [])
    }

    @Test("The culprits are those that were in progress every time, the one that started last first")
    func intersection() {
        let one = recovery(after: [.crash("splash", "login"), .crash("login"), .crash("config", "login", "speaker")])
        #expect(one.skipped == ["login"])
        let two = recovery(after: [.crash("login", "splash"), .crash("splash", "login"), .crash("splash", "config", "login")])
        #expect(two.skipped == ["login", "splash"] && two.reason == "the last 3 launches crashed in login or splash")
    }

    @Test("fault P16: the update check is never left out; when it was the end of launches, it comes after the main screen")
    func updateCheck() {
        func check(_ operations: String..., level: RecoveryLevel = .normal) -> Sample {
            Sample(lines: operations.map { .started($0) }, level: level, required: ["main-app", "force-update"])
        }
        let together = check("splash", "force-update")
        #expect(recovery(after: [together, together, together]).skipped == ["splash"])
        let alone = recovery(after: [check("force-update"), check("force-update"), check("force-update")])
        #expect(alone.level == .withoutTrialConfiguration && alone.skipped.isEmpty && alone.asksForUpdateLast)
        #expect(alone.summary == "the last configuration that worked is used; the update check comes last")
        // At any level; and what was decided once stays, wherever the next ones die, and though the launches that led there are gone.
        let died = recovery(after: [check("force-update", level: .withoutCaches)])
        #expect(died.level == .minimal && died.asksForUpdateLast)
        var last = check("main-app", level: .minimal)
        last.updateLast = true
        #expect(recovery(after: [last]).asksForUpdateLast)
        // Something else may have been the end of it.
        #expect(!recovery(after: [check("force-update", "main-app", level: .withoutCaches)]).asksForUpdateLast)
    }

    @Test("what the check needs comes last, or not at all, when it alone was the end of launches, and does so from then on")
    func avoidable() {
        func death(_ operations: String..., level: RecoveryLevel = .normal) -> Sample {
            let all = ["main-app", "minimum", "license"]
            return Sample(lines: operations.map { .started($0) }, level: level, required: all, avoidable: ["minimum", "license"])
        }
        let three = recovery(after: [death("minimum"), death("minimum"), death("minimum")])
        #expect(three.level == .withoutTrialConfiguration && three.late == ["minimum"])
        #expect(three.summary == "the last configuration that worked is used; minimum comes last, or not at all")
        #expect(recovery(after: [death("license", "minimum", level: .withoutCaches)]).late == ["minimum", "license"])
        // At the last level nothing else is left to try.
        #expect(recovery(after: [death("minimum", "main-app", level: .minimal)]).late == ["minimum"])
        // The main screen may have been the end of these; and a launch that fails has asked the service on its way out.
        #expect(recovery(after: [death("minimum", "main-app", level: .withoutCaches)]).late == [])
        var failure = death()
        failure.lines = [.over(stopped: true), .outcome("failed", "minimum")]
        #expect(recovery(after: [failure, failure, failure]) == .none)
    }

    @Test("Deaths in different operations say nothing, until there are too many of them")
    func anywhere() {
        let four: [Sample] = [.crash("a"), .crash("b"), .crash("a"), .crash("c")]
        #expect(recovery(after: four) == .none)
        let five = recovery(after: four + [.crash("b")])
        #expect(five.level == .withoutTrialConfiguration && five.skipped.isEmpty)
        #expect(five.reason == "the last 5 launches crashed, each in another operation")
    }

    @Test("fault P3: launches that die before any operation are a place of its own, for which nobody is blamed")
    func outside() {
        #expect(recovery(after: [.crash(), .crash("login"), .crash()]) == .none)
        let three = recovery(after: [.crash(), .crash(), .crash()])
        #expect(three == Recovery(.withoutTrialConfiguration, because: "the last 3 launches crashed outside of any operation"))
    }

    @Test("An operation that cannot be left out is not: the next rung counts at once; of several, those are left out that can be")
    func required() {
        var crash = Sample.crash("license")
        crash.required = ["main-app", "license"]
        let passed = recovery(after: [crash, crash, crash])
        #expect(passed.level == .withoutTrialConfiguration && passed.skipped.isEmpty)
        #expect(passed.reason == "the last 3 launches crashed in license, which cannot be left out")
        var two = Sample.crash("license", "tutorial")
        two.required = ["main-app", "license"]
        #expect(recovery(after: [two, two, two]).skipped == ["tutorial"])
    }

    @Test("fault P7: each further death in safe mode leaves out more, down to the least; there it stays")
    func ladder() {
        var launches: [Sample] = [.crash("tutorial"), .crash("tutorial"), .crash("tutorial")]
        for level in [RecoveryLevel.skipping, .withoutTrialConfiguration, .withoutCaches, .minimal, .minimal] {
            let next = recovery(after: launches)
            #expect(next.level == level && next.skipped == ["tutorial"])
            // Wherever that one dies.
            launches.append(Sample(lines: [.started("login")], level: level, skipped: next.skipped))
        }
        #expect(recovery(after: launches).reason?.hasSuffix("and crashed in login") == true)
    }

    @Test("What has been tried is known though the launches that led there are gone")
    func forgotten() {
        let died = Sample(lines: [.started("login")], level: .withoutCaches, skipped: ["tutorial"])
        #expect(recovery(after: [died]).level == .minimal)
        #expect(recovery(after: [died]).skipped == ["tutorial"])
        #expect(recovery(after: [Sample(lines: [.over()], level: .withoutCaches)]).level == .withoutCaches)
    }

    @Test("A launch with less left out, of another process at the same time, does not climb")
    func concurrent() {
        var launches: [Sample] = [.crash("tutorial"), .crash("tutorial"), .crash("tutorial")]
        launches.append(Sample(lines: [.started("login")], level: .skipping, skipped: ["tutorial"]))
        launches.append(.crash("tutorial"))
        #expect(recovery(after: launches).level == .withoutTrialConfiguration)
    }

    @Test("fault P8: a launch that stayed healthy ends it; one that only completed does not, and does not interrupt the count either")
    func healthy() {
        let two: [Sample] = [.crash("tutorial"), .crash("tutorial")]
        #expect(recovery(after: two + [.healthy, .crash("tutorial")]) == .none)
        #expect(recovery(after: two + [.completed, .crash("tutorial")]).level == .skipping)
        #expect(recovery(after: two + [.crash("tutorial"), .healthy]) == .none)
        #expect(recovery(after: two + [.crash("tutorial"), .completed]).level == .skipping)
        // What works where nobody sees it says nothing of what does not where they do.
        var background = Sample.healthy
        background.kind = .background
        #expect(recovery(after: two + [background, .crash("tutorial")]).level == .skipping)
    }

    @Test("Another version of the app begins anew")
    func versions() {
        let three: [Sample] = [.crash("tutorial"), .crash("tutorial"), .crash("tutorial")]
        #expect(recovery(after: three, version: "2") == .none)
        #expect(recovery(after: three, version: nil) == .none)
        #expect(recovery(after: three + [.crash("tutorial", version: "2")]) == .none)
        #expect(recovery(after: three + [.crash("tutorial", version: "2")], version: "2") == .none)
    }

    @Test(
        "fault P4, P11: a launch that ended by itself, that the person ended, or that nobody waited for, is not counted",
        arguments: [
            [.over(stopped: true)], [.over(stopped: true), .outcome("cancelled")],
            [.over(stopped: true), .outcome("failed", "tutorial", "dismissed")],
            [.over(stopped: true), .outcome("aborted", "force-update", "force-update")], [.started("tutorial"), .quit],
            [.started("tutorial"), .asked("tutorial")], [.started("tutorial"), .kind(.background)],
            [.started("tutorial"), .kind(.prewarmed)],
        ] as [[JournalLine]]
    )
    func notCounted(_ lines: [JournalLine]) {
        let other = Sample(lines: lines)
        #expect(recovery(after: [other, other, other, other, other]) == .none)
        #expect(recovery(after: [.crash("tutorial"), other, .crash("tutorial"), other, .crash("tutorial"), other]).level == .skipping)
    }

    @Test("fault P18: three launches that failed in the same operation make the next one leave it out, if that can be; nothing else is")
    func failed() {
        let failure = Sample(lines: [.over(stopped: true), .outcome("failed", "speaker")])
        #expect(recovery(after: [failure, failure]) == .none)
        let third = recovery(after: [failure, failure, failure])
        #expect(third == Recovery(.skipping, skipping: ["speaker"], because: "the last 3 launches failed in speaker"))
        #expect(recovery(after: [.crash("speaker"), failure, failure]).reason == "the last 3 launches crashed or failed in speaker")
        var required = failure
        required.required = ["main-app", "speaker"]
        #expect(recovery(after: Array(repeating: required, count: 9)) == .none)
        let safe = Sample(lines: [.over(stopped: true), .outcome("failed", "license")], level: .skipping, skipped: ["speaker"])
        #expect(recovery(after: [failure, failure, failure, safe, safe, safe]) == third)
        // Those that died count by themselves.
        #expect(recovery(after: [.crash("a"), failure, .crash("a"), failure, .crash("a")]).skipped == ["a"])
    }

    @Test("fault P30: three launches that failed, on trial, in what cannot be left out lead to the level without the trial, and no further")
    func failedOnTrial() {
        var outcome = JournalLine.outcome("failed", "license")
        outcome.trial = true
        var failure = Sample(lines: [.over(stopped: true), outcome], required: ["main-app", "license"])
        #expect(recovery(after: [failure, failure]) == .none)
        let third = recovery(after: [failure, failure, failure])
        #expect(third == Recovery(.withoutTrialConfiguration, because: "the last 3 launches failed in license, which cannot be left out"))
        var untried = failure
        untried.lines = [.over(stopped: true), .outcome("failed", "license")]
        #expect(recovery(after: [failure, untried, failure]) == .none)
        failure.level = .withoutTrialConfiguration
        #expect(recovery(after: Array(repeating: failure, count: 9)).level == .withoutTrialConfiguration)
        // Also where something else is left out already; that stays so.
        failure.level = .skipping
        failure.skipped = ["speaker"]
        #expect(recovery(after: [failure, failure]).level == .skipping)
        let both = recovery(after: [failure, failure, failure])
        #expect(both.level == .withoutTrialConfiguration && both.skipped == ["speaker"])
    }

    @Test("A file that says nothing changes nothing")
    func unreadable() {
        let launches = [
            Sample.crash("a").launch(1), Sample.crash("a").launch(2), JournaledLaunch(number: 3, Data()), Sample.crash("a").launch(4),
        ]
        let relevant = RecoveryLadder.relevant(launches.reversed(), for: "1")
        #expect(RecoveryLadder(limits: RecoveryLimits()).recovery(after: relevant).skipped == ["a"])
    }

    @Test("No more files are read than say something: of healthy launches, the last one")
    func bounded() {
        var looked = 0
        let launches = (1...50).lazy.map { number in
            looked += 1
            return Sample.healthy.launch(number)
        }
        #expect(RecoveryLadder.relevant(launches, for: "1").isEmpty)
        #expect(looked == 1)
    }

    @Test("Limits are what they are said to be, and never less than one")
    func limits() {
        #expect(recovery(after: [.crash("a")], limits: RecoveryLimits(sameOperation: -3)).level == .skipping)
        #expect(recovery(after: [.crash("a"), .crash("b")], limits: RecoveryLimits(sameOperation: 2, anywhere: 0)).level != .normal)
        #expect(recovery(after: [.crash("a"), .crash("a"), .crash("a")], limits: RecoveryLimits(sameOperation: 4)) == .none)
    }

    @Test("Every level says what it does, what ends it and what comes next", arguments: RecoveryLevel.allCases)
    func words(_ level: RecoveryLevel) {
        let recovery = Recovery(level, skipping: level == .normal ? [] : ["tutorial"], because: "launches crashed")
        #expect((recovery.outlook == nil) == (level == .normal))
        #expect(recovery.sentence.map { $0.hasPrefix("safe mode: ") && $0.hasSuffix(", because launches crashed") } ?? (level == .normal))
        #expect(level == .minimal || level.next > level)
        #expect(RecoveryLevel.minimal.next == .minimal)
    }

    @Test("what is told of safe mode names what an essential step needs and is done all the same, and what it needs and is not fresh")
    func exceptions() throws {
        var graph = OperationGraph("own")
        let config = graph.add("fetch-config", fallback: 1) { 2 }
        let flags = graph.add("flags", fallback: 1) { 2 }
        graph.add("force-update", .essential, .onFailure(.continue), using: config, flags) { _, _ in }
        graph.add("main-app", .milestone, using: config) { _ in }
        var recoveries = [Recovery(.skipping, skipping: ["tutorial"]), Recovery(.withoutTrialConfiguration), Recovery.none]
        func tell() -> [String] {
            for index in recoveries.indices { recoveries[index].tellExceptions(in: graph) }
            return recoveries.map(\.exceptions)
        }
        let done = "; done all the same, for an essential operation needs it: fetch-config"
        #expect(tell() == ["", done, ""])
        #expect(recoveries[1].sentence == "safe mode: the last configuration that worked is used" + done)
        recoveries = [Recovery(.skipping, skipping: ["tutorial"]), Recovery(.minimal), Recovery.none]
        for step in ["fetch-config", "flags"] { try graph.skip(step, because: "the app has said so") }
        let stale = "; not fresh, though an essential operation needs it: fetch-config and flags"
        #expect(tell() == [stale, stale, ""])
    }
}
