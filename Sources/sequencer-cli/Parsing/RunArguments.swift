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
    /// Whether the budget counts from the start of the process, rather than from the start of the run.
    var fromProcessStart = false
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let run = CommandDeclaration(
        name: "run",
        summary: "Run a launch for real and compare it with its budget.",
        positionals: [
            PositionalDeclaration(
                name: "SCENARIO",
                isRequired: false,
                help: "A built-in scenario, a scenario file, or '-' (default: first-launch)."
            )
        ],
        options: [
            OptionDeclaration("budget", .value("TIME"), help: "The time that the launch may take, such as 3s or 800ms."),
            OptionDeclaration("deadline", .value("TIME|none"), help: "End the launch by then, whatever still runs."),
            OptionDeclaration("lanes", .value("N"), help: "Run at most N operations at a time, 1 to 1024."),
            OptionDeclaration("clock", .value("CLOCK"), help: "The time to run in: wall (default) or virtual (instant, repeatable)."),
            OptionDeclaration(
                "inject",
                .repeated("OP=EFFECT"),
                help: "Make an operation misbehave: fail, hang, delay:500ms or required; repeatable."
            ),
            OptionDeclaration("from-process-start", .flag, help: "Count the budget from the start of the process."),
        ] + CommonArguments.options,
        examples: [
            CommandExample(line: "run", effect: "Run the first launch."),
            CommandExample(line: "run regular --budget 2s --clock virtual", effect: "Try a tighter budget, at once."),
            CommandExample(line: "run first-launch --inject force-update=required", effect: "See the update take over."),
            CommandExample(line: "run launch.json --json -o report.json", effect: "Save the report of a scenario file."),
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
                fromProcessStart: arguments.flag("from-process-start"),
                common: try CommonArguments(arguments)
            )
        )
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
