import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps

/// When to use colour.
enum ColorMode: String, CaseIterable, Sendable { case auto, always, never }

/// The arguments of every command that prints a result.
struct CommonArguments: Equatable, Sendable {
    var json = false
    /// Whether a report is JSON in one line; `json` is true then.
    var isInLines = false { didSet { json = json || isInLines } }
    /// The file for the result; nil is standard output.
    var output: String?
    var color = ColorMode.auto
    /// Whether progress is also shown where nothing can be drawn over: in separate lines.
    var showsProgress = false

    static let outputOption = CommandArgument<Self>.value("output", "FILE", \.output) { $0 == "-" ? nil : $0 }
        .help("Write the result to FILE instead of standard output ('-').")

    static let options: [CommandArgument<Self>] = [
        .flag("json", \.json).help("Print the result as JSON."),
        outputOption,
        .word("color", "WHEN", \.color).help("Use colour: auto (default: on a terminal), always or never."),
    ]

    /// For commands that print reports.
    static let linesOption = CommandArgument<Self>.flag("json-lines", \.isInLines)
        .help("Print each report as JSON on one line, for a file of many reports.")

    /// The options of commands that may take long, depending on launches and files.
    static let workingOptions =
        options + [
            .flag("progress", \.showsProgress)
                .help("Print the progress in lines on standard error, also without a terminal, such as in a CI's log.")
        ]
}

/// The clock of a run.
enum ClockMode: String, CaseIterable, Sendable {
    case wall
    /// Simulated work takes no time at all, and every run is the same.
    case virtual
}

/// The arguments of a launch, for `run` and `bench`; nil leaves a choice to the scenario or to the engine.
struct RunArguments: Equatable, Sendable {
    /// The command that they are of.
    var command = "run"
    /// A built-in scenario, a file, or `-`; nil lets the stored state decide.
    var scenario: String?
    var budget: Duration?
    var deadline: LaunchOptions.Deadline?
    var lanes: Int?
    var clock = ClockMode.wall
    /// At most one for each operation.
    var injections: [Injection] = []
    /// The facts of a scenario file that have other values than it says.
    var facts: [FactArgument] = []
    /// A file of past launches: what operations took in them is expected of this one, which is added to it.
    var history: String?
    /// Whether the budget counts from the start of the process, rather than from the start of the run.
    var fromProcessStart = false
    /// The folder of what the app remembers between launches; nil is the user's own.
    var state: String?
    /// The address of the services; nil is those in this process.
    var backend: URL?
    /// Whether the user answers what the app asks, on the terminal.
    var isInteractive = false
    /// Whether a scenario file runs its programs and sends its requests unasked.
    var isTrusted = false
    /// How many to suppose; nil for those of the machine, and in virtual time for as many as it takes.
    var processors: Int?
    /// The causes of the start; without any, the user tapped the icon. More than one may be there at once.
    var push: String?, link: String?, shortcut: String?
    /// The device's language and country; nil leaves them to the environment.
    var region: Region?
    /// The version that the app has; nil leaves it to the sample.
    var appVersion: String?

    /// The options of every run of a launch.
    static let howToRun: [CommandArgument<Self>] = [
        .budget(\.budget),
        .deadline(\.deadline)
            .help("End the launch by then, even while operations run (default: 30s, or the budget if longer)."),
        .integer("lanes", "N", in: ScenarioDocument.lanes, \.lanes)
            .help("Run at most N operations at a time, 1 to 1024."),
        .word("clock", "CLOCK", \.clock).help("The time to run in: wall (default) or virtual (instant, repeatable)."),
        .repeated("inject", "OP=EFFECT", \.injections) { texts in
            let form = "OP=EFFECT; an EFFECT is \(alternatives(Injection.effects))"
            return try pairs(texts, once: "operation", form: form, Injection.init)
        }
        .help("Make an operation misbehave: fail, hang, crash, delay:500ms or required; repeatable."),
        .facts(\.facts),
        .processors(\.processors),
        .trust(\.isTrusted),
    ]

    /// The device and the service of the app that is launched.
    static let device: [CommandArgument<Self>] = [
        .value("region", "LANG-COUNTRY", \.region, read: Region.parse)
            .help("Set the device to it, such as de-DE (default: that of LANG)."),
        .text("app-version", "V", \.appVersion).help("Be this version of the app, such as 1.4.0."),
    ]

    static let backendOption = CommandArgument<Self>.value("backend", "URL", \.backend, read: URLText.parseBackend)
        .help("Talk to the services there: https on any host, http on localhost, 127.0.0.1 or [::1].")
}

// MARK: - Options that several commands have

extension CommandArgument {
    static func budget(_ place: Place<Duration?>) -> Self {
        .duration("budget", place).help("The time that the launch may take, such as 3s or 800ms.")
    }

    static func deadline(_ place: Place<LaunchOptions.Deadline?>) -> Self {
        .value("deadline", "TIME|none", place, read: LaunchOptions.Deadline.parse)
    }

