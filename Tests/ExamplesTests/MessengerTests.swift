import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import StartupOps
import TestSupport
import Testing

@testable import Messenger

/// The launches of a messenger: those that go well, and those with each fault in each step, as its README tells of them.
@Suite("The messenger", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct MessengerTests {
    /// What a person sees of a launch.
    private func launch(_ phone: Phone) async throws -> (report: LaunchReport, shown: [String]) {
        let app = App(phone, Screen())
        let report = try await app.launch(app.graph(), Messenger.journal(in: nil))
        return (report, app.screen.shown)
    }

    // MARK: Graphs

    @Test("The graph is as it is drawn; what asks the server keeps the database from nothing")
    func graph() throws {
        let graph = try App(Phone(), Screen()).graph().validated()
        #expect(try graph.dependencies(of: "preflight") == ["crash-reporter"])
        #expect(
            try graph.dependencies(of: "main-app") == ["load-account", "load-chats", "fetch-config", "window-connected", "force-update"]
        )
        #expect(try graph.canOverlap("fetch-config", "open-database"))
        #expect(try !graph.canOverlap("migrate", "load-account"))
        #expect(graph.milestone == "main-app")
    }

    @Test("The extension runs the app's steps, but neither migrates nor asks anybody")
    func sharedSteps() throws {
        let app = App(Phone(), Screen()).graph()
        let notification = NotificationExtension(phone: Phone(), screen: Screen()).graph()
        let shared = Set(notification.identifiers)
        #expect(app.identifiers.filter { shared.contains($0) } == ["open-database", "load-account"])
        #expect(try notification.validated().levels == [["open-database"], ["load-account"], ["decrypt"], ["notify"]])
    }

    // MARK: Launches

    @Test("A launch without a migration shows no loading screen, and neither does a short one", arguments: [Phone(), .updated])
    func noLoadingScreen(phone: Phone) async throws {
        let (report, shown) = try await launch(phone)
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(shown == ["3 chats", "2 new messages"])
        #expect(report.budget.measured == (phone.databaseVersion < 7 ? .milliseconds(2330) : .milliseconds(330)))
    }

    @Test("A migration shows the loading screen when it takes more than five seconds, and not in five")
    func migration() async throws {
        #expect(try await launch(.afterUpdate(moving: .seconds(5))).shown == ["3 chats", "2 new messages"])
        let (report, shown) = try await launch(.afterUpdate(moving: .milliseconds(5_001)))
        #expect(shown == ["loading", "3 chats", "2 new messages"])
        #expect(report["migrate"]?.notes.isEmpty == false)
    }

    @Test("A person goes on without room, or makes some: the time that this takes does not count", arguments: [Answer.goOn, .makeRoom])
    func preflight(answer: Answer) async throws {
        let (report, shown) = try await launch(Phone(disk: Disk(isFull: true), answer: answer))
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(shown == ["hardly any room", "3 chats", "2 new messages"])
        #expect(report.budget.interactive == .seconds(20))
        #expect(report["preflight"]?.notes == (answer == .goOn ? ["the person went on with a full disk"] : []))
    }

    @Test("A person who leaves sees neither chats nor an error")
    func leaving() async throws {
        let (report, shown) = try await launch(Phone(disk: Disk(isFull: true), answer: .leave))
        #expect(report.outcome == .aborted(by: "preflight", reason: "disk-full"))
        #expect(shown == ["hardly any room", "closed"])
        #expect(report["open-database"]?.start == nil)
    }

    @Test("The screen of a failure is chosen by its error, too; a version that is too old sees the update screen alone")
    func screens() async throws {
        #expect(try await launch(Phone(isLocked: true)).shown == ["unlock first"])
        #expect(try await launch(Phone(isOnline: false)).shown == ["3 chats", "no connection"])
        let (report, shown) = try await launch(Phone(isOutdated: true))
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(shown == ["update"])
    }

    @Test(
        "What waits for the app is told in the order of its priorities; where the launch fails, that it has failed",
        arguments: [false, true]
    )
    func readiness(isLocked: Bool) async throws {
        let app = App(Phone(isLocked: isLocked), Screen())
        app.whenReady(IdleTime(after: .milliseconds(1)))
        _ = try await app.launch(app.graph(), Messenger.journal(in: nil))
        try await app.rested.value
        let work = ["calls are taken", "the badge is set", "old pictures are removed"]
        #expect(app.screen.done == work.map { isLocked ? "not done: \($0)" : "\($0) for Ann" })
        let account = try? app.ready.result?.get()
        #expect(account?.name == (isLocked ? nil : "Ann"))
        // Long after the launch it can still be asked for.
        let late = ExternalEvent<Bool>("late")
        app.ready.whenSettled { result in late.fulfill((try? result.get()) != nil) }
        #expect(try await late.value == !isLocked)
    }

    @Test("The extension moves no messages: where the app has to, the notification is generic")
    func extensionAfterUpdate() async throws {
        let notification = NotificationExtension(phone: .updated, screen: Screen())
        let report = try await notification.launch(notification.graph())
        guard case .failed("open-database", _) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(notification.screen.shown == [NotificationExtension.generic])
    }

    // MARK: Faults

    /// The faults of the README's columns, in their order.
    private static let faults: [Fault] = [.fail, .hang, .delay(.seconds(10)), .abort("fault")]

    /// The rows of the table in a section of the README.
    private static func rows(_ section: String) throws -> [(step: String, cells: [String])] {
        let text = try String(contentsOf: DocumentedRun.examples.appending(path: "Messenger/README.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(section) })
        return table.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.components(separatedBy: "|").dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells[0].replacing("`", with: ""), Array(cells.dropFirst()))
        }
    }

    @Test("What a person sees of the app with each fault in each step is what the README says")
    func appFaults() async throws {
        let rows = try Self.rows("When a step of the app")
        #expect(Set(rows.map(\.step)) == Set(App(.updated, Screen()).graph().identifiers))
        for (step, cells) in rows {
            #expect(cells.count == Self.faults.count + 1)
            for (fault, cell) in zip(Self.faults, cells) {
                let app = App(.updated, Screen())
                var graph = app.graph()
                try graph.inject(fault, into: step)
                let report = try await app.launch(graph, Messenger.journal(in: nil))
                let expected = cell == "as always" ? "3 chats, 2 new messages" : cell
                #expect(app.screen.shown.joined(separator: ", ") == expected, "\(step) \(fault): \(report)")
            }
        }
    }

    @Test("What a person sees of the extension with each fault in each step is what the README says")
    func extensionFaults() async throws {
        let rows = try Self.rows("When a step of the extension")
        #expect(rows.map(\.step) == NotificationExtension(phone: Phone(), screen: Screen()).graph().identifiers)
        for (step, cells) in rows {
            #expect(cells.count == Self.faults.count)
            for (fault, cell) in zip(Self.faults, cells) {
                let notification = NotificationExtension(phone: Phone(), screen: Screen())
                var graph = notification.graph()
                try graph.inject(fault, into: step)
                let report = try await notification.launch(graph)
                let expected = cell == "as always" ? "Bo: see you at eight" : NotificationExtension.generic
                #expect(notification.screen.shown == [expected], "\(step) \(fault): \(report)")
            }
        }
    }

    @Test(
        "The launch after one that crashed in a step asks about safe mode, gets to the chats, and leaves the step out where the README says so"
    )
    func appCrashes() async throws {
        for (step, cells) in try Self.rows("When a step of the app") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "messenger-tests-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            await #expect(processExitsWith: .signal(SIGKILL), "\(step)") { [path = folder.path as String, step = step as String] in
                try await MessengerTests.crash(in: step, at: path)
            }
            // One crash is enough here, so as not to make three of each.
            let journal = Messenger.journal(in: folder, limits: RecoveryLimits(sameOperation: 1))
            let app = App(.updated, Screen())
            let report = try await app.launch(app.graph(), journal)
            #expect(report.outcome == .completed, "\(step): \(report)")
            #expect(app.screen.shown.first == "safe mode?", "\(step)")
            #expect(app.screen.shown.contains { $0.hasSuffix("chats") || $0 == "no chats yet" }, "\(step): \(app.screen.shown)")
            let isLeftOut = report[step]?.message?.hasPrefix("left out") == true
            #expect(isLeftOut == (cells.last == "left out"), "\(step): \(journal.news ?? "no news")")
        }
    }

    @Test("A person who declines safe mode gets everything")
    func declined() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "messenger-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            try await MessengerTests.crash(in: "load-chats", at: path)
        }
        let app = App(Phone(agreesToSafeMode: false), Screen())
        let report = try await app.launch(app.graph(), Messenger.journal(in: folder, limits: RecoveryLimits(sameOperation: 1)))
        #expect(report["load-chats"]?.outcome == .succeeded)
        #expect(app.screen.shown == ["safe mode?", "3 chats", "2 new messages"])
    }

    @Test("A crash of the extension ends its process, whatever step it is in")
    func extensionCrashes() async throws {
        for (step, _) in try Self.rows("When a step of the extension") {
            await #expect(processExitsWith: .signal(SIGKILL), "\(step)") { [step = step as String] in
                try await MessengerTests.crashExtension(in: step)
            }
        }
    }

    static func crash(in step: String, at path: String) async throws {
        let app = App(.updated, Screen())
        var graph = app.graph()
        try graph.inject(.crash, into: step)
        _ = try await app.launch(graph, Messenger.journal(in: URL(fileURLWithPath: path)))
    }

    static func crashExtension(in step: String) async throws {
        let notification = NotificationExtension(phone: Phone(), screen: Screen())
        var graph = notification.graph()
        try graph.inject(.crash, into: step)
        _ = try await notification.launch(graph)
    }
}
