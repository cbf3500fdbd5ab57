import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("What a launch promises while it runs", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLaunchPromiseTests {
    @Test("64 steps that block their threads run at the same time on 64 lanes")
    func blockingLanes() async throws {
        // Each waits until all have arrived: on fewer threads the launch would never end.
        let everyone = DispatchGroup()
        var graph = OperationGraph("blocking")
        for index in 0..<64 {
            everyone.enter()
            graph.add("op\(index)") {
                everyone.leave()
                everyone.waitPatiently()
            }
        }
        let report = try await graph.run(options: LaunchOptions(lanes: 64, deadline: .patience)).report
        #expect(report.outcome == .completed)
        #expect(Set(report.operations.map(\.lane)).count == 64)
    }

    @Test("steps for the main thread run there, all others elsewhere; main never waits")
    func mainThread() async throws {
        var graph = OperationGraph("main")
        let first = graph.add("first", on: .main) { dispatchPrecondition(condition: .onQueue(.main)) }
        let other = graph.add("other", after: first) { dispatchPrecondition(condition: .notOnQueue(.main)) }
        let async = graph.add("async", after: other) {
            await Task.yield()
            dispatchPrecondition(condition: .notOnQueue(.main))
        }
        graph.add("last", after: async, on: .main) {
            await Task.yield()
            dispatchPrecondition(condition: .onQueue(.main))
        }
        #expect(try await graph.run(options: .patient).report.outcome == .completed)
    }

    @Test("A35, fault L1: 64 threads that start one graph at once have a launch each, which runs once, where the app allows that")
    func startTogether() async throws {
        var options = LaunchOptions.patient
        options.admission = .unlimited
        var graph = OperationGraph("together")
        let runs = Locked(0)
        let number = graph.add("only") {
            runs.withLock {
                $0 += 1; return $0
            }
        }
        let numbers = await withTaskGroup { [graph, options] group in
            for _ in 0..<64 {
                group.addTask {
                    do {
                        let launch = try graph.start(options: options)
                        #expect(await launch.end().report.outcome == .completed)
                        return try launch.value(of: number)
                    } catch {
                        Issue.record(error)
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(runs.withLock { $0 } == 64)
        #expect(Set(numbers) == Set(1...64))
    }

    @Test("fault L5: any number of callers get the report, late ones too")
    func manyWaiters() async throws {
        let gate = Gate()
        var graph = OperationGraph("waiters")
        graph.add("only") { await gate.wait() }
        let launch = try graph.start(options: .patient)
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await launch.end().report.operations.count } }
            gate.open()
            return await group.reduce(0, +)
        }
        #expect(count == 100)
        #expect(await launch.end().report.outcome == .completed)
    }

    @Test("a budget can count from the start of the process")
    func processStart() async throws {
        #expect(try #require(timeSinceProcessStart()) > .zero)
        var graph = OperationGraph("start")
        graph.add("main-app", .milestone) {}
        var options = LaunchOptions.patient
        options.processAge = { .seconds(5) }
        let report = try await graph.run(budget: Budget(.nanoseconds(1), fromProcessStart: true), options: options).report
        #expect(report.budget.measured > .seconds(5) && !report.budget.isMet)
        #expect(report.beforeRun == .seconds(5) && report.budget.budget?.isFromProcessStart == true)
        #expect(try await graph.run(budget: .seconds(3)).report.beforeRun == nil)
    }

    @Test("it counts from the launch where the process is older than any launch, or was not started for it, or does not know its age")
    func oldProcess() async throws {
        var graph = OperationGraph("old")
        graph.wait("main-app", 22, .milestone)
        let cases: [(age: Duration?, said: ProcessStart?, start: ProcessStart?)] = [
            (.seconds(7200), nil, .early), (.seconds(21), .person, .early), (nil, nil, nil), (nil, .person, nil),
            (.seconds(4), .background, .background), (.seconds(7200), .prewarmed, .prewarmed),
        ]
        for (age, said, start) in cases {
            var options = LaunchOptions.virtual()
            options.processAge = { age }
            options.processStart = said
            let report = try await graph.run(budget: Budget(.milliseconds(300), fromProcessStart: true), options: options).report
            #expect(report.budget.measured == .milliseconds(22) && report.budget.isMet)
            #expect(report.beforeRun == nil && report.budget.budget == .milliseconds(300) && report.processStart == start)
            #expect(report.description.contains("; counted from the launch on, for its process ") == (start != nil), "\(report)")
            #expect(try JSONDecoder().decode(LaunchReport.self, from: JSONEncoder().encode(report)) == report)
        }
        #expect(ProcessStart.judged(nil, age: .seconds(5), isPrewarmed: true) == .prewarmed)
        #expect(ProcessStart.judged(.person, age: .seconds(20), isPrewarmed: true) == .person)
        // Where the budget does not count from there, only what the app has said is told.
        var options = LaunchOptions.virtual()
        for (said, start) in [(nil, nil), (.person, nil), (.background, .background)] as [(ProcessStart?, ProcessStart?)] {
            options.processStart = said
            #expect(try await graph.run(budget: .milliseconds(300), options: options).report.processStart == start)
        }
    }

    @Test("with scarce lanes the longest remaining path goes first")
    func priorities() async throws {
        var graph = OperationGraph("priorities")
        graph.wait("short", 100, .expected(.milliseconds(100)))
        graph.wait("middle", 200, .expected(.milliseconds(200)))
        let head = graph.wait("head", 100, .expected(.milliseconds(100)))
        graph.wait("tail", 400, .expected(.milliseconds(400)), after: head)
        let report = try await graph.run(options: .virtual(lanes: 1)).report
        #expect(report.operations.sorted { $0.end < $1.end }.map(\.id) == ["head", "tail", "middle", "short"])
        #expect(report.lanes == 1)
    }

    @Test("a chain of 20,000 and a fan of 20,000 run, and are freed, without recursion; 100,000 by night")
    func large() async throws {
        let count = Nightly.times(day: 20_000, night: 100_000)
        var chain = OperationGraph("chain")
        var fan = OperationGraph("fan")
        let hub = fan.add("hub") {}
        var previous = chain.add("op0") {}
        for index in 1..<count {
            previous = chain.add("op\(index)", after: previous) {}
            fan.add("op\(index)", after: hub) {}
        }
        for graph in [chain, fan] {
            let report = try await graph.run(options: .patient).report
            #expect(report.outcome == .completed)
        }
    }

    @Test("a join has its condition, too: when that does not hold it is skipped, and what waits for it runs")
    func conditionOfJoin() async throws {
        var graph = OperationGraph("join")
        let first = graph.add("first") {}
        graph.join("skipped", .when { false }, after: first)
        graph.join("asked", .when { true }, after: first)
        graph.add("last", after: "skipped", "asked") {}
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.operations.map(\.outcome) == [.succeeded, .skipped, .succeeded, .succeeded])
    }
}
