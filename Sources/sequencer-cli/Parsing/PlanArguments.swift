import Sequencer

/// The arguments of `plan`.
struct PlanArguments: Equatable, Sendable {
    var scenario: String
    /// A plan for each; none for the usual ones.
    var lanes: [Int] = []
    var whatIf: [WhatIf] = []
    var budget: Duration?
    /// A file of past launches.
    var history: String?
    var effort = 1
    var common = CommonArguments()

    /// An operation, and how long to suppose that it takes.
    struct WhatIf: Equatable, Sendable {
        let operation: String
        let duration: Duration

        static func parse(_ text: String) throws(ValueError) -> WhatIf {
            guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
                throw ValueError(message: "\(quoted(text)) is not of the form OPERATION=TIME, such as login=300ms")
            }
            let duration = try DurationText.parse(String(text[text.index(after: sign)...]), minimum: .zero)
            return WhatIf(operation: String(text[..<sign]), duration: duration)
        }
    }

    /// Numbers of lanes, as in `1,2,4`.
    static func parseLanes(_ text: String) throws(ValueError) -> [Int] {
        var lanes: [Int] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Int(word), ScenarioDocument.lanes.contains(number) else {
                let range = ScenarioDocument.lanes
                throw ValueError(message: "\(quoted(String(word))) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            if !lanes.contains(number) { lanes.append(number) }
        }
        return lanes
    }
}

extension OptionDeclaration {
    static let history = OptionDeclaration(
        "history",
        .value("FILE"),
        help: "Expect of operations what they took in the launches that FILE keeps; run adds to it."
    )
}

extension CommandDeclaration {
    static let plan = CommandDeclaration(
        name: "plan",
        summary: "Predict a launch from expected durations: how long it takes on how many lanes, and whether that is within its budget.",
        positionals: [.scenario],
        options: [
            OptionDeclaration(
                "lanes",
                .value("N,N"),
                help: "Plan for these numbers of lanes (default: 1, 2, 4 and the fewest that are enough)."
            ),
            OptionDeclaration("what-if", .repeated("OP=TIME"), help: "Suppose that an operation takes this long; repeatable."),
            OptionDeclaration("budget", .value("TIME"), help: "The time that the launch may take, such as 3s or 800ms."),
            .history,
            OptionDeclaration("effort", .value("N"), help: "Look N times as long for a shorter schedule, 0 to 1000 (default: 1)."),
        ] + CommonArguments.options,
        examples: [
            CommandExample(line: "plan regular --lanes 1,2,4", effect: "See how many lanes are worth having."),
            CommandExample(line: "plan regular --what-if login=300ms", effect: "See what a faster login would gain."),
            CommandExample(
                line: "plan launch.json --budget 2s",
                effect: "Exit with 3 when no plan is within the budget: a gate that never flickers."
            ),
        ]
    ) { arguments throws(UsageError) in
        .plan(
            PlanArguments(
                scenario: try arguments.required(0),
                lanes: try arguments.value("lanes", PlanArguments.parseLanes) ?? [],
                whatIf: try arguments.all("what-if", PlanArguments.WhatIf.parse),
                budget: try arguments.duration("budget"),
                history: arguments.text("history"),
                effort: try arguments.integer("effort", in: 0...1000) ?? 1,
                common: try CommonArguments(arguments)
            )
        )
    }
}
