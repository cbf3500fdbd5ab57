import Foundation

/// When a difference counts, and what happens then.
struct VerdictArguments: Equatable, Sendable {
    /// The least change that counts, as a share.
    var threshold = 0.05
    /// Whether too little to say is an error.
    var isStrict = false
    /// Whether measurements of different machines may be compared.
    var isForced = false

    static let options = [
        OptionDeclaration("threshold", .value("SHARE"), help: "Call a change of more than this a change (default: 5%)."),
        OptionDeclaration("strict", .flag, help: "Exit with 5 when there is too little to say."),
        OptionDeclaration("force", .flag, help: "Compare even what was measured on different machines."),
    ]

    init() {}

    init(_ arguments: ScannedArguments) throws(UsageError) {
        threshold = try arguments.value("threshold", ShareText.parse) ?? 0.05
        isStrict = arguments.flag("strict")
        isForced = arguments.flag("force")
    }
}

/// The arguments of `bench`.
struct BenchArguments: Equatable, Sendable {
    static let runLimits = 1...100_000

    /// How each run is done.
    var launch: RunArguments
    /// Another scenario, whose runs take turns with those of the first.
    var other: String?
    var runs = 10
    var warmups = 1
    /// The file to keep the measurements in.
    var save: String?
    /// The saved bench to compare with.
    var baseline: String?
    var verdict = VerdictArguments()

    var common: CommonArguments { launch.common }

    /// The scenarios in the order of their turns.
    var scenarios: [String] { [launch.scenario, other].compactMap(\.self) }
}

extension CommandDeclaration {
    static let bench = CommandDeclaration(
        name: "bench",
        summary: "Run a launch many times: how long it takes, how sure that is, and whether it has become slower.",
        positionals: [.scenario],
        options: [
            OptionDeclaration("runs", .value("N"), help: "Measure N runs (default: 10)."),
            OptionDeclaration("warmup", .value("N"), help: "Run N times before that, without measuring (default: 1)."),
            OptionDeclaration("interleave", .value("SCENARIO"), help: "Measure another scenario in turn, and compare the two."),
            OptionDeclaration("save", .value("FILE"), help: "Keep all measurements in FILE."),
            OptionDeclaration("baseline", .value("FILE"), help: "Compare with the measurements in FILE; exit with 4 on a regression."),
        ] + VerdictArguments.options + launchOptions + CommonArguments.options,
        examples: [
            CommandExample(line: "bench regular --runs 30", effect: "Measure the regular launch."),
            CommandExample(line: "bench regular --save main.json", effect: "Keep the measurements."),
            CommandExample(line: "bench regular --baseline main.json --threshold 5%", effect: "Fail when it has become slower."),
            CommandExample(line: "bench launch.json --clock virtual", effect: "Measure in simulated time: the same on every machine."),
        ],
        signals: [CommandExample(line: "SIGINT, SIGTERM", effect: "End after this run, which does not count; the second time, at once.")]
    ) { arguments throws(UsageError) in
        let bench = BenchArguments(
            launch: RunArguments(
                scenario: try arguments.required(0),
                budget: try arguments.duration("budget"),
                deadline: try arguments.value("deadline", DeadlineArgument.parse),
                lanes: try arguments.integer("lanes", in: ScenarioDocument.lanes),
                clock: try arguments.word("clock", ClockMode.self) ?? .wall,
                injections: try Injection.all(in: arguments),
                state: arguments.text("state"),
                backend: try arguments.value("backend", BackendAddress.parse),
                region: try arguments.value("region", DeviceRegion.parse),
                appVersion: arguments.text("app-version"),
                common: try CommonArguments(arguments)
            ),
            other: arguments.text("interleave"),
            runs: try arguments.integer("runs", in: BenchArguments.runLimits) ?? 10,
            warmups: try arguments.integer("warmup", in: 0...BenchArguments.runLimits.upperBound) ?? 1,
            save: arguments.text("save"),
            baseline: arguments.text("baseline"),
            verdict: try VerdictArguments(arguments)
        )
        if let crash = bench.launch.injections.first(where: { $0.effect == .crash }) {
            throw arguments.failure("option '--inject': \(quoted(crash.operation + "=crash")) would end the bench; only run can crash")
        }
        if (bench.scenarios + [bench.baseline].compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
            throw arguments.failure("standard input ('-') can be read only once")
        }
        return .bench(bench)
    }

    private static let launchOptions =
        howToRun + [
            OptionDeclaration("state", .value("DIR"), help: "Begin every run with what the app remembers in DIR, which stays as it is."),
            OptionDeclaration("backend", .value("URL"), help: "Talk to the services there, over https, or http on this machine."),
            OptionDeclaration("region", .value("LANG-COUNTRY"), help: "Set the device to it, such as de-DE (default: what LANG says)."),
            OptionDeclaration("app-version", .value("V"), help: "Be this version of the app, such as 1.4.0."),
        ]
}
