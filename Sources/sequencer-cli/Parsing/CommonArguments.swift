/// When to use colour.
enum ColorMode: String, CaseIterable, Sendable {
    case auto, always, never
}

/// What every command that prints a result understands.
struct CommonArguments: Equatable, Sendable {
    var json = false
    /// The file for the result; nil is standard output.
    var output: String?
    var color = ColorMode.auto

    static let outputOption = OptionDeclaration(
        "output",
        short: "o",
        .value("FILE"),
        help: "Write the result to FILE instead of standard output ('-')."
    )

    static let options = [
        OptionDeclaration("json", .flag, help: "Print the result as JSON."),
        outputOption,
        OptionDeclaration(
            "color",
            .value("WHEN"),
            words: ColorMode.allCases.map(\.rawValue),
            help: "Use colour: auto (default: on a terminal), always or never."
        ),
    ]

    init(json: Bool = false, output: String? = nil, color: ColorMode = .auto) {
        self.json = json
        self.output = output
        self.color = color
    }

    init(_ arguments: ScannedArguments) throws(UsageError) {
        json = arguments.flag("json")
        output = arguments.text("output").flatMap { $0 == "-" ? nil : $0 }
        color = try arguments.word("color", ColorMode.self) ?? .auto
    }
}
