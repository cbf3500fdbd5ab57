import Sequencer

extension LaunchReport {
    /// The launch as Markdown, for a comment on a pull request or a job's summary.
    ///
    /// A heading with the verdict, a few sentences, and a table of the operations. Names and messages can hold any
    /// character: nothing in them is taken for Markdown or HTML, mentions nobody and links nowhere. Ends with a
    /// newline; the same document always gives the same text.
    ///
    /// The format: <https://github.github.com/gfm/>, with tables.
    ///
    /// - Parameter maximumRows: how many operations are in the table. Of a launch with more, those of the critical path
    ///   come first, then those that did not succeed, then the longest; a line says how many are missing. Comments end
    ///   at 65,536 characters.
    public func markdown(maximumRows: Int = 100) -> String { fromProcessStart.comment(maximumRows) }

    private func comment(_ maximumRows: Int) -> String {
        var text = "### \(Markdown.text(scenario)): \(verdictText(name: Markdown.code))\n\n"
        text += "\(Markdown.text(outcomeText)) in \(durationText(endOfLaunchProper)); \(durationText(budget.interactive)) interactive; "
        text += "\(durationText(work)) of work on \(lanesText(lanes == 1 ? " lane" : " lanes")).\n\n"
        // A table for people must not grow with an app's bookkeeping.
        let attributes = listed(sortedAttributes, limit: 20, separator: "; ") {
            "\(Markdown.code($0.key)): \(Markdown.text($0.value, limit: 300))"
        }
        if !attributes.isEmpty { text += "\(attributes).\n\n" }
        let causes = budget.isMet ? "" : Markdown.names(budget.causes, separator: ", ")
        if !causes.isEmpty { text += "Over budget because of \(causes).\n\n" }
        if !criticalPath.isEmpty {
            text += "Critical path, \(durationText(criticalPathDuration)): \(Markdown.names(criticalPath, separator: " → ")).\n\n"
        }
        if let later = afterMilestoneText() { text += "\(Markdown.text(later)).\n\n" }
        // A comment ends at 65,536 characters: its lists are cut.
        for scope in scopes.prefix(20) { text += "Scope \(Markdown.text(scope.description)).\n\n" }
        if !stragglers.isEmpty { text += "Still running when the launch ended: \(Markdown.names(stragglers, separator: ", ")).\n\n" }
        for anomaly in anomalies.prefix(20) { text += "Anomaly: \(Markdown.text(anomaly.description)).\n\n" }
        if let grounds { text += "In virtual time, \(grounds.text).\n\n" }
        let selection = selection(limit: maximumRows)
        // A text ends with one newline, and the last paragraph has two.
        guard !selection.isEmpty else { return String(text.dropLast()) }
        text += "| Operation | Outcome | Start | Duration | Wait | Slack | Lane | Notes |\n|:--|:--|--:|--:|--:|--:|:--|:--|\n"
        for node in selection {
            let operation = operations[node]
            let cells = [
                Markdown.code(operation.id), ([operation.outcome.words] + marks(of: operation)).joined(separator: ", "),
                operation.start.map(durationText) ?? "", operation.start == nil ? "" : durationText(operation.duration),
                operation.start == nil ? "" : durationText(operation.wait), durationText(operation.slack), operation.place ?? "",
                operation.remarks.map { Markdown.text($0, limit: 300) }.joined(separator: "<br>"),
            ]
            text += "| \(cells.joined(separator: " | ")) |\n"
        }
        if let omission = omission(selection) { text += "\n\(omission).\n" }
        return text
    }
}

/// Texts in GitHub's Markdown.
enum Markdown {
    /// A text in which nothing is markup.
    ///
    /// Character references stand for themselves, never for structure. They are resolved before mentions, numbers of
    /// issues and addresses are looked for, though: an empty comment keeps those apart.
    static func text(_ text: String, limit: Int = 1000) -> String {
        var result = ""
        // Zero stands for the empty comment: `printable` leaves none in a text.
        for scalar in printable(text, limit: limit).replacing("www.", with: "www\u{0}.").unicodeScalars {
            switch scalar {
            case "\u{0}": result += "<!-- -->"
            case "@", "#", ":": result += "&#\(scalar.value);<!-- -->"
            case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", "(", ")", "-", "%", "=": result.unicodeScalars.append(scalar)
            case _ where scalar.isASCII: result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// An identifier, in the script of code.
    static func code(_ text: String) -> String {
        // Within backticks nothing can be escaped: any other name is written as HTML.
        return text.wholeMatch(of: /[A-Za-z0-9_.-]+/) != nil ? "`\(text)`" : "<code>\(Markdown.text(text))</code>"
    }

    static func names(_ names: [String], separator: String) -> String { listed(names, limit: 20, separator: separator, code) }
}
