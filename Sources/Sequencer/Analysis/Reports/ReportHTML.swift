import Sequencer

extension LaunchReport {
    /// The launch as a web page: one file, without anything from elsewhere.
    ///
    /// The verdict, its reason and the launch's figures come first, then a legend and the timeline, which fills the width of any screen and has
    /// labels above the bars on a narrow one, then a table of every operation with its numbers, its dependencies, its error and its notes. Below the
    /// launch's own operations, the timeline has a heading for each scope of `scopes`, and the scope's operations at the launch's times. All of it can
    /// be read without JavaScript. With it, operations are searched by words of their rows (`/` goes to the search), sorted by a column, and the
    /// timeline is magnified (`+`, `-` and `0`, or the wheel with Control). An operation that is pointed at, clicked or focused shows its numbers and
    /// its neighbours: the arrow keys go from one to the next (up and down) and along dependencies (left and right), Enter goes to the table, Escape
    /// lets go. The page is light or dark as the person likes it. Names and messages can hold any character; the page's own policy
    /// (<https://www.w3.org/TR/CSP3/>) keeps it from loading or sending anything. The same document always gives the same text; nothing can fail.
    ///
    /// ```swift
    /// try await graph.run().report.html().write(toFile: "launch.html", atomically: true, encoding: .utf8)
    /// ```
    ///
    /// The format: <https://html.spec.whatwg.org/multipage/>, written so that a reader of XML understands it too.
    ///
    /// - Parameter maximumRows: how many operations have a row in the timeline; every operation is in the table, and those on the main thread and the
    ///   first 16 lanes are on these. Scopes and their operations have as many rows together, below the launch's own, and are in no table.
    /// - Complexity: O(dependencies + operations · log operations).
    public func html(maximumRows: Int = 1000) -> String {
        fromProcessStart.page(maximumRows)
    }

    private func page(_ maximumRows: Int) -> String {
        let title = Markup.text(scenario)
        return """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <title>\(title): \(Markup.text(verdictText))</title>
            <style>
            \(TimelineStyle.palette)
            \(TimelineStyle.page)
            \(HTMLStyle.css)
            </style>
            </head>
            <body>
            \(htmlHeader(title))
            <main>
            <h2>Timeline</h2>
            \(HTMLTimeline(self, maximumRows: maximumRows).html())
            <section id="details" aria-live="polite" aria-label="The chosen operation" hidden="hidden"></section>
            <h2>Operations</h2>
            \(HTMLTable(self).html())
            </main>
            <script>
            //<![CDATA[
            \(HTMLScript.javaScript)
            //]]>
            </script>
            </body>
            </html>
            """
    }

    private func htmlHeader(_ title: String) -> String {
        var text = "<header>\n<h1><bdi>\(title)</bdi></h1>\n"
        text += "<p class=\"verdict \(verdictClass)\">\(Markup.text(verdictText))</p>\n"
        let progress = verdictClass == "stopped" ? "; \(progressText)" : ""
        text += "<p id=\"outcome\">\(Markup.text(outcomeText + progress)).</p>\n<dl class=\"figures\">\n"
        for (name, value) in htmlFigures { text += "<div><dt>\(name)</dt><dd><bdi>\(Markup.text(value))</bdi></dd></div>\n" }
        text += "</dl>\n"
        if let excess = excessText() { text += "<p id=\"reason\">\(excess)\(htmlCauses).</p>\n" }
        if !criticalPath.isEmpty { text += "<p>Critical path: \(htmlNames(criticalPath)).</p>\n" }
        if let later = afterMilestoneText() { text += "<p>\(Markup.text(later)).</p>\n" }
        // No more than a person reads here; the timeline has them all.
        for scope in scopes.prefix(20) { text += "<p>Scope \(Markup.text(scope.description)).</p>\n" }
        if !stragglers.isEmpty { text += "<p>Still running when the launch ended: \(htmlNames(stragglers)).</p>\n" }
        if !anomalies.isEmpty {
            text += "<details><summary>\(anomalies.count) anomal\(anomalies.count == 1 ? "y" : "ies")</summary>\n<ul>\n"
            for anomaly in anomalies { text += "<li><bdi>\(Markup.text(anomaly.description))</bdi></li>\n" }
            text += "</ul>\n</details>\n"
        }
        return text + "</header>"
    }

