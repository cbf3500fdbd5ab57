import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Lines of launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchLineTests {
    private static let head = #""schema":"sequencer.report/1","scenario":"regular""#
    private static let budget = #""budget":{"measuredMs":12.5,"verdict":"pass"}"#

    private func parse(_ text: String) -> Result<LaunchLine?, JSONError> {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            Result { () throws(JSONError) in try LaunchLineParser.parse(bytes) }
        }
    }

    private func message(_ text: String) -> String? {
        if case .failure(let error) = parse(text) { return error.message }
        return nil
    }

    @Test(
        "What is wanted is found among what is not",
        arguments: [
            #"{\#(head),"outcome":"completed",\#(budget)}"#,
            #" { "operations" : [ {"a":[[],{}," \\\" ",1e5,-0.5,true,false,null]} ] , \#(budget) , "outcome":"completed", \#(head) } "#,
            #"{\#(head),"outcome":"completed","budget":{"x":{"measuredMs":1},"verdict":"pass","measuredMs":125e-1},"y":{"outcome":"failed"}}"#,
            #"{"\u0073chema":"sequencer.report\/1","scenario":"re\u0067ular","outcome":"completed",\#(budget)}"#,
        ]
    )
    func reports(_ text: String) {
        let expected = LaunchLine(scenario: "regular", version: nil, end: .report(.completed, measured: 12.5, isMet: true))
        #expect(parse(text) == .success(expected))
    }

    @Test("A launch whose process was not started for it is kept apart")
    func processStart() {
        let text = #"{\#(Self.head),"outcome":"completed",\#(Self.budget),"processStart":"background"}"#
        let expected = LaunchLine(scenario: "regular (background)", version: nil, end: .report(.completed, measured: 12.5, isMet: true))
        #expect(parse(text) == .success(expected))
    }

    @Test("Operations that have started, where they are wanted; elsewhere they may be anything")
    func operations() throws {
        let texts = [
            #"{"id":"a","startMs":1,"durationMs":2.5,"x":[{"id":"y"}]}"#, #"{"durationMs":4,"startMs":0,"\u0069d":"b"}"#,
            #"{"id":"skipped","startMs":null,"durationMs":null}"#, #"{"id":"never","durationMs":0}"#, "{}",
            #"{"id":"c","startMs":null,"durationMs":null,"outcome":"skipped"}"#,
        ]
        let line = #"{\#(Self.head),"operations":[\#(texts.joined(separator: " , "))],"outcome":"completed",\#(Self.budget)}"#
        let launch = try Array(line.utf8).withUnsafeBufferPointer { try LaunchLineParser.parse($0, readsOperations: true) }
        #expect(
            launch?.operations == [
                LaunchLine.Operation(id: "a", milliseconds: 2.5), LaunchLine.Operation(id: "b", milliseconds: 4),
                LaunchLine.Operation(id: "c", outcome: .skipped),
            ]
        )
        let other = #"{\#(Self.head),"operations":7,"outcome":"completed",\#(Self.budget)}"#
        #expect(try parse(other).get()?.operations == [])
        let bytes = Array(other.utf8)
        #expect(throws: JSONError.self) {
            try bytes.withUnsafeBufferPointer { try LaunchLineParser.parse($0, readsOperations: true) }
        }
    }

    @Test("The wanted attribute, wherever its name stands; others, and those that nobody wants, may be anything")
    func attributes() throws {
        func value(_ attributes: String, _ name: String? = "os.version") throws -> String? {
            let line = #"{\#(Self.head),"attributes":\#(attributes),"outcome":"completed",\#(Self.budget)}"#
            return try Array(line.utf8).withUnsafeBufferPointer { try LaunchLineParser.parse($0, attribute: name) }?.attribute
        }
        let long = String(repeating: "x", count: 300)
        let texts = [#"{"name":"os.name","value":"\#(long)"}"#, #"{"name":7,"value":[1]}"#, "{}", #"{"value":"x"}"#]
        let others = texts.joined(separator: " , ")
        #expect(try value(#"[\#(others),{"name":"os.version","value":"26.1"}]"#) == "26.1")
        #expect(try value(#"[{"x":[{}],"value":"26.1","n\u0061me":"os.version"},\#(others)]"#) == "26.1")
        #expect(try value("[\(others)]") == nil)
        #expect(try value("[ ]") == nil)
        #expect(try value("7", nil) == nil)
        for wrong in ["7", "[7]", #"[{"name":"os.version","value":7}]"#, #"[{"name":"os.version","value":"\#(long)"}]"#] {
            #expect(throws: JSONError.self, "\(wrong)") { try value(wrong) }
        }
        let crash = #"{"schema":"sequencer.crash/1","scenario":"push","attributes":[{"name":"a","value":"b"}]}"#
        let launch = try Array(crash.utf8).withUnsafeBufferPointer { try LaunchLineParser.parse($0, attribute: "a") }
        #expect(launch == LaunchLine(scenario: "push", version: nil, end: .crash(operation: nil), attribute: "b"))
    }

    @Test("Crashes, with and without an operation; blank lines")
    func crashes() {
        let crash = #"{"schema":"sequencer.crash/1","scenario":"push","version":"2","operation":"login"}"#
        #expect(parse(crash) == .success(LaunchLine(scenario: "push", version: "2", end: .crash(operation: "login"))))
        let short = #"{"schema":"sequencer.crash/1","scenario":"push"}"#
        #expect(parse(short) == .success(LaunchLine(scenario: "push", version: nil, end: .crash(operation: nil))))
        #expect(parse("") == .success(nil) && parse(" \r") == .success(nil))
    }

    @Test(
        "What is broken is refused",
        arguments: [
            ("[]", "expected an object"),
            ("{", "the line ends early; expected a key"),
            (#"{\#(head),"outcome":"completed",\#(budget)}x"#, "expected nothing after the object"),
            (#"{\#(head),"outcome":"completed",\#(budget),}"#, "expected a key"),
            (#"{\#(head),"outcome":"completed"}"#, "missing key 'budget'"),
            (#"{\#(head),"outcome":"completed","budget":{"verdict":"pass"}}"#, "missing key 'budget.measuredMs'"),
            (#"{\#(head),\#(budget)}"#, "missing key 'outcome'"),
            (#"{"scenario":"a"}"#, "missing key 'schema'"),
            (#"{"schema":"sequencer.crash/1"}"#, "missing key 'scenario'"),
            (#"{"schema":"x"}"#, "unknown schema 'x'; expected 'sequencer.report/1' or 'sequencer.crash/1'"),
            (
                #"{\#(head),"outcome":"completed",\#(budget),"initialDisplayBudget":{"verdict":"late"}}"#,
                "unknown verdict 'late'; expected 'pass' or 'fail'"
            ),
            (#"{"initialDisplayBudget":7}"#, "expected an object"),
            (#"{"initialDisplayMs":-1}"#, "expected 'initialDisplayMs' to be from 0 to 9000000000000"),
            (#"{"schema":1}"#, "expected 'schema' to be a string"),
            (#"{\#(head),\#(head)}"#, "the key 'schema' comes twice"),
            (
                #"{\#(head),"outcome":"done",\#(budget)}"#,
                "unknown outcome 'done'; expected 'completed', 'aborted', 'failed' or 'cancelled'"
            ),
            (#"{"a":01}"#, "expected ',' or '}'"),
            (#"{"a":1.}"#, "expected a digit"),
            (#"{"a":tru}"#, "expected 'true'"),
            (#"{"a":[1,]}"#, "expected a value"),
            (#"{"a":[1}"#, "expected ',' or ']'"),
            (#"{"a":{"b" 1}}"#, "expected ':'"),
            (#"{"a":"\x"}"#, "an unknown escape"),
            (#"{"a":"\u12g4"}"#, "'\\u' without four hexadecimal digits"),
            ("{\"a\":\"\u{1}\"}", "a string holds a control character"),
            (#"{"a":"open}"#, "the string that starts here is not closed"),
            (#"{"budget":{"measuredMs":-1}}"#, "expected 'measuredMs' to be from 0 to 9000000000000"),
            (#"{"budget":{"measuredMs":1e999}}"#, "expected 'measuredMs' to be from 0 to 9000000000000"),
            (#"{"budget":{"measuredMs":null}}"#, "expected 'measuredMs' to be a number"),
            (#"{"scenario":"\ud800"}"#, nil),
        ] as [(String, String?)]
    )
    func broken(_ text: String, _ expected: String?) {
        let message = message(text)
        #expect(message != nil)
        if let expected { #expect(message == expected) }
    }

    @Test("Nesting has a limit, whatever its depth")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(message("{\"a\":" + deep) == "more than 64 levels of nesting")
        let nested = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(message("{\"a\":\(nested)}") == "missing key 'schema'")
    }

    @Test("Long names are refused, and so is text that is not UTF-8 where it is kept")
    func names() {
        #expect(message("{\"scenario\":\"\(String(repeating: "a", count: 257))\"}") == "'scenario' has more than 256 bytes")
        let bytes = Array(#"{"scenario":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        let isRefused = bytes.withUnsafeBufferPointer { bytes in
            do throws(JSONError) {
                _ = try LaunchLineParser.parse(bytes)
                return false
            } catch {
                return true
            }
        }
        #expect(isRefused)
    }

    @Test("Cut anywhere, a line is refused or means the same")
    func cuts() {
        let text = #"{\#(Self.head),"outcome":"completed",\#(Self.budget),"operations":[{"id":"a\n","x":[1.5e3,null]}]}"#
        for length in 1..<text.utf8.count {
            #expect(message(String(text.prefix(length))) != nil, "\(length)")
        }
    }

    /// The report of a launch in virtual time: its steps and their ends, its budget, and the texts that the line is read for, are left to chance.
    private func randomReport(_ seed: UInt64) async throws -> LaunchReport {
        var random = SplitMix64(seed: seed)
        func one<Value>(of values: [Value]) -> Value { values[random.index(below: values.count)] }
        struct Trouble: Error {}
        var graph = OperationGraph("random")
        var previous: [String] = []
        for number in 0...random.index(below: 6) {
            let options = [StepOption.onFailure(one(of: [.required, .skipDependents, .continue])), .all(one(of: [[], [.interactive]]))]
            let display: [StepOption] = number == 0 ? [.initialDisplay] : []
            let (pause, end) = (Duration.nanoseconds(random.index(below: 2_000_000_000)), random.index(below: 8))
            graph.add("op\(number)", .all(options + display), after: previous) { launch in
                launch.note(#"},"outcome":"cancelled","budget":{"measuredMs":1}"#)
                try await launch.sleep(for: pause)
                if end == 0 { throw Trouble() }
                if end == 1 { launch.abort("stop") }
            }
            previous = one(of: [previous, ["op\(number)"]])
        }
        graph.join("main", .milestone, after: previous)
        let limits = [5_000, 2_000].map { Duration.milliseconds(1 + random.index(below: $0)) }
        let budget: Budget? = one(of: [nil, Budget(limits[0]), Budget(limits[0], initialDisplay: limits[1])])
        var report = try await graph.run(budget: budget, options: LaunchOptions(clock: VirtualClock())).report
        let texts = ["a", "Zürich", "\"\\\n\u{7}", "\u{1F468}\u{200D}\u{1F469}", "\u{2028}", #"","outcome":"failed"#]
        report.scenario = one(of: texts)
        report.version = one(of: [nil, "1.4.0", texts[0], texts[2]])
        if seed.isMultiple(of: 10) { report.outcome = .cancelled }
        return report
    }

    @Test("A line says of a launch what the report that is decoded from it says, whatever chance makes of the launch")
    func agreement() async throws {
        var outcomes: Set<LaunchOutcome> = []
        var displays: Set<Bool?> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            let text = try await randomReport(seed).json(pretty: false)
            let report = try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8))
            guard case .success(let line?) = parse(text),
                case .report(let outcome, let measured, let isMet, let display, let isDisplayMet) = line.end
            else {
                Issue.record("seed \(seed): \(parse(text)) of \(text)")
                continue
            }
            #expect(line.scenario == report.scenario && line.version == report.version, "seed \(seed)")
            #expect(outcome == LaunchOutcome(report.outcome) && isMet == report.isWithinBudgets, "seed \(seed)")
            #expect(isDisplayMet == report.isInitialDisplayMet, "seed \(seed)")
            displays.insert(isDisplayMet)
            #expect(Duration.nanoseconds(Int64((measured * 1e6).rounded())) == report.budget.measured, "seed \(seed)")
            #expect(display == report.timeToInitialDisplay.map { Double($0.nanoseconds) / 1e6 }, "seed \(seed)")
            outcomes.insert(outcome)
        }
        // That chance leads everywhere.
        #expect(outcomes == Set(LaunchOutcome.allCases) && displays.count == 3)
    }

    @Test("Lines are the same however the bytes come; one that is too long is left out", arguments: [1, 2, 3, 7, 100])
    func splitting(_ size: Int) {
        let bytes = Array("first\n\nthird line\n0123456789abcdef\nlast".utf8)
        var splitter = LineSplitter(limit: 12)
        var lines: [String?] = []
        func take(_ line: UnsafeBufferPointer<UInt8>?) { lines.append(line.map { String(decoding: $0, as: UTF8.self) }) }
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBufferPointer { splitter.feed($0, take) }
        }
        splitter.finish(take)
        #expect(lines == ["first", "", "third line", nil, "last"])
        #expect(splitter.count == 5)
    }

    @Test("However many scenarios there are, only so many are told apart")
    func groups() {
        var statistics = LaunchStatistics()
        for number in 0..<2000 {
            statistics.add(LaunchLine(scenario: "scenario \(number)", version: nil, end: .crash(operation: "operation \(number)")))
        }
        for number in 0..<2000 { statistics.add(LaunchLine(scenario: "scenario 0", version: nil, end: .crash(operation: "\(number)"))) }
        #expect(statistics.groups.count == LaunchStatistics.groupLimit + 1)
        #expect(statistics.sortedGroups.last?.isOther == true && statistics.sortedGroups.last?.crashes == 1500)
        #expect(statistics.total.crashes == 4000)
        #expect(statistics.groups.allSatisfy { $0.crashesByOperation.count <= LaunchStatistics.operationLimit + 1 })
        #expect(statistics.groups.first?.crashesByOperation[LaunchStatistics.other] == 1901)
    }

    @Test("Where too many operations crashed, those that are told apart are the same each time")
    func crashesOfTooMany() {
        // Their order is that of a dictionary, another one in each process.
        let parts = [0..<60, 60..<150].map { numbers in
            numbers.reduce(into: LaunchStatistics()) { statistics, number in
                let crash = LaunchLine.End.crash(operation: String(1000 + number))
                statistics.add(LaunchLine(scenario: "a", version: "\(numbers.lowerBound)", end: crash))
            }
        }
        let total = parts.reduce(into: LaunchStatistics()) { $0.merge($1) }.total
        let expected = (0..<LaunchStatistics.operationLimit).map { String(1000 + $0) }
        #expect(total.crashesByOperation.keys.sorted() == [LaunchStatistics.other] + expected)
        #expect(total.crashesByOperation[LaunchStatistics.other] == 50)
    }

    @Test("However many values an attribute has, only so many are told apart")
    func groupsOfAttributes() {
        var statistics = LaunchStatistics()
        for number in 0..<2000 {
            statistics.add(LaunchLine(scenario: "a", version: "1", end: .crash(operation: nil), attribute: "\(number)"))
        }
        #expect(statistics.groups.count == LaunchStatistics.groupLimit + 1 && statistics.total.crashes == 2000)
        #expect(statistics.sortedGroups.last?.isOther == true && statistics.sortedGroups.last?.crashes == 1500)
    }
}
