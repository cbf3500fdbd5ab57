import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Timelines", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TimelineTextTests {
    private static let unicode = TextStyle(isColored: false, isUnicode: true)
    private static let ascii = TextStyle(isColored: false, isUnicode: false)
    private static let colored = TextStyle(isColored: true, isUnicode: true)

    private func text(_ report: LaunchReport, _ style: TextStyle = unicode, width: Int = 72) -> String {
        TimelineText(report, style: style, width: width).text
    }

    @Test("In ASCII")
    func asciiOnly() async throws {
        let report = try await TimelineFixtures.run(TimelineFixtures.trouble(), lanes: 8)
        #expect(
            text(report, Self.ascii) == """
                trouble: completed in 1.1 s, 4 of 8 lanes and the main thread
                                         0                    500 ms                1 s
                                         +--------------------+---------------------+---
                * fetch-config       1 s ###########################################
                      fell back: not ended after its timeout of 1 s
                  login           700 ms xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      failed: the server answered 503 Service Unavailable, and asks to
                      be left alone for at least 120 seconds
                  connect-speaker 300 ms xxxxxxxxxxxxx
                      timed out: not ended after its timeout of 300 ms
                  push            750 ms ################################ 3 attempts
                  sync            500 ms #####################
                  migrate         300 ms .....................#############
                *^main-app        100 ms                                            ####
                  profile              - skipped: login failed
                  tutorial             - skipped: its condition was false
                * critical path  # running  . waiting  x not done  ^ main thread
                controlled: time; not: real work, threads, processors
                PASS  1.1 s of 3 s; fell back: fetch-config; failed: login; timed out:
                      connect-speaker; skipped: profile

                """
        )
    }

    @Test("In colour")
    func coloured() async throws {
        let report = try await TimelineFixtures.run(TimelineFixtures.outdated())
        let text = text(report, Self.colored, width: 60).replacing("\u{1B}[", with: "^")
        #expect(
            text == """
                ^1mregular^0m: aborted after 300 ms, 1 lane and the main thread
                                      ^2m0^0m                        ^2m200 ms^0m
                                      ^2m┬────────────────────────┬────────────^0m
                 ◆splash       300 ms ^33m╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳^0m
                      ^2mcancelled while it ran^0m
                ^33m*^0m ^1mforce-update^0m 300 ms ^32m██████████████████████████████████████^0m
                 ◆^2mmain-app^0m          ^2m–^0m ^2mnot started^0m
                ^2m* critical path  █ running  ╳ not done  ◆ main thread^0m
                ^2mcontrolled: time; not: real work, threads, processors^0m
                ^33mABORTED^0m by force-update (force-update): 1 of 3 operations
                      done, 1 not started

                """
        )
    }

    @Test("Cancelled from outside")
    func cancelled() async throws {
        var graph = OperationGraph("left")
        let box = LaunchBox()
        let first = graph.add("splash") { step in
            try await step.sleep(for: .milliseconds(200))
            try await box.launch().cancel()
        }
        graph.add("main-app", after: first) {}
        let report = try await box.run(graph, budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
        #expect(ExitCode(of: report) == .failed)
        #expect(text(report).hasSuffix("CANCELLED  1 of 2 operations done, 1 not started\n"))
    }

    @Test("Of a large graph: the critical path, the longest, and how many are missing")
    func large() async throws {
        var graph = OperationGraph("large")
        for number in 0..<9_990 {
            if number < 9_900 {
                graph.add("operation-\(number)") {}
            } else {
                graph.add("operation-\(number)") { launch in try await launch.sleep(for: .microseconds(number)) }
            }
        }
        var last = graph.add("path-0") { launch in try await launch.sleep(for: .milliseconds(5)) }
        for number in 1..<10 {
            last = graph.add("path-\(number)", after: last) { launch in try await launch.sleep(for: .milliseconds(5)) }
        }
        let report = try await TimelineFixtures.run(graph)
        let lines = TimelineText(report, style: Self.unicode, width: 80).lines
        #expect(lines.count { $0.hasPrefix("* path-") } == 10)
        #expect(lines.count { $0.hasPrefix("  operation-99") } == 90)
        #expect(lines.contains("… 9900 of 10000 operations not shown: shorter, and not critical"))
        #expect(lines.contains { $0.hasPrefix("PASS  50 ms of 3 s; nobody knows how long operation-0, ") })
        #expect(lines.count == 108)
    }

    @Test("A critical path of 10,000 operations is cut too")
    func longPath() async throws {
        var graph = OperationGraph("path")
        var last = graph.add("0") {}
        for number in 1..<10_000 { last = graph.add("\(number)", after: last) {} }
        let report = try await TimelineFixtures.run(graph)
        #expect(TimelineText(report, style: Self.unicode, width: 80).lines.count <= 130)
    }

    @Test("Names cannot take over the terminal or break the columns")
    func hostileNames() async throws {
        var graph = OperationGraph("evil\u{1B}[2J\nname\u{202E}")
        let first = graph.add("日本語の名前がとても長いので切られます", .title("\u{1B}]0;title\u{7}")) { launch in
            try await launch.sleep(for: .seconds(1))
        }
        graph.add("<b>|&\"'*", .onFailure(.continue), after: first) { launch in
            try await launch.sleep(for: .seconds(1))
            throw TimelineFixtures.ServerError(description: "\u{1B}[31mred\r\nnew line")
        }
        graph.add("e\u{301}🚀", after: first) { launch in launch.abort("\u{1B}[2Jreason") }
        let report = try await TimelineFixtures.run(graph)
        for width in [40, 72, 120, 400] {
            for style in [Self.unicode, Self.ascii] {
                for line in TimelineText(report, style: style, width: width).lines {
                    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x202E })
                    #expect(displayWidth(line) <= width, "\(line)")
                }
            }
        }
    }

    @Test(
        "Ticks are at round times, and no label touches the one before it",
        arguments: [
            (Duration.milliseconds(2500), ["0", "500 ms", "1 s", "1.5 s", "2 s", "2.5 s"]),
            (.milliseconds(800), ["0", "200 ms", "400 ms", "600 ms", "800 ms"]), (.seconds(100), ["0", "50 s", "1.67 min"]),
            (.nanoseconds(1), ["0", "1 ns"]), (.zero, ["0"]),
        ]
    )
    func ticks(end: Duration, labels: [String]) {
        let operation = OperationReport(id: "a", outcome: .succeeded, start: .zero, end: end)
        let report = LaunchReport(scenario: "ticks", makespan: end, work: end, operations: [operation])
        let line = TimelineText(report, style: Self.unicode, width: 72).lines[1]
        #expect(line.split(separator: /\ {2,}/).map(String.init) == labels)
    }

    @Test("No line is wider than the terminal", arguments: [40, 41, 47, 60, 80, 100, 399, 400, 1000])
    func widths(width: Int) async throws {
        for graph in [TimelineFixtures.trouble(), TimelineFixtures.slow(), TimelineFixtures.outdated()] {
            let report = try await TimelineFixtures.run(graph, lanes: 8)
            let lines = TimelineText(report, style: Self.unicode, width: width).lines
            #expect(lines.allSatisfy { displayWidth($0) <= min(width, 400) })
            #expect(lines.allSatisfy { $0.last != " " })
        }
    }
}
