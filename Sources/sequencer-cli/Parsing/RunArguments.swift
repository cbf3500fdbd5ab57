import Foundation

/// Which time a run lives in.
enum ClockMode: String, CaseIterable, Sendable {
    case wall
    /// Simulated work takes no time at all, and every run is the same.
    case virtual
}

/// What the command line says about the end of the whole launch.
enum DeadlineArgument: Equatable, Sendable {
    case none
    case after(Duration)
}

/// The arguments of `run`; nil leaves a choice to the scenario or to the engine.
struct RunArguments: Equatable, Sendable {
    /// A built-in scenario, a file, or `-`; nil lets the stored state decide.
    var scenario: String?
    var budget: Duration?
    var deadline: DeadlineArgument?
    var lanes: Int?
    var clock = ClockMode.wall
    /// At most one for each operation.
    var injections: [Injection] = []
    /// A file of past launches: what operations took in them is expected of this one, which is added to it.
    var history: String?
    /// Whether the budget counts from the start of the process, rather than from the start of the run.
    var fromProcessStart = false
    /// The folder of what the app remembers between launches; nil is the user's own.
    var state: String?
    /// The address of the services; nil is those in this process.
    var backend: URL?
    /// Whether a person answers what the app asks, on the terminal.
    var isInteractive = false
    /// What started the app; with none of them, its icon did. More than one may be there at once.
    var push: String?, link: String?, shortcut: String?
    /// What the device is set to; nil leaves it to the environment.
    var region: DeviceRegion?
    /// The version that the app has; nil leaves it to the sample.
    var appVersion: String?
    var common = CommonArguments()
}

extension CommandDeclaration {
    /// How a launch is run, whichever it is.
    static let howToRun = [
        OptionDeclaration("budget", .value("TIME"), help: "The time that the launch may take, such as 3s or 800ms."),
        OptionDeclaration("deadline", .value("TIME|none"), help: "End the launch by then, whatever still runs."),
        OptionDeclaration("lanes", .value("N"), help: "Run at most N operations at a time, 1 to 1024."),
        OptionDeclaration(
            "clock",
            .value("CLOCK"),
            words: ["wall", "virtual"],
            help: "The time to run in: wall (default) or virtual (instant, repeatable)."
        ),
        OptionDeclaration(
            "inject",
            .repeated("OP=EFFECT"),
            help: "Make an operation misbehave: fail, hang, crash, delay:500ms or required; repeatable."
        ),
    ]

    static let run = CommandDeclaration(
        name: "run",
        summary: "Run a launch for real and compare it with its budget.",
        positionals: [
            PositionalDeclaration(
                name: "SCENARIO",
                isRequired: false,
                help: "A built-in scenario, a scenario file, or '-' (default: what the state says)."
            )
        ],
        options: howToRun + [
            .history,
            OptionDeclaration("from-process-start", .flag, help: "Count the budget from the start of the process."),
        ] + appOptions + CommonArguments.options,
        examples: [
            CommandExample(line: "run", effect: "Run the first launch."),
            CommandExample(line: "run regular --budget 2s --clock virtual", effect: "Try a tighter budget, at once."),
            CommandExample(line: "run first-launch --inject force-update=required", effect: "See the update take over."),
            CommandExample(line: "run launch.json --json -o report.json", effect: "Save the report of a scenario file."),
            CommandExample(line: "run --state device --interactive", effect: "Be the app's user; the next launch remembers you."),
            CommandExample(
                line: "run --state device --inject tutorial=crash",
                effect: "Crash; after three of these, the tutorial is left out."
            ),
            CommandExample(line: "run --push message.json --link app://open/speakers/7", effect: "Start from a push and a link at once."),
        ],
        signals: [
            CommandExample(line: "SIGINT, SIGTERM", effect: "Cancel the launch and print the report so far; the second time, end at once."),
            CommandExample(line: "SIGUSR1", effect: "Say what each operation waits for, and since when; so does a launch that stalls."),
        ]
    ) { arguments throws(UsageError) in
        .run(
            RunArguments(
                scenario: arguments.positional(0),
                budget: try arguments.duration("budget"),
                deadline: try arguments.value("deadline", DeadlineArgument.parse),
                lanes: try arguments.integer("lanes", in: ScenarioDocument.lanes),
                clock: try arguments.word("clock", ClockMode.self) ?? .wall,
                injections: try Injection.all(in: arguments),
                history: arguments.text("history"),
                fromProcessStart: arguments.flag("from-process-start"),
                state: arguments.text("state"),
                backend: try arguments.value("backend", BackendAddress.parse),
                isInteractive: arguments.flag("interactive"),
                push: arguments.text("push"),
                link: arguments.text("link"),
                shortcut: arguments.text("shortcut"),
                region: try arguments.value("region", DeviceRegion.parse),
                appVersion: arguments.text("app-version"),
                common: try CommonArguments(arguments)
            )
        )
    }
}

extension CommandDeclaration {
    /// The app of the built-in steps, and what starts it.
    private static let appOptions = [
        OptionDeclaration("state", .value("DIR"), help: "Keep what the app remembers in DIR (default: the user's state folder)."),
        OptionDeclaration("backend", .value("URL"), help: "Talk to the services there, over https, or http on this machine."),
        OptionDeclaration("interactive", .flag, help: "Answer yourself what the app asks, on the terminal."),
        OptionDeclaration("push", .value("FILE|TEXT"), help: "Start the app from a push with this JSON payload, a file or '{...}'."),
        OptionDeclaration("link", .value("URL"), help: "Start the app from a link, such as app://open/speakers/7."),
        OptionDeclaration("shortcut", .value("NAME"), help: "Start the app from a shortcut of its icon."),
        OptionDeclaration("region", .value("LANG-COUNTRY"), help: "Set the device to it, such as de-DE (default: what LANG says)."),
        OptionDeclaration("app-version", .value("V"), help: "Be this version of the app, such as 1.4.0."),
    ]
}

extension RunArguments {
    /// Refuses what cannot be done where the tool has been started.
    func checkStreams() throws(UsageError) {
        if isInteractive, !Terminal(descriptor: STDIN_FILENO).isTerminal {
            throw UsageError("--interactive needs a terminal to ask on", command: "run")
        }
    }
}

extension DeadlineArgument {
    static func parse(_ text: String) throws(ValueError) -> DeadlineArgument {
        if text == "none" { return .none }
        do throws(ValueError) {
            return .after(try DurationText.parse(text))
        } catch {
            throw ValueError(message: error.message + ", or 'none'")
        }
    }
}
