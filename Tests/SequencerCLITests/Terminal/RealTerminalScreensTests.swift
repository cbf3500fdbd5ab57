import Sequencer
import StartupOps
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Screens on a terminal", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTerminalScreensTests {
    private let terminal: PseudoTerminal
    private let screens: TerminalScreens

    init() throws {
        let terminal = try PseudoTerminal()
        self.terminal = terminal
        screens = try Self.screens(on: terminal)
    }

    static func screens(on terminal: PseudoTerminal, live: LiveView? = nil) throws -> TerminalScreens {
        TerminalScreens(
            input: try #require(TerminalInput(terminalOf: terminal.descriptor)),
            style: TextStyle(isColored: false, isUnicode: true),
            size: { Terminal.Size(width: 60, height: 24) },
            live: live,
            output: { terminal.write($0) }
        )
    }

    /// What has been seen, as lines of a file.
    private var shown: String { terminal.shown.replacing("\r\n", with: "\n") }

    // MARK: Messages and menus

    @Test("A message is shown, and does not wait, not even for a task that goes on")
    func message() async {
        await screens.message(title: "Update required", lines: ["Please install version 2.", "It is in the store."])
        let task = Task { [screens] in
            withUnsafeCurrentTask { $0?.cancel() }
            await screens.message(title: "", lines: ["Bye"])
        }
        await task.value
        #expect(await terminal.shows("Bye\r\n"))
        #expect(
            shown == """
                Update required
                Please install version 2.
                It is in the store.
                Bye

                """
        )
    }

    @Test("A menu, and nonsense before the answer")
    func menu() async {
        async let answer = screens.menu(title: "Speakers", question: "Which one should play?", options: ["Kitchen", "Bath"])
        #expect(await terminal.shows("name: "))
        terminal.type("garden\n")
        #expect(await terminal.shows("name: ", times: 2))
        terminal.type("KITCHEN\n")
        #expect(await answer == 0)
        #expect(await terminal.shows("KITCHEN\r\n"))
        #expect(
            shown == """
                Speakers
                Which one should play?

                1  Kitchen
                2  Bath

                Ctrl-D: leave without an answer
                Number or name: garden
                Enter a number from 1 to 2, or a name.
                Number or name: KITCHEN

                """
        )
    }

    @Test("Ctrl-D chooses nothing; five times nonsense does not either")
    func menuEnds() async {
        terminal.type("\u{4}")
        #expect(await screens.menu(title: "", question: "?", options: ["a", "b"]) == nil)
        terminal.type("x\n\u{1B}[A\n\n7\nx\n")
        #expect(await screens.menu(title: "", question: "?", options: ["a", "b"]) == nil)
        #expect(await terminal.shows("No answer after 5 attempts.\r\n"))
        #expect(shown.contains("That holds a key that is no text, such as an arrow.\n"))
        #expect(await screens.menu(title: "", question: "?", options: []) == nil)
    }

    @Test("A menu whose task is cancelled ends, and leaves the line it was on")
    func cancellation() async {
        let task = Task { await screens.menu(title: "", question: "?", options: ["a", "b"]) }
        #expect(await terminal.shows("name: "))
        task.cancel()
        #expect(await task.value == nil)
        #expect(await terminal.shows("name: \r\n"))
        // Whoever was cancelled before shows nothing at all.
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await screens.confirm(question: "Early?", default: false)
        }
        #expect(await early.value == nil)
        #expect(!shown.contains("Early?"))
    }

    // MARK: Forms

    @Test("A form: what is missing is asked for again, and the password is not shown")
    func form() async {
        async let answers = screens.form(
            title: "Log in",
            problem: "The password is wrong.",
            fields: [("Email", isSecret: false), ("Password", isSecret: true), ("Nickname", isSecret: false)]
        )
        #expect(await terminal.shows("Email: "))
        terminal.type("\n")
        #expect(await terminal.shows("Email: ", times: 2))
        terminal.type(" person@example.com \n")
        #expect(await terminal.shows("Password: "))
        #expect(!terminal.echoes)
        terminal.type(" correct horse\n")
        #expect(await terminal.shows("Nickname: "))
        #expect(terminal.echoes)
        terminal.type("Bo\n")
        #expect(await answers == ["person@example.com", " correct horse", "Bo"])
        #expect(await terminal.shows("Nickname: Bo\r\n"))
        #expect(
            shown == """
                Log in
                The password is wrong.
                Ctrl-D: leave without an answer
                Email: 
                Email is missing.
                Email:  person@example.com 
                Password: 
                Nickname: Bo

                """
        )
    }

    @Test("A form that is left half-way has no answers")
    func formEnds() async {
        async let answers = screens.form(title: "Log in", fields: [("Email", isSecret: false), ("Password", isSecret: true)])
        #expect(await terminal.shows("Email: "))
        terminal.type("a@b\n")
        #expect(await terminal.shows("Password: "))
        terminal.type("\u{4}")
        #expect(await answers == nil)
        #expect(terminal.echoes)
        #expect(await screens.form(title: "", fields: []) == [])
    }

    // MARK: Pages and confirmation

    @Test("Pages are turned with Return, and skipped with s")
    func pages() async {
        let pages = [("Hello", "This is the app."), ("", "Have fun."), ("Never", "seen")]
        async let skipped = screens.pages(title: "Tutorial", pages)
        #expect(await terminal.shows("skip "))
        terminal.type("\n")
        #expect(await terminal.shows("skip ", times: 2))
        terminal.type("S\n")
        #expect(await skipped)
        #expect(await terminal.shows("skip S\r\n"))
        #expect(
            shown == """
                Tutorial (1 of 3)
                Hello

                This is the app.
                Return: next, s: skip 
                Tutorial (2 of 3)
                Have fun.
                Return: next, s: skip S

                """
        )
    }

    @Test("Pages that are read to the end, left, or not there")
    func pagesEnds() async {
        terminal.type("\nwhat?\n\n")
        #expect(await screens.pages(title: "News", [("1", ""), ("2", "")]))
        #expect(await terminal.shows("Press Return, or enter s.\r\n"))
        terminal.type("\u{4}")
        #expect(await screens.pages(title: "News", [("1", ""), ("2", "")]) == false)
        #expect(await screens.pages(title: "News", []))
        async let only = screens.pages(title: "News", [("Only", "")])
        #expect(await terminal.shows("Return: done ", times: 3))
        terminal.type("s\n")
        #expect(await only)
        #expect(await terminal.shows("Return: done s\r\n"))
    }

    @Test(
        "Yes or no",
        arguments: [
            ("y\n", false, true), ("No\n", true, false), ("\n", true, true), ("\n", false, false), ("perhaps\nYES\n", false, true),
            ("\u{4}", true, nil),
        ] as [(String, Bool, Bool?)]
    )
    func confirm(typed: String, standard: Bool, expected: Bool?) async {
        terminal.type(typed)
        #expect(await screens.confirm(question: "Use the account again?", default: standard) == expected)
        #expect(await terminal.shows("Use the account again? \(standard ? "[Y/n]" : "[y/N]"): "))
    }

    @Test("Ctrl-D is no answer to what the app asks and remembers, neither yes nor no; to go on without a speaker is one")
    func noAnswer() async throws {
        let presenter = SamplePresenter(screens)
        let entryPoint = EntryPoint.app(try AppEntryPoint("handoff", [1]))
        let questions: [@Sendable () async throws -> Void] = [
            { _ = try await presenter.chooseSpeaker(from: [], problem: nil) },
            { _ = try await presenter.askToRestore(StoredSession(userID: "7", isAnonymous: false)) },
            { _ = try await presenter.confirm(entryPoint) },
            { try await presenter.showTutorial([TutorialPage(title: "Hello", text: "")]) },
            { try await presenter.showOnboarding() },
        ]
        for ask in questions {
            terminal.type("\u{4}")
            await #expect(throws: (any Error).self) { try await ask() }
        }
        terminal.type("1\n")
        #expect(try await presenter.chooseSpeaker(from: [], problem: nil) == nil)
    }

    @Test("Screens that are wanted at once are shown one after the other, each as a whole")
    func queue() async {
        let first = Task { await screens.menu(title: "First", question: "?", options: ["a", "b"]) }
        #expect(await terminal.shows("name: "))
        let others = (1...5).map { number in Task { await screens.message(title: "Other \(number)", lines: []) } }
        terminal.type("x\n")
        #expect(await terminal.shows("name: ", times: 2))
        #expect(!shown.contains("Other"))
        terminal.type("b\n")
        #expect(await first.value == 1)
        for other in others { await other.value }
        #expect(await terminal.shows("Other", times: 5))
    }

    @Test("A screen whose task is cancelled while it waits for its turn is never shown")
    func cancelledInLine() async {
        let first = Task { await screens.confirm(question: "First?", default: false) }
        #expect(await terminal.shows("[y/N]: "))
        let second = Task { await screens.confirm(question: "Second?", default: false) }
        second.cancel()
        #expect(await second.value == nil)
        terminal.type("y\n")
        #expect(await first.value == true)
        #expect(!terminal.shown.contains("Second"))
    }

    @Test("A screen takes the place of a view, which comes back below it")
    func view() async throws {
        let now: @Sendable () -> Duration = { .zero }
        let view = try #require(LiveView(on: Terminal(descriptor: terminal.descriptor), tick: nil, environment: [:], now: now))
        let screens = try Self.screens(on: terminal, live: view)
        view.begin { _, _ in ["view"] }
        view.redraw()
        async let answer = screens.confirm(question: "Go on?", default: false)
        #expect(await terminal.shows("[y/N]: "))
        view.redraw()
        terminal.type("y\n")
        #expect(await answer == true)
        view.redraw()
        view.end()
        let drawn = "view\u{1B}[K\n\u{1B}[J\u{1B}[1A\r\u{1B}[J"
        #expect(await terminal.shows("\u{1B}[1A\r\u{1B}[J", times: 2))
        #expect(shown == drawn + "Go on? [y/N]: y\n" + drawn)
    }
}
