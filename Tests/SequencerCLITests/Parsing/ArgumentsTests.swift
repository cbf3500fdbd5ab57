import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Command lines", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ArgumentsTests {
    @Test(
        "Other ways to write things",
        arguments: [
            ("run", RunCommand(arguments: RunArguments())),
            ("run -", RunCommand(arguments: RunArguments(scenario: "-"))),
            ("run --deadline none", RunCommand(arguments: RunArguments(deadline: .never))),
            ("run -- --json", RunCommand(arguments: RunArguments(scenario: "--json"))),
            ("run -ofile", RunCommand(common: CommonArguments(output: "file"))),
            ("run -o -", RunCommand(arguments: RunArguments())),
            ("run --output=--x", RunCommand(common: CommonArguments(output: "--x"))),
            ("run --color always --color=never", nil),
            ("graph regular", GraphCommand(scenario: "regular")),
            ("graph regular --format dot --reduce", GraphCommand(scenario: "regular", format: .dot, reduce: true)),
            ("graph a --json", GraphCommand(scenario: "a", format: .json, common: CommonArguments(json: true))),
            ("graph a --json --format json", GraphCommand(scenario: "a", format: .json, common: CommonArguments(json: true))),
            ("verify a.json", VerifyCommand(scenario: "a.json")),
            (
                "verify a.json --fact b=c=d --fact e=f",
                VerifyCommand(scenario: "a.json", facts: [FactArgument(name: "b", value: "c=d"), FactArgument(name: "e", value: "f")])
            ),
            ("explain", ExplainCommand()),
            ("explain --state d --last 3", ExplainCommand(state: "d", last: 3)),
            (
                "run a --inject b=crash",
                RunCommand(arguments: RunArguments(scenario: "a", injections: [Injection(operation: "b", fault: .crash)]))
            ),
            (
                "run --inject c=d=delay:500ms",
                RunCommand(arguments: RunArguments(injections: [Injection(operation: "c=d", fault: .delay(.milliseconds(500)))]))
            ),
            ("scenarios --json", ScenariosCommand(common: CommonArguments(json: true))),
            ("help", HelpCommand()),
            ("help run", HelpCommand(topic: "run")),
            ("import a --trace b --as scenario", ImportCommand(input: "a", trace: "b", form: .scenario)),
            ("-h", HelpCommand()),
            ("--help", HelpCommand()),
            ("run --wrong --help", HelpCommand(topic: "run")),
            ("graph -h", HelpCommand(topic: "graph")),
            ("help --help", HelpCommand(topic: "help")),
            ("--version", VersionCommand()),
        ] as [(String, (any Command)?)]
    )
    func spellings(_ line: String, _ expected: (any Command)?) {
        let parsed = try? parseArguments(line.split(separator: " ").map(String.init))
        func isEqual<Expected: Command>(_ expected: Expected) -> Bool { parsed as? Expected == expected }
        #expect(expected.map { isEqual($0) } ?? (parsed == nil))
    }

    private static let duration = "expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', more than 0 and at most 24h"
    private static let commands = alternatives(Commands.all.map { $0.name })
    private static let effects = "'fail', 'hang', 'crash', 'delay:500ms' or 'required'"

    static let mistakes: [(line: [String], message: String)] = [
        ([], "a command is missing"),
        (["rnu"], "unknown command 'rnu'; did you mean 'run'?"),
        (["xyzzy"], "unknown command 'xyzzy'; expected \(commands)"),
        ([""], "unknown command ''; expected \(commands)"),
        (["a\u{1B}[2J"], "unknown command 'a\\u{1B}[2J'; expected \(commands)"),
        (["help", "rnu"], "unknown command 'rnu'; did you mean 'run'?"),
        (["completions", "tcsh"], "unknown shell 'tcsh'; expected 'bash', 'zsh' or 'fish'"),
        (
            ["report", "a", "--json-lines", "--format", "html"],
            "options '--json-lines' and '--format html' exclude each other"
        ),
        (["explore", "a", "--jitter", "1ms"], "option '--jitter' is for '--interleavings'"),
        (
            ["explore", "a", "--interleavings", "0"],
            "option '--interleavings': '0' is not a whole number from 1 to 100000"
        ),
        (
            ["explore", "a", "--interleavings", "9", "--jitter", "0s"],
            "option '--jitter': '0s' is not more than 0; \(duration)"
        ),
        (
            ["explore", "a", "--interleavings", "9", "--depth", "2"],
            "options '--orders' and '--depth' are not for '--interleavings'"
        ),
        (
            ["explore", "a", "--interleavings", "9", "--clock", "wall"],
            "option '--clock': '--interleavings' only simulates work"
        ),
        (["report", "a", "--service", "shop"], "option '--service' is for '--format otlp'"),
        (["report", "a", "--format", "html", "--width", "400"], "option '--width' is for '--format svg'"),
        (
            ["report", "a", "--format", "perfetto"],
            "option '--format': unknown value 'perfetto'; expected 'text', 'html', 'svg', 'markdown', 'chrome', 'otlp' or 'json'"
        ),
        (["help", "run", "graph"], "unexpected argument 'graph'; 'help' takes only COMMAND"),
        (["--json", "run"], "expected a command before the option '--json'"),
        (["-o", "x", "run"], "expected a command before the option '-o'"),
        (["--vresion"], "unknown option '--vresion'; did you mean '--version'?"),
        (["-x"], "unknown option '-x'; expected '--help' or '--version'"),
        (["run", "--buget", "3s"], "unknown option '--buget'; did you mean '--budget'?"),
        (["run", "--buget=3s"], "unknown option '--buget'; did you mean '--budget'?"),
        (["run", "--nonsense"], "unknown option '--nonsense'; see '--help'"),
        (["run", "-x"], "unknown option '-x'; see '--help'"),
        (["run", "--=3"], "unknown option '--'; see '--help'"),
        (["run", "--budget"], "option '--budget' lacks its value TIME"),
        (["run", "--budget", "--json"], "option '--budget' lacks its value TIME"),
        (["run", "--output", "-x"], "option '--output' lacks its value FILE"),
        (["run", "-o"], "option '--output' lacks its value FILE"),
        (["run", "--output="], "option '--output' has an empty value; expected FILE"),
        (["run", "--json", "--json"], "option '--json' is given twice"),
        (["run", "--json=yes"], "option '--json' takes no value, found 'yes'"),
        (["run", "a", "b"], "unexpected argument 'b'; 'run' takes only SCENARIO"),
        (["scenarios", "a"], "unexpected argument 'a'; 'scenarios' takes no arguments"),
        (["run", ""], "the argument SCENARIO is empty"),
        (["graph"], "the argument SCENARIO is missing"),
        (["verify", "--json"], "the argument SCENARIO is missing"),
        (["run", "--budget", "0s"], "option '--budget': '0s' is not more than 0; \(duration)"),
        (["run", "--deadline", "never"], "option '--deadline': 'never' is not a duration; \(duration), or 'none'"),
        (["run", "--lanes", "0"], "option '--lanes': '0' is not a whole number from 1 to 1024"),
        (["run", "--lanes", "-1"], "option '--lanes': '-1' is not a whole number from 1 to 1024"),
        (["run", "--clock", "wal"], "option '--clock': unknown value 'wal'; expected 'wall' or 'virtual'; did you mean 'wall'?"),
        (["run", "--color=red"], "option '--color': unknown value 'red'; expected 'auto', 'always' or 'never'"),
        (
            ["graph", "a", "--format", "jsn"],
            "option '--format': unknown value 'jsn'; expected 'tree', 'dot', 'mermaid', 'gantt' or 'json'; did you mean 'json'?"
        ),
        (["graph", "a", "--format", "dot", "--json"], "options '--json' and '--format dot' exclude each other"),
        (["run", "--inject", "a"], "option '--inject': 'a' is not of the form OP=EFFECT; an EFFECT is \(effects)"),
        (["run", "--inject", "=fail"], "option '--inject': '=fail' is not of the form OP=EFFECT; an EFFECT is \(effects)"),
        (["run", "--inject", "a="], "option '--inject': unknown effect ''; expected \(effects)"),
        (["run", "--inject", "a=fial"], "option '--inject': unknown effect 'fial'; expected \(effects); did you mean 'fail'?"),
        (
            ["run", "--inject", "a=delay:5"],
            "option '--inject': '5' has no unit; \(duration.replacing("more than 0", with: "0 or more"))"
        ),
        (["run", "--inject", "a=fail", "--inject", "a=hang"], "option '--inject': the operation 'a' is given twice"),
    ]

    @Test("fault A1, A2, A3: Each mistake is answered in one sentence", arguments: mistakes)
    func refuses(_ line: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try parseArguments(line) }
        #expect(error?.description == message)
    }

    @Test("Below a mistake stands how to do it right")
    func usage() {
        #expect(UsageError("m").usage == HelpText.overview)
        #expect(UsageError("m", command: "run").usage == "Usage: sequencer-cli run [SCENARIO] [options]\nSee 'sequencer-cli help run'.")
    }

    @Test("Every command has two examples that parse, and is listed", arguments: Commands.all.map { $0.name })
    func examples(_ name: String) throws {
        let command = try command(named: name)
        #expect(command.examples.count >= 2)
        #expect(HelpText.overview.contains("\n  \(name)"))
        for example in command.examples {
            let line = example.key.prefix { !"|<>".contains($0) }
            #expect(throws: Never.self) { try parseArguments(line.split(separator: " ").map(String.init)) }
        }
    }
}
