import Foundation
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Two milestones: what the initial display needs goes first, then what the full display needs, then the rest.
@Suite("The initial display", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct InitialDisplayTests {
    /// ```
    /// theme ──▶ skeleton (the initial display)   100 ms each
    /// login ──▶ feed ──▶ home (the milestone)    200 ms each
    /// other-0 ... other-3                        900 ms each, which nobody waits for
    /// ```
    private static func graph(_ first: StepOption = .initialDisplay) -> OperationGraph {
        var graph = OperationGraph("two-screens")
        for number in 0..<4 { graph.addTimed("other-\(number)", 900, computes: true) }
        graph.addTimed("login", 200, computes: true)
        graph.addTimed("feed", 200, after: "login", computes: true)
        graph.addTimed("home", 200, .milestone, after: "feed", computes: true)
        graph.addTimed("theme", 100, computes: true)
        graph.addTimed("skeleton", 100, first, after: "theme", computes: true)
        return graph
    }

    @Test("on one lane, an initial display delays the milestone by just the time of what it needs and the milestone does not")
    func delay() async throws {
        for random in RandomGraph.many(Nightly.times(day: 40, night: 400), operations: 3...40) {
            var numbers = SplitMix64(seed: random.seed &+ 7)
            let milestone = Int.random(in: 1..<random.count, using: &numbers)
            // Of a lower number, and so never behind the milestone.
            let display = Int.random(in: 0..<milestone, using: &numbers)
            func graph(isMarked: Bool) throws -> ValidatedGraph {
                try random.graph(
                    options: { node in
                        var options = [StepOption.expected(random.durations[node])]
                        if node == milestone { options.append(.milestone) }
                        if isMarked, node == display { options.append(.initialDisplay) }
                        return options
                    },
                    work: { _ in .synchronous { _ in } }
                ).validated()
            }
            let (marked, plain) = (try graph(isMarked: true), try graph(isMarked: false))
            let (forDisplay, forMilestone) = (plain.leading(to: display), plain.leading(to: milestone))
            let extra = random.durations.indices.filter { forDisplay[$0] && !forMilestone[$0] }.map { random.durations[$0] }.reduce(
                .zero,
                +
            )
            let options = PlanOptions(lanes: 1)
            let ends = (marked: try await marked.plan(options).milestoneEnd, plain: try await plain.plan(options).milestoneEnd)
            #expect(ends.marked == ends.plain + extra, "\(random.testDescription)")
        }
    }

    private static func report(
        _ graph: OperationGraph,
        lanes: Int? = nil,
        processors: Int? = nil
    ) async throws -> LaunchReport {
        var options = LaunchOptions.virtual(lanes: lanes)
        options.processors = processors
        let report = try await graph.run(options: options).report
        // The plan says the same.
        var planned = PlanOptions(lanes: lanes)
        planned.processors = processors
        #expect(try await graph.plan(planned).operations.map(\.start) == report.operations.map(\.start))
        return report
    }

    @Test("what it needs goes first, then what the full display needs, then the rest", arguments: [1, 2])
    func order(lanes: Int) async throws {
        let report = try await Self.report(Self.graph(), lanes: lanes)
        #expect(report["skeleton"]?.end == .milliseconds(200))
        #expect(report["home"]?.end == .milliseconds(lanes == 1 ? 800 : 600))
        #expect(report.budget.measured == report["home"]?.end)
        #expect(report.operations.prefix(4).allSatisfy { ($0.start ?? .zero) >= .milliseconds(lanes == 1 ? 800 : 200) })
        // Without the mark, the longer way goes first.
        #expect(try await Self.report(Self.graph(.all([])), lanes: 1)["skeleton"]?.end ?? .zero > .milliseconds(600))
    }

    @Test("what the full display needs keeps out of its way on the main thread; what nobody waits for, out of both ways")
    func mainThread() async throws {
        var graph = OperationGraph("main")
        graph.addTimed("statistics", 900, onMain: true, computes: true)
        graph.addTimed("layout", 300, onMain: true, computes: true)
        graph.addTimed("theme", 50, computes: true)
        graph.addTimed("skeleton", 50, .initialDisplay, after: "theme", onMain: true, computes: true)
        graph.addTimed("feed", 380, computes: true)
        graph.addTimed("home", 50, .milestone, after: "layout", "feed", onMain: true, computes: true)
        let report = try await Self.report(graph)
        #expect(report["skeleton"]?.end == .milliseconds(100))
        #expect(report["layout"]?.start == .milliseconds(100))
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(report["statistics"]?.start == .milliseconds(450))
    }

    @Test("with few processors, what computes for the full display leaves them to the initial one, and all else to both")
    func processors() async throws {
        let report = try await Self.report(Self.graph(), lanes: 8, processors: 1)
        #expect(report["theme"]?.start == .zero)
        #expect(report["skeleton"]?.end == .milliseconds(200))
        #expect(report["login"]?.start == .milliseconds(200))
        #expect(report["home"]?.end == .milliseconds(800))
        #expect(report.operations.prefix(4).allSatisfy { $0.start == .milliseconds(800) })
    }

    private static func plan(_ graph: OperationGraph) async throws -> LaunchPlan { try await graph.plan(PlanOptions(lanes: 1)) }

    @Test("what the full display needs makes room on the processors for the initial one, and for nothing that is less urgent")
    func levelsOfProcessors() async throws {
        var graph = OperationGraph("levels")
        graph.addTimed("sync", 10_000, computes: true)
        graph.add("theme", .expected(.seconds(5))) { step in for _ in 0..<10 { try await step.sleep(for: .milliseconds(500)) } }
        graph.addTimed("skeleton", 100, .initialDisplay, after: "theme", computes: true)
        graph.add("fetch", .suspends(true), .expected(.milliseconds(100))) { step in try await step.sleep(for: .milliseconds(100)) }
        graph.addTimed("parse", 200, after: "fetch", computes: true)
        graph.addTimed("home", 100, .milestone, after: "parse", computes: true)
        let report = try await Self.report(graph, lanes: 8, processors: 1)
        #expect(report["sync"]?.start == .zero)
        #expect(report["parse"]?.start == .milliseconds(100) && report["home"]?.end == .milliseconds(400))
    }

    @Test("the time to it counts as the budget does: without persons' time, and from the start of the process where that is said")
    func time() async throws {
        var graph = OperationGraph("asks")
        graph.add("login", .interactive) { step in try await step.sleep(for: .seconds(4)) }
        graph.add("skeleton", .initialDisplay, after: "login") { step in try await step.sleep(for: .milliseconds(100)) }
        graph.add("home", .milestone, after: "skeleton") { step in try await step.sleep(for: .milliseconds(400)) }
        var report = try await graph.run(options: .virtual()).report
        #expect(report.timeToInitialDisplay == .milliseconds(100) && report.budget.measured == .milliseconds(500))
        report.beforeRun = .milliseconds(250)
        #expect(report.timeToInitialDisplay == .milliseconds(350))
        #expect(report.fromProcessStart.timeToInitialDisplay == .milliseconds(350))
        #expect(report.fromProcessStart.description.hasSuffix("; initial display after 350 ms"))
    }

    @Test("fault O57: two of them, one behind the milestone, and one that may be put off are refused")
    func refused() {
        func problems(_ make: (inout OperationGraph) -> Void) -> [String] {
            var graph = OperationGraph("wrong")
            make(&graph)
            do throws(GraphError) { _ = try graph.validated() } catch { return error.problems.map(\.description) }
            return []
        }
        let first = StepOption.initialDisplay
        #expect(
            problems {
                $0.add("a", first) {}
                $0.add("b", first) {}
                $0.add("home", .milestone) {}
            } == ["'a' and 'b' are both marked as initial display; there can be one"]
        )
        #expect(
            problems {
                $0.add("home", .milestone) {}
                $0.add("between", after: "home") {}
                $0.add("a", first, after: "between") {}
            } == ["a: is the initial display, and waits for the milestone, 'home'; it has to come before that"]
        )
        #expect(
            problems {
                $0.add("a", first, .deferrable) {}
                $0.add("home", .milestone) {}
            } == ["a: \(OperationGraph.deferrableDisplay)"]
        )
    }

    @Test("it has a budget of its own: with a verdict, in the report, as a line in drawings, and with no say in that of the milestone")
    func budget() async throws {
        func run(_ limit: Int) async throws -> LaunchReport {
            let budget = Budget(.seconds(1), initialDisplay: .milliseconds(limit))
            return try await Self.graph().run(budget: budget, options: .virtual(lanes: 2)).report
        }
        let (kept, missed) = (try await run(200), try await run(150))
        #expect(kept.isInitialDisplayMet == true && kept.isWithinBudgets)
        #expect(missed.isInitialDisplayMet == false && missed.budget.isMet && !missed.isWithinBudgets)
        #expect(kept.description == "two-screens: completed; 600 ms of 1 s, pass; initial display after 200 ms of 200 ms, pass")
        #expect(missed.json(pretty: false).contains(#""initialDisplayMs":200,"initialDisplayBudget":{"limitMs":150,"verdict":"fail"}"#))
        #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(missed.json().utf8)) == missed)
        for drawing in [missed.svg(), missed.html()] { #expect(drawing.contains(">budget of the initial display 150 ms</")) }
        #expect(missed.chromeTrace().contains("budget of the initial display 150 ms"))
        #expect(missed.markdown().contains(": fail: 600 ms of 1 s; initial display after 200 ms of 150 ms, fail"))
        #expect(LaunchShortfall(of: missed)?.description == "the initial display of two-screens came after 200 ms, and had 150 ms")
        #expect(LaunchShortfall(of: kept) == nil)
        let scope = LaunchReport.Scope(name: "window-2", start: .zero, report: missed)
        #expect(scope.description == "window-2 from 0 ms: completed; 600 ms of 1 s, pass; initial display after 200 ms of 150 ms, fail")
        let span = try missed.otlp(startedAt: Date(timeIntervalSince1970: 1))
        for (name, value) in [
            ("verdict", #""stringValue":"fail""#), ("budget.verdict", #""stringValue":"pass""#),
            ("initial_display.budget.verdict", #""stringValue":"fail""#), ("initial_display.budget.limit_ms", #""doubleValue":150"#),
            ("initial_display.measured_ms", #""doubleValue":200"#),
        ] {
            #expect(span.contains(#"{"key":"sequencer.\#(name)","value":{\#(value)}}"#), "\(name)")
        }
        let plan = try await Self.plan(Self.graph())
        #expect(plan.meets(Budget(.seconds(1), initialDisplay: .milliseconds(200))))
        #expect(!plan.meets(Budget(.seconds(1), initialDisplay: .milliseconds(199))))
    }

    private struct Trouble: Error {}

    /// A launch that goes on without its display.
    private static func runOptionalDisplay(_ option: StepOption, _ budget: Budget) async throws -> LaunchReport {
        var graph = OperationGraph("none")
        graph.add("skeleton", .initialDisplay, .onFailure(.continue), option) { throw Trouble() }
        graph.add("home", .milestone, after: "skeleton") {}
        return try await graph.run(budget: budget, options: .virtual(lanes: 1)).report
    }

    @Test("a display that fails, or whose condition is false, has missed its budget, and a graph without one has no verdict")
    func budgetWithoutDisplay() async throws {
        let budget = Budget(.seconds(1), initialDisplay: .milliseconds(100))
        let failed = try await Self.runOptionalDisplay(.all([]), budget)
        #expect(failed.isInitialDisplayMet == false && failed.description.hasSuffix("pass; no initial display, fail; failed: skeleton"))
        let skipped = try await Self.runOptionalDisplay(.when { false }, budget)
        #expect(skipped.isInitialDisplayMet == false && !skipped.isWithinBudgets)
        #expect(LaunchShortfall(of: skipped)?.description == "the initial display of none came never, and had 100 ms")
        var graph = OperationGraph("without")
        graph.add("home", .milestone) {}
        let without = try await graph.run(budget: budget, options: .virtual(lanes: 1)).report
        #expect(without.isInitialDisplayMet == nil && without.isWithinBudgets)
    }

    @Test(
        "a display whose dependency failed has missed its budget; it was not wanted where that was left out",
        arguments: [(false, false), (true, nil)] as [(Bool, Bool?)]
    )
    func budgetWithoutDependency(isLeftOut: Bool, isMet: Bool?) async throws {
        var graph = OperationGraph("needs")
        let value = graph.add("config", .onFailure(.skipDependents)) { () throws -> Int in throw Trouble() }
        graph.add("skeleton", .initialDisplay, .onFailure(.continue), using: value) { _ in }
        graph.add("home", .milestone) {}
        if isLeftOut { try graph.skip("config", because: "it crashed") }
        let budget = Budget(.seconds(1), initialDisplay: .milliseconds(100))
        let report = try await graph.run(budget: budget, options: .virtual(lanes: 1)).report
        #expect(report.outcome == .completed && report["skeleton"]?.outcome == .skipped)
        #expect(report.isInitialDisplayMet == isMet, "\(report["skeleton"]?.message ?? "")")
        #expect(report.isWithinBudgets == (isMet == nil))
    }

    @Test("drawings mark it")
    func drawings() async throws {
        let graph = try Self.graph().validated()
        #expect(graph.tree().contains("initial display"))
        #expect(graph.dot().components(separatedBy: "peripheries=2").count == 3)
        #expect(graph.json().contains("\"initialDisplay\": \"skeleton\""))
        #expect(try graph.mermaid().contains("[[\"skeleton"))
        #expect(try graph.gantt().contains("skeleton :milestone, 200, 200"))
        let report = try await Self.report(Self.graph(), lanes: 2)
        for drawing in [report.svg(), report.html()] {
            #expect(drawing.contains("<line class=\"display\" x1=") && drawing.contains("<line class=\"milestone\" x1="))
            #expect(drawing.contains(">initial display 200 ms</") && drawing.contains(">milestone 600 ms</"))
        }
        #expect(report.html().contains("initial display</td>") && report.html().contains("milestone</td>"))
        #expect(report.markdown().contains(", initial display | ") && report.markdown().contains(", milestone | "))
    }
}
