import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// The journal of a launch, on a real disk.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("The launch journal", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLaunchJournalTests {
    private struct Broken: Error {}

    private let folder: TemporaryFolder
    private var location: URL { folder("app") }

    init() throws { folder = try TemporaryFolder() }

    private func open(version: String? = "1", onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }) -> LaunchJournal {
        .open(in: .open(at: location), version: version, onProblem: onProblem)
    }

    private var launches: [JournaledLaunch] { LaunchJournal.launches(in: location) }

    /// Runs a small graph with the journal of a launch.
    private func run(_ journal: LaunchJournal, _ change: (inout OperationGraph) -> Void = { _ in }) async throws -> LaunchReport {
        var graph = OperationGraph("regular")
        let first = graph.add("first", .retry(attempts: 2)) { (launch: StepContext) in if launch.attempt == 1 { throw Broken() } }
        graph.add("main-app", .milestone, after: first, on: .main) {}
        change(&graph)
        journal.prepare(&graph)
        return try await journal.run(graph, budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(), admission: .oneAtATime))
            .report
    }

    @Test("A launch that completes is known for it; who asks while it runs sees that")
    func completes() async throws {
        let journal = open()
        #expect(journal.recovery == .none && journal.problem == nil && journal.number == 1)
        #expect(launches.map(\.ending) == [.running] && launches[0].isRunning)
        let report = try await run(journal)
        #expect(report.outcome == .completed)
        let launch = try #require(launches.first)
        #expect(launch.ending == .completed && launch.scenario == "regular" && launch.version == "1" && !launch.isHealthy)
        #expect(launch.required == ["first", "main-app"] && launch.isRunning && launch.damage == nil)
        journal.stayedHealthy()
        #expect(launches[0].isHealthy)
    }

    @Test("Every attempt is written down once, whoever was first to know of it")
    func attempts() async throws {
        _ = try await run(open())
        let path = try #require(names(in: location.appendingPathComponent("journal")).first)
        let (lines, _) = JournalLine.parse(try Data(contentsOf: location.appendingPathComponent("journal/\(path)")))
        let events = lines.map {
            [$0.event?.rawValue, $0.operation, $0.attempt.map(String.init)].compactMap(\.self).joined(separator: " ")
        }
        #expect(
            events == [
                "began", "planned", "started first 1", "retrying first 1", "started first 2", "ended first", "started main-app 1",
                "ended main-app",
                "over", "outcome",
            ]
        )
    }

    @Test("A wait for an event is not written down: nothing of it could end the process")
    func events() async throws {
        let window = ExternalEvent<Void>("window")
        window.fulfill()
        let report = try await run(open()) { $0.wait(for: window) }
        #expect(report["window"]?.outcome == .succeeded)
        let path = try #require(names(in: location.appendingPathComponent("journal")).first)
        let (lines, _) = JournalLine.parse(try Data(contentsOf: location.appendingPathComponent("journal/\(path)")))
        #expect(lines.filter { $0.event == .started }.map(\.operation) == ["first", "first", "main-app"])
    }

    @Test("fault P20: what begins while an observer holds the events up is written down before it begins, on main and as an operation")
    func untold() async throws {
        let journal = open()
        let (hasBegun, isHeldUp, gate) = (Gate(), Gate(), Gate())
        let written = Locked<[String: [String]]>([:])
        let note: @Sendable (String) -> Void = { [location] step in
            let files = names(in: location.appendingPathComponent("journal"))
            let lines = files.flatMap { name in
                (try? Data(contentsOf: location.appendingPathComponent("journal/\(name)"))).map { JournalLine.parse($0).lines } ?? []
            }
            written.withLock { $0[step] = lines.filter { $0.event == .started }.compactMap(\.operation) }
        }
        var graph = OperationGraph("regular")
        // The thread that is to tell of the end of the first step must not have the second one in hand.
        let first = graph.add("first") { await hasBegun.wait() }
        let second = graph.add("second") {
            hasBegun.open()
            await isHeldUp.wait()
        }
        let block = graph.add(BlockOperation { note("block") }, id: "block", after: second)
        graph.add("main-app", .milestone, after: first, block, on: .main) {
            note("main-app")
            gate.open()
        }
        journal.prepare(&graph)
        var options = LaunchOptions(lanes: 4, deadline: .patience)
        options.observers.append { event in
            guard case .ended("first", _) = event.kind else { return }
            isHeldUp.open()
            gate.block()
        }
        let report = try await journal.run(graph, options: options).report
        #expect(report.outcome == .completed)
        let starts = written.withLock { $0 }
        #expect(starts["block"]?.contains("block") == true && starts["main-app"]?.contains("main-app") == true, "\(starts)")
        // Each once, though the observers have heard of them later.
        note("end")
        #expect(written.withLock { $0["end"]?.sorted() } == ["block", "first", "main-app", "second"])
    }

    @Test("fault P20: a step of the prologue is written down before it begins, and a journal runs a graph that has one")
    @MainActor
    func prologue() async throws {
        let journal = open()
        let written = Locked<[String]>([])
        var graph = OperationGraph("regular")
        graph.addPrologue("open-database") { [location] in
            let files = names(in: location.appendingPathComponent("journal"))
            let texts = files.compactMap { try? String(contentsOf: location.appendingPathComponent("journal/\($0)"), encoding: .utf8) }
            written.withLock { $0 = texts }
        }
        graph.add("main-app", .milestone) {}
        journal.prepare(&graph)
        let options = LaunchOptions(clock: VirtualClock())
        #expect(try await journal.run(graph, options: options).report.outcome == .completed)
        let text = written.withLock { $0.joined() }
        let lines = JournalLine.parse(Data(text.utf8)).lines
        #expect(lines.filter { $0.event == .started }.map(\.operation) == ["open-database"])
    }

    @Test("fault P21: launches that completed are not taken for dead where the end of their journal could not be written")
    func cutJournal() async {
        await #expect(processExitsWith: .success) { [path = folder("app").path as String] in
            // A write that is too large fails then, and ends nothing.
            signal(SIGXFSZ, SIG_IGN)
            let location = URL(fileURLWithPath: path)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var cut = 0
            for size in stride(from: 100, to: 1_600, by: 100) {
                let journal = LaunchJournal.open(in: .open(at: location), version: "1")
                var graph = OperationGraph("regular")
                var last: [String] = []
                for number in 0..<5 { last = [graph.add("step-\(number)", after: last) {}.id] }
                graph.add("main-app", .milestone, after: last) {}
                journal.prepare(&graph)
                var limit = rlimit()
                #expect(getrlimit(resource, &limit) == 0)
                let usual = limit.rlim_cur
                limit.rlim_cur = rlim_t(size)
                #expect(setrlimit(resource, &limit) == 0)
                _ = try await journal.run(graph, options: LaunchOptions(clock: VirtualClock(), admission: .oneAtATime))
                limit.rlim_cur = usual
                #expect(setrlimit(resource, &limit) == 0)
                if journal.problem != nil { cut += 1 }
            }
            let launches = LaunchJournal.launches(in: location)
            #expect(cut > 0 && !launches.isEmpty && launches.allSatisfy { !$0.ending.isBad }, "\(launches.map(\.ending))")
            #expect(LaunchJournal.open(in: .open(at: location), version: "1").recovery == .none)
        }
    }

    @Test("How a launch ended that did not complete: failed, aborted, cancelled")
    func otherEnds() async throws {
        _ = try await run(open()) { try? $0.inject(.fail, into: "first") }
        _ = try await run(open()) { try? $0.inject(.abort(.forceUpdate), into: "first") }
        let journal = open()
        var graph = OperationGraph("regular")
        graph.add("first") { (launch: StepContext) in try await launch.sleep(for: .seconds(10)) }
        let box = LaunchBox()
        graph.add("cancels") { try await box.launch().cancel() }
        journal.prepare(&graph)
        let options = journal.recording(LaunchOptions(deadline: .patience))
        journal.ended(try await box.run(graph, options: options).report)
        #expect(
            launches.map(\.ending) == [.quit(asking: []), .aborted(by: "first", reason: "force-update"), .failed(in: "first")]
        )
        #expect(launches.allSatisfy { !$0.ending.isDeath })
    }

    @Test("fault P18: a launch that the person left, by leaving a screen, has not failed for the next one")
    func dismissed() async throws {
        _ = try await run(open()) { graph in
            graph.add("login") { (launch: StepContext) in throw DismissedByPerson(operation: launch.operation) }
        }
        #expect(launches.map(\.ending) == [.quit(asking: ["login"])])
        #expect(launches.allSatisfy { !$0.ending.isBad })
    }

    @Test("Only the owner can read it, and what it has in it is no secret")
    func privacy() async throws {
        let secret = "cAnaryJn4Qx8"
        let journal = open()
        _ = try await run(journal) { graph in
            graph.add("login", .onFailure(.continue)) { (launch: StepContext) in
                launch.note(secret)
                throw NetworkError(.unauthorized, request: secret, secret)
            }
        }
        let journals = location.appendingPathComponent("journal")
        #expect(try permissions(of: journals) == 0o700)
        for name in names(in: journals) {
            let file = journals.appendingPathComponent(name)
            #expect(try permissions(of: file) == 0o600)
            #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains(secret))
        }
    }

    @Test("fault P13: however often the app starts, the newest fifty launches are kept, and numbers go on")
    func rotation() {
        for _ in 0..<60 { open().quit() }
        let numbers = launches.map(\.number)
        #expect(numbers == Array((11...60).reversed()))
        #expect(names(in: location.appendingPathComponent("journal")).count == 50)
    }

    @Test("Large journals make room for new ones, but the newest ten stay")
    func largeFiles() throws {
        let journals = location.appendingPathComponent("journal")
        for _ in 0..<14 { open().quit() }
        for name in names(in: journals) {
            try FileHandle(forWritingTo: journals.appendingPathComponent(name)).truncate(atOffset: UInt64(LaunchJournal.keptBytes / 4))
        }
        open().quit()
        #expect(launches.map(\.number) == Array((5...15).reversed()))
    }

    @Test("A launch that goes on keeps its file, however old it is")
    func runningIsKept() {
        let old = open()
        for _ in 0..<55 { open().quit() }
        #expect(launches.last?.number == 1 && launches.last?.isRunning == true)
        old.quit()
    }

    @Test("fault P10: an app and its extension each count their own launches, and neither counts one that goes on")
    func severalJournals() async throws {
        func openExtension() -> LaunchJournal { .open(in: .open(at: location), named: "widget/ä", version: "1") }
        for _ in 0..<3 { try await die(in: "widget/ä") }
        #expect(openExtension().recovery.level == .withoutTrialConfiguration)
        #expect(open().recovery == .none)
        // All of these go on.
        let running = (0..<4).map { _ in open() }
        #expect(open().recovery == .none)
        #expect(Set(running.compactMap(\.number)).count == 4)
    }

    private func die(in name: String) async throws {
        let path = location.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, name = name as String] in
            let directory = StateDirectory.open(at: URL(fileURLWithPath: path))
            let journal = LaunchJournal.open(in: directory, named: name, version: "1")
            withExtendedLifetime(journal) { killThisProcess() }
        }
    }

    @Test("Processes that start at once all have a file of their own")
    func atOnce() async throws {
        await withTaskGroup(of: LaunchJournal.self) { group in
            for _ in 0..<20 { group.addTask { open() } }
            for await journal in group { journal.quit() }
        }
        #expect(launches.count == 20 && launches.allSatisfy { $0.ending == .quit(asking: []) && $0.damage == nil })
    }

    @Test("A graph that needs the operation in which launches died begins with the next level; one that does not have it stays where it is")
    func otherGraphs() throws {
        try JournalSamples.write(Array(repeating: [JournalSamples.began, .started("tutorial")], count: 3), in: location)
        func level(_ add: (inout OperationGraph) -> Void) throws -> RecoveryLevel {
            let journal = open(version: "1.0.0")
            #expect(journal.recovery.level == .skipping && journal.lastLaunch?.number == 3)
            var graph = OperationGraph("regular")
            graph.add("main-app", .milestone) {}
            add(&graph)
            journal.prepare(&graph)
            defer { journal.withdraw() }
            return journal.recovery.level
        }
        #expect(try level { _ in } == .skipping)
        #expect(try level { $0.add("tutorial", .onFailure(.continue)) {} } == .skipping)
        #expect(try level { $0.add("tutorial") {} } == .withoutTrialConfiguration)
    }

    @Test(
        "fault P43: an app that exits before its launch begins leaves no journal, kept or not; one that exits in its launch has died there",
        arguments: [(false, true), (false, false), (true, true)]
    )
    func exits(inLaunch: Bool, isKept: Bool) async {
        await #expect(processExitsWith: .success) {
            [path = location.path as String, inLaunch = inLaunch as Bool, isKept = isKept as Bool] in
            let journal = LaunchJournal.open(in: .open(at: URL(fileURLWithPath: path)), version: "1")
            if !isKept { _ = LaunchJournal.open(in: .open(at: URL(fileURLWithPath: path)), version: "1") }
            var graph = OperationGraph("regular")
            graph.add("first") { () -> Void in exit(EXIT_SUCCESS) }
            journal.prepare(&graph)
            if inLaunch { _ = try await journal.run(graph) }
            withExtendedLifetime(journal) { exit(EXIT_SUCCESS) }
        }
        #expect(launches.map(\.ending) == (inLaunch ? [.crashed(in: ["first"])] : []))
    }

    @Test("A launch that was none leaves nothing behind; one that runs cannot be taken back")
    func withdrawn() async throws {
        let none = open()
        none.withdraw()
        #expect(launches.isEmpty)
        let journal = open()
        _ = try await run(journal)
        journal.withdraw()
        #expect(launches.count == 1)
    }

    @Test("Where nothing can be written, the launch goes on, and the problem is told once")
    func unwritable() async throws {
        let problems = Problems()
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)
        // Not a folder.
        try Data().write(to: location.appendingPathComponent("journal"))
        let journal = open(onProblem: problems.add)
        #expect(try await run(journal).outcome == .completed)
        #expect(problems.all.count == 1 && journal.problem == problems.all.first && journal.number == nil)
        #expect(problems.all.first?.systemError == ENOTDIR)
        let inMemory = LaunchJournal.open(in: .inMemory(), version: "1")
        #expect(try await run(inMemory).outcome == .completed)
    }

    @Test("Links, folders and others' files in its place are not read")
    func strangers() throws {
        let journals = location.appendingPathComponent("journal")
        try FileManager.default.createDirectory(at: journals, withIntermediateDirectories: true)
        let secret = folder("secret")
        try JournalSamples.wholeLaunch.write(to: secret)
        try FileManager.default.createSymbolicLink(at: journals.appendingPathComponent("000001-a.jsonl"), withDestinationURL: secret)
        try FileManager.default.createDirectory(at: journals.appendingPathComponent("000002-a.jsonl"), withIntermediateDirectories: true)
        #expect(mkfifo(journals.appendingPathComponent("000003-a.jsonl").path, 0o600) == 0)
        for name in ["-1-a.jsonl", "x-a.jsonl", "99999999999999999999-a.jsonl", "000004-a.txt"] {
            try JournalSamples.wholeLaunch.write(to: journals.appendingPathComponent(name))
        }
        #expect(launches.isEmpty)
        let journal = open()
        #expect(journal.problem == nil && launches.map(\.ending) == [.running])
        journal.quit()
    }

    @Test("Nothing is created where there is nothing to read")
    func readingOnly() {
        #expect(launches.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: location.path))
    }
}

/// As `ulimit -f`, in bytes.
func limitFileSizes(to bytes: Int) {
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = rlim_t(bytes)
    setrlimit(resource, &limit)
}
