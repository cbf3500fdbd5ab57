import Foundation
import Sequencer
import StartupSamples
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// One cold launch at a time in a process, where launches are written down.
@Suite("A second launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SecondLaunchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ kind: LaunchKind = .foreground, named name: String = "journal") -> LaunchJournal {
        .open(in: .open(at: folder("app")), named: name, version: "1", kind: kind)
    }

    /// A launch that ends when it is cancelled.
    private func start(_ name: String, _ journal: LaunchJournal) throws -> RunningLaunch {
        var graph = OperationGraph(name)
        graph.add("asks") { step in try await step.sleep(for: .seconds(86_400)) }
        return try graph.start(options: journal.recording(LaunchOptions(deadline: .never)))
    }

    private func expectRefused(_ name: String, _ journal: LaunchJournal, because first: String) {
        let error = #expect(throws: GraphError.self) { try start(name, journal) }
        #expect(error?.problems.map(\.code) == [.alreadyRunning])
        #expect(error?.description.contains(first) == true, "\(String(describing: error))")
    }

    private func onTwoThreads(_ body: @Sendable (Int) -> Void) { DispatchQueue.concurrentPerform(iterations: 2, execute: body) }

    @Test("fault P32: a cold launch is refused while one runs in this process, by the name of that one, and starts when that has ended")
    func second() async throws {
        let first = try start("regular", open())
        expectRefused("deeplink", open(), because: "'deeplink' is not started, for the launch 'regular' (launch 1 in the journal) runs")
        first.cancel()
        _ = await first.end()
        // It is not one that died.
        #expect(LaunchJournal.launches(in: folder("app")).map(\.scenario) == [nil])
        let second = try start("deeplink", open())
        second.cancel()
        _ = await second.end()
    }

    @Test(
        "one state is one state: in memory for all copies of the value, and by whatever path a folder is opened, also one that cannot be written",
        arguments: ["memory", "link", "link above", "dots", "unwritable", "unwritable by a link"],
        [false, true]
    )
    func places(of way: String, hasJournal: Bool) async throws {
        let (memory, isOver) = (StateDirectory.inMemory(), Gate())
        let (link, file) = (folder("link"), folder("file"))
        try FileManager.default.createDirectory(at: folder("app"), withIntermediateDirectories: true)
        try Data().write(to: file)
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: folder(["link above", "unwritable by a link"].contains(way) ? "." : "app")
        )
        func directory(isSecond: Bool) -> StateDirectory {
            if way == "memory" { return memory }
            let other =
                switch way {
                case "link": link
                case "link above": link.appendingPathComponent("app")
                case "unwritable by a link": link.appendingPathComponent("file").appendingPathComponent("app")
                case "dots": URL(fileURLWithPath: folder("app").path + "/../app/.")
                default: URL(fileURLWithPath: file.path + "/./app")
                }
            return .open(at: isSecond ? other : way.hasPrefix("unwritable") ? file.appendingPathComponent("app") : folder("app"))
        }
        func start(isSecond: Bool) throws -> RunningLaunch {
            let state = directory(isSecond: isSecond)
            let options = LaunchOptions(deadline: .never)
            let journal = hasJournal ? LaunchJournal.open(in: state, version: "1") : nil
            let environment = try environment(over: state)
            var steps = StartupSteps(environment)
            steps[.tutorial] = { _, _ in await isOver.wait() }
            return try environment.graph(.regular, steps: steps).start(options: journal?.recording(options) ?? options)
        }
        let first = try start(isSecond: false)
        let error = #expect(throws: GraphError.self) { try start(isSecond: true) }
        #expect(error?.problems.map(\.code) == [.alreadyRunning])
        first.cancel()
        isOver.open()
        _ = await first.end()
    }

    private func environment(over directory: StateDirectory) throws -> StartupEnvironment {
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        let url = try #require(URL(string: "https://api.example.com"))
        let service = AppService(at: .service(at: url), http: WireService(), directory: directory, app: app, deviceID: "d1")
        let services = StartupServices(service)
        return StartupEnvironment(app: app, services: services, presenters: StartupPresenters(all: AgreeablePerson()), directory: directory)
    }

    @Test(
        "fault P32: without a journal, too, one launch at a time leads to a main screen over one state, and one completes",
        arguments: [false, true]
    )
    func withoutJournal(isInMemory: Bool) async throws {
        func directory() -> StateDirectory { isInMemory ? .inMemory() : .open(at: folder("app")) }
        let one = try environment(over: directory())
        // Two of them over one folder; in memory there is one of each state.
        let other = isInMemory ? one : try environment(over: directory())
        let isOver = Gate()
        var steps = StartupSteps(one)
        steps[.tutorial] = { _, _ in await isOver.wait() }
        let graph = one.graph(.regular, steps: steps)
        let first = try graph.start(options: LaunchOptions(deadline: .never))
        for second in [graph, other.graph(.deeplink), other.graph(.guest)] {
            let error = #expect(throws: GraphError.self) { try second.start() }
            #expect(error?.problems.map(\.code) == [.alreadyRunning] && error?.description.contains("'regular' runs") == true)
        }
        // Another app's, and one that brings this app back.
        let elsewhere = try environment(over: .inMemory()).graph(.regular).start()
        elsewhere.cancel()
        _ = await elsewhere.end()
        let back = try one.graph(.warmResume).start()
        back.cancel()
        _ = await back.end()
        first.cancel()
        isOver.open()
        _ = await first.end()
        // One that was cancelled can be tried again.
        #expect(try await graph.run().report.outcome == .completed)
        for second in [graph, other.graph(.deeplink)] {
            let error = #expect(throws: GraphError.self) { try second.start() }
            #expect(error?.problems.map(\.code) == [.alreadyLaunched], "\(String(describing: error))")
        }
        let allowed = try other.graph(.regular).start(options: LaunchOptions(admission: .oneAtATime))
        allowed.cancel()
        _ = await allowed.end()
    }

    @Test(
        "fault P32: after a cold launch that has completed, one of another journal is refused, unless the app allows it; not after a failed one"
    )
    func afterwards() async throws {
        struct Failure: Error {}
        var failing = OperationGraph("regular")
        failing.add("main-app", .milestone) { throw Failure() }
        #expect(try await open().run(failing).report.outcome.name == "failed")
        let first = open()
        #expect(try await first.run(OperationGraph("regular")).report.outcome == .completed)
        let journal = open()
        let error = await #expect(throws: GraphError.self) { try await journal.run(OperationGraph("deeplink")) }
        #expect(error?.problems.map(\.code) == [.alreadyLaunched])
        let sentence = "'deeplink' is not started, for the launch 'regular' (launch 2 in the journal) has completed in this process"
        #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
        // It is not one that died.
        #expect(LaunchJournal.launches(in: folder("app")).count == 2)
        // The same one serves what comes later, and nobody waits for what is in the background.
        #expect(try await first.run(OperationGraph("resume")).report.outcome == .completed)
        #expect(try await open(.background).run(OperationGraph("push")).report.outcome == .completed)
        #expect(
            try await open().run(OperationGraph("deeplink"), options: LaunchOptions(admission: .oneAtATime)).report.outcome == .completed
        )
    }

    @Test("fault P32: a start that is refused for the launch of its own journal takes nothing from that")
    func sameJournal() async throws {
        let journal = open()
        var graph = OperationGraph("regular")
        graph.add("main-app", .milestone) { step in try await step.sleep(for: .seconds(86_400)) }
        let first = try graph.start(options: journal.recording(LaunchOptions(deadline: .never)))
        let again = journal.recording(LaunchOptions())
        do {
            _ = try graph.start(options: again)
            Issue.record("it was not refused")
        } catch {}
        #expect(LaunchJournal.launches(in: folder("app")).count == 1)
        first.cancel()
        journal.ended(await first.end().report)
        #expect(LaunchJournal.launches(in: folder("app")).map(\.ending) == [.quit(asking: [])])
    }

    @Test("fault P38: a background launch does not come to the front beside a cold one: it stays in the background until that has ended")
    func toTheFront() async throws {
        let cold = try start("regular", open())
        let journal = open(.background)
        let background = try start("background", journal)
        for kind in [LaunchKind.foreground, .prewarmed] {
            let error = #expect(throws: GraphError.self) { try journal.change(to: kind) }
            #expect(error?.problems.map(\.code) == [.alreadyRunning])
            let sentence = "'background' stays in the background, for the launch 'regular' (launch 1 in the journal) runs"
            #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
        }
        #expect(journal.kind == .background)
        #expect(LaunchJournal.launches(in: folder("app")).first?.kind == .background)
        cold.cancel()
        _ = await cold.end()
        // Who was told of its end finds its place free.
        try journal.change(to: .foreground)
        #expect(LaunchJournal.launches(in: folder("app")).first?.kind == .foreground)
        background.cancel()
        _ = await background.end()
    }

    @Test("fault P38: what was in front comes back only when nothing else is there; a journal without a launch is not asked")
    func back() async throws {
        let journal = open()
        let first = try start("first", journal)
        try journal.change(to: .background)
        let second = try start("second", open())
        #expect(throws: GraphError.self) { try journal.change(to: .foreground) }
        first.cancel()
        _ = await first.end()
        // Who was told of its end finds its place free.
        try journal.change(to: .foreground)
        second.cancel()
        _ = await second.end()
    }

    @Test("fault P38: of two launches that become cold at once, one does", arguments: [true, false])
    func atOnce(startsOne: Bool) async throws {
        for _ in 0..<50 {
            let journals = [open(.background), open(startsOne ? .foreground : .background)]
            let launches = Locked([try start("0", journals[0])])
            if !startsOne {
                let launch = try start("1", journals[1])
                launches.withLock { $0.append(launch) }
            }
            let cold = Locked(0)
            onTwoThreads { index in
                do {
                    if index == 1, startsOne {
                        let launch = try start("1", journals[1])
                        launches.withLock { $0.append(launch) }
                    } else {
                        try journals[index].change(to: .foreground)
                    }
                    cold.withLock { $0 += 1 }
                } catch {
                    #expect((error as? GraphError)?.problems.map(\.code) == [.alreadyRunning])
                }
            }
            #expect(cold.withLock { $0 } == 1)
            let running = launches.withLock { $0 }
            for launch in running { launch.cancel() }
            for launch in running { _ = await launch.end() }
        }
    }

    @Test("another app's launches, and those that are not written down, are nobody's second ones")
    func others() async throws {
        let launches = [
            try start("app", open()), try start("extension", open(named: "extension")),
            try start("memory", .open(in: .inMemory(), version: "1")), try start("memory", .open(in: .inMemory(), version: "1")),
        ]
        for launch in launches { launch.cancel() }
        for launch in launches { _ = await launch.end() }
    }

    @Test("one journal serves one launch at a time, of whatever kind, and the next one when that has ended", arguments: LaunchKind.allCases)
    func oneJournal(kind: LaunchKind) async throws {
        for journal in [open(kind), .open(in: .inMemory(), version: "1", kind: kind)] {
            let first = try start("first", journal)
            expectRefused("second", journal, because: "for the launch 'first'")
            first.cancel()
            _ = await first.end()
            #expect(try await journal.run(OperationGraph("second")).report.outcome == .completed)
        }
    }

    /// The first journal, as the next process reads it when this one has died by now.
    private func launchThatDied() throws -> JournaledLaunch {
        let journals = folder("app").appendingPathComponent("journal")
        let files = try FileManager.default.contentsOfDirectory(at: journals, includingPropertiesForKeys: nil)
        let file = try #require(files.first { $0.pathExtension == "jsonl" })
        return JournaledLaunch(number: 1, try Data(contentsOf: file))
    }

    @Test("fault P36: a process that dies in a second launch with its journal has died there, in the step that was in progress")
    func diesInSecond() async throws {
        let journal = open()
        var first = OperationGraph("first")
        first.add("asks") {}
        #expect(try await journal.run(first).report.outcome == .completed)
        #expect(try launchThatDied().ending == .completed)
        let begun = Gate()
        var graph = OperationGraph("second")
        graph.add("asks") { step in
            begun.open()
            try await step.sleep(for: .seconds(86_400))
        }
        // Its begin is written down on its own thread: an observer may be told of it later.
        journal.prepare(&graph)
        let second = try graph.start(options: journal.recording(LaunchOptions(deadline: .never)))
        await begun.wait()
        #expect(try launchThatDied().ending == .crashed(in: ["asks"]))
        second.cancel()
        journal.ended(await second.end().report)
        #expect(try launchThatDied().ending == .quit(asking: []))
    }

    @Test("fault P36: a second launch with a journal was not stopped because the first one was")
    func stoppedBefore() async throws {
        let journal = open()
        let first = try start("first", journal)
        first.cancel()
        _ = await first.end()
        var second = OperationGraph("second")
        second.add("only") {}
        #expect(try await second.run(options: journal.recording(LaunchOptions())).report.outcome == .completed)
        // Killed before the report was written down.
        #expect(try launchThatDied().ending == .completed)
    }

    @Test("fault P39: what an observer keeps until another launch has the journal is not about that launch")
    func keptEvents() async throws {
        let journal = open()
        let (isKept, mayGoOn, isTold) = (Gate(), Gate(), Gate())
        var first = OperationGraph("first")
        let quick = first.add("quick") {}
        // It begins where another thread tells the observer than the one that has ended the first step.
        first.add("late", after: quick) {}
        journal.prepare(&first)
        var options = LaunchOptions(lanes: 1, deadline: .never, grace: .milliseconds(1))
        options.observers.append { event in
            if case .ended("quick", _) = event.kind {
                isKept.open()
                mayGoOn.block()
            }
            if event.kind == .launchEnded { isTold.open() }
        }
        let launch = try first.start(options: journal.recording(options))
        await isKept.wait()
        launch.cancel()
        _ = await launch.end()
        let begun = Gate()
        var graph = OperationGraph("second")
        graph.add("asks") { step in
            begun.open()
            try await step.sleep(for: .seconds(86_400))
        }
        // Its begin is written down on its own thread: an observer may be told of it later.
        journal.prepare(&graph)
        let second = try graph.start(options: journal.recording(LaunchOptions(deadline: .never)))
        await begun.wait()
        mayGoOn.open()
        await isTold.wait()
        #expect(try launchThatDied().ending == .crashed(in: ["asks"]))
        second.cancel()
        _ = await second.end()
    }

    @Test("fault P37: the launch before this one is known, also where a process of another version goes on that has begun since")
    func lastLaunch() throws {
        let journals = folder("app").appendingPathComponent("journal")
        try FileManager.default.createDirectory(at: journals, withIntermediateDirectories: true)
        try JournalSamples.contents([JournalSamples.began, .started("login")]).write(to: journals.appendingPathComponent("000001-a.jsonl"))
        let other = LaunchJournal.open(in: .open(at: folder("app")), version: "2")
        let journal = open()
        #expect(journal.lastLaunch?.number == 1 && journal.news == "the launch before this one crashed in login")
        withExtendedLifetime(other) {}
    }

    @Test("a graph that is refused for a mistake of its own takes nothing")
    func mistake() async throws {
        let journal = open()
        var graph = OperationGraph("wrong")
        graph.add("a", after: "b") {}
        let wrong = graph
        await #expect(throws: GraphError.self) { try await journal.run(wrong) }
        #expect(try await journal.run(OperationGraph("right")).report.outcome == .completed)
    }
}