    /// Green for a budget that was met, red for one that was not and for a failure, neither for a launch that was stopped on purpose.
    var verdictClass: String {
        switch outcome {
        case .completed: isWithinBudgets ? "pass" : "fail"
        case .failed: "fail"
        case .aborted, .cancelled: "stopped"
        }
    }

    /// A colon and the operations that explain an overrun, with their times: as many as a terminal shows. Empty without any.
    private var htmlCauses: String {
        if budget.causes.isEmpty { return "" }
        let positions = positions
        let causes = budget.causes.prefix(5).map { id in
            guard let operation = positions[id].map({ operations[$0] }) else { return "<bdi>\(Markup.text(id))</bdi>" }
            let times = Markup.text(operation.timesText())
            // The name of an event is an app's, in any script.
            let inner = operation.awaitedEventText.isEmpty ? times : "<bdi>\(times)</bdi>"
            return "<bdi>\(Markup.text(id))</bdi> (\(inner))"
        }
        let rest = budget.causes.count - causes.count
        return ": " + causes.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Names in a row, no more than a person reads.
    private func htmlNames(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "<bdi>\(Markup.text($0))</bdi>" }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    /// Names in HTML, and values as they are.
    private var htmlFigures: [(String, String)] {
        var figures = [
            ("Counted against the budget", durationText(budget.measured)),
            ("Budget", budget.budget.map { durationText($0.limit) } ?? "none"),
            ("Interactive", durationText(budget.interactive)), ("Makespan", durationText(makespan)), ("Work", durationText(work)),
            ("Critical path", durationText(criticalPathDuration)), ("Lanes", lanesText()), ("Operations", "\(operations.count)"),
        ]
        if let limit = budget.budget?.initialDisplay { figures.insert(("Budget of the initial display", durationText(limit)), at: 2) }
        if standstill > .zero { figures.append(("Process stood still", durationText(standstill))) }
        if suspended > .zero { figures.append(("Machine slept", durationText(suspended))) }
        if let version { figures.append(("Version", version)) }
        if let startedAt { figures.append(("Started", startedAt.formatted(Self.timestamp))) }
        figures += sortedAttributes.prefix(20).map { ("<bdi>\(Markup.text($0.key))</bdi>", $0.value) }
        if attributes.count > 20 { figures.append(("Other attributes", "\(attributes.count - 20)")) }
        return figures
    }
}

/// The page's table: a row an operation, each with an anchor that the timeline and the rows of other operations lead to.
struct HTMLTable {
    private let report: LaunchReport
    private let dependencies: [[Int]]
    /// Each identifier, fit for the page.
    private let names: [String]

    init(_ report: LaunchReport) {
        self.report = report
        dependencies = report.dependencyPositions
        names = report.operations.map { Markup.text($0.id) }
    }

    private static let columns: [(name: String, isNumber: Bool)] = [
        ("Operation", false), ("Outcome", false), ("Ready", true), ("Start", true), ("End", true), ("Wait", true), ("Duration", true),
        ("Expected", true), ("Slack", true), ("Lane", false), ("Attempts", true), ("After", false), ("Notes", false),
    ]

    func html() -> String {
        var text = "<div class=\"\(HTMLStyle.scrollClass(rows: report.operations.count))\">\n<table id=\"operations\">\n<thead><tr>"
        for column in Self.columns { text += "<th scope=\"col\"\(column.isNumber ? " class=\"n\"" : "")>\(column.name)</th>" }
        text += "</tr></thead>\n<tbody>\n"
        for (node, operation) in report.operations.enumerated() { append(operation, node, to: &text) }
        return text + "</tbody>\n</table>\n</div>"
    }