    static func facts(_ place: Place<[FactArgument]>) -> Self {
        .repeated("fact", "NAME=VALUE", place) { texts in
            // A name holds no `=`, a value may.
            try pairs(texts, atFirst: true, once: "fact", form: "NAME=VALUE, such as account=known", FactArgument.init)
        }
        .help("Give a fact of a scenario file another value; repeatable.")
    }

    static func processors(_ place: Place<Int?>) -> Self {
        .integer("processors", "N", in: 1...1024, place)
            .help(
                "Suppose N processors, which work that nobody waits for leaves to the milestone "
                    + "(default: the machine's; virtual: any number)."
            )
    }

    static func history(_ place: Place<String?>) -> Self {
        .text("history", "FILE", place).help("Expect the times of the launches that FILE keeps; run adds to it.")
    }

    static func trust(_ place: Place<Bool>) -> Self {
        .flag("trust", place).help("Run the programs and requests of a scenario file without asking or naming them.")
    }

    static func scenario(_ place: Place<String>) -> Self {
        .positional("SCENARIO") { $0[keyPath: place] = $1 }.help("A built-in scenario, a scenario file, or '-'.")
    }

    /// A saved report, or a scenario that is run in virtual time for one.
    static func source(_ place: Place<String>) -> Self {
        .positional("SOURCE") { $0[keyPath: place] = $1 }
            .help("A saved report, a built-in scenario, a scenario file, or '-'.")
    }
}

// MARK: - Values

extension LaunchOptions.Deadline {
    /// The value of `--deadline`.
    fileprivate static func parse(_ text: String) throws(ValueError) -> Self {
        if text == "none" { return .never }
        do throws(ValueError) {
            return .after(try DurationText.parse(text))
        } catch {
            throw ValueError(error.message + ", or 'none'")
        }
    }
}

/// Reads texts of the form `NAME=VALUE`.
///
/// - Parameters:
///   - isFirst: whether the first sign divides a name from its value, rather than the last one.
///   - kind: what a name is that may be given once only; nil where it may be given again.
///   - form: the form in the complaint about another one.
func pairs<Pair>(
    _ texts: [String],
    atFirst isFirst: Bool = false,
    once kind: String? = nil,
    form: String,
    _ make: (String, String) throws -> Pair
) throws -> [Pair] {
    var names: [String] = []
    let pairs = try texts.map { text in
        guard let sign = isFirst ? text.firstIndex(of: "=") : text.lastIndex(of: "="), sign != text.startIndex else {
            throw ValueError("\(quoted(text)) is not of the form \(form)")
        }
        names.append(String(text[..<sign]))
        return try make(names[names.count - 1], String(text[text.index(after: sign)...]))
    }
    // After all of them have been read, so that a word that means nothing is named first.
    if let kind, let twice = firstRepeated(names) { throw ValueError("the \(kind) \(quoted(twice)) is given twice") }
    return pairs
}

/// A fact as the command line gives it.
struct FactArgument: Equatable, Sendable {
    let name: String
    let value: String
}

/// A fault to bring about on purpose in one operation of a run.
struct Injection: Equatable, Sendable {
    fileprivate static let effects = ["fail", "hang", "crash", "delay:500ms", "required"]

    let operation: String
    /// Nil if the check must find that an update is required.
    let fault: Fault?

    /// Whether the check for updates must find a required one.
    var requiresUpdate: Bool { operation == StartupStep.forceUpdate.id && fault == nil }
}

extension Injection {
    fileprivate init(_ operation: String, _ word: String) throws(ValueError) {
        self.operation = operation
        switch word {
        case "fail": fault = .fail
        case "hang": fault = .hang
        case "crash": fault = .crash
        case "required": fault = nil
        case _ where word.hasPrefix("delay:"):
            fault = .delay(try DurationText.parse(String(word.dropFirst(6)), minimum: .zero))
        default: throw ValueError(unknownWord(word, called: "effect", among: Self.effects))
        }
    }
}

/// The device's language and country, as the command line and the environment write them.
extension Region {
    /// Reads `de-DE`; an underscore will do, as in the names of locales.
    static func parse(_ text: String) throws(ValueError) -> Region {
        guard let parts = text.wholeMatch(of: /([A-Za-z]{2})[-_]([A-Za-z]{2})/) else {
            throw ValueError("\(quoted(text)) is not of the form LANG-COUNTRY, two letters each, such as 'de-DE'")
        }
        return Region(country: parts.2.uppercased(), language: parts.1.lowercased())
    }

    /// The region of the first of the locale's variables that names one, as in `LANG=de_DE.UTF-8`; else English in the
    /// United States.
    static func current(_ environment: [String: String]) -> Region {
        // As for messages, whose language it is: LC_ALL wins, then LC_MESSAGES, then LANG (POSIX, 8.2).
        let locales = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
        let regions = locales.compactMap { locale in try? parse(String(locale.prefix { $0 != "." && $0 != "@" })) }
        return regions.first ?? Region(country: "US", language: "en")
    }
}