    private func append(_ operation: OperationReport, _ node: Int, to text: inout String) {
        text += "<tr id=\"row-\(node)\""
        if operation.isCritical { text += " class=\"critical\"" }
        if !dependencies[node].isEmpty { text += " data-after=\"\(dependencies[node].map(String.init).joined(separator: " "))\"" }
        text += "><th scope=\"row\"><a href=\"#row-\(node)\" data-choose=\"\(node)\"><bdi>\(names[node])</bdi></a>"
        if let title = operation.title { text += "<small><bdi>\(Markup.text(title))</bdi></small>" }
        text += "</th><td\(operation.outcome.timelineClass.map { " class=\"\($0)\"" } ?? "")>"
        text += ([operation.outcome.words] + report.marks(of: operation)).joined(separator: ", ") + "</td>"
        let hasRun = operation.start != nil
        for number in [
            operation.ready, operation.start, operation.end, hasRun ? operation.wait : nil, hasRun ? operation.duration : nil,
            operation.expected,
            operation.slack,
        ] { text += "<td class=\"n\">\(number.map(durationText) ?? "")</td>" }
        text += "<td>\(operation.place ?? "")</td><td class=\"n\">\(operation.attempts)</td><td>"
        text += dependencies[node].lazy.map { "<a href=\"#row-\($0)\"><bdi>\(names[$0])</bdi></a>" }.joined(separator: ", ")
        text += "</td><td>" + operation.remarks.lazy.map { "<bdi>\(Markup.text($0))</bdi>" }.joined(separator: "<br/>") + "</td></tr>\n"
    }
}

/// Texts in XML 1.0 and in HTML, which agree on everything used here.
///
/// The output is plain ASCII markup around text without markup: <https://www.w3.org/TR/xml/#syntax>,
/// <https://html.spec.whatwg.org/multipage/syntax.html#character-references>.
package enum Markup {
    /// A text as content, or as an attribute's value between double quotes.
    ///
    /// Characters that have no place in XML, that cannot be seen, or that turn the direction of writing are shown by their number, so a name cannot
    /// pass for another, or turn around the text after it.
    package static func text(_ text: String) -> String {
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && !isSpecial($0) }
        }
        // Nearly all texts: the other way looks at each character.
        if isPlain { return text }
        var result = ""
        for (scalar, isShown) in JudgedScalars(text) {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case _ where isShown && !scalar.properties.isNoncharacterCodePoint: result.unicodeScalars.append(scalar)
            default: result += scalar.escaped(asASCII: true)
            }
        }
        return result
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    /// A text of at most `limit` characters, the last of them `…` when something was cut off.
    static func shortened(_ text: String, to limit: Int) -> String {
        text.count > limit ? text.prefix(limit - 1) + "…" : text
    }

    /// About the width of a text in the drawing's font of 12 pixels; rather more than less.
    static func width(of text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }

    private static func width(of character: Character) -> Double {
        // As wide as an ideograph: a label that is cut too soon is better than one that lies over a bar.
        guard character.isASCII else { return 13 }
        return character.isUppercase || "mw@%_".contains(character) ? 10 : 7
    }

    /// A text in one line where that is wide enough, otherwise in two, the second one from behind the first `separator` on.
    static func lines(_ text: String, separator: String, toWidth limit: Double) -> [String] {
        guard width(of: text) > limit, let gap = text.firstRange(of: separator) else { return [shortened(text, toWidth: limit)] }
        return [text[..<gap.lowerBound], text[gap.upperBound...]].map { shortened(String($0), toWidth: limit) }
    }

    /// A text that is about as wide as `limit` pixels at the most, with `…` at its end when something was cut off.
    static func shortened(_ text: String, toWidth limit: Double) -> String {
        var (used, end) = (0.0, text.startIndex)
        for index in text.indices {
            used += width(of: text[index])
            if used > limit { return String(text[..<end]) + "…" }
            // With room for the sign of an omission, which is as wide as any character.
            if used + 13 <= limit { end = text.index(after: index) }
        }
        return text
    }
}
