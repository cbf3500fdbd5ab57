import Sequencer

extension LaunchReport {
    /// The launch as a web page: one file, without anything from elsewhere.
    ///
    /// The verdict and its reason come first, then a legend and the timeline, which fills the width of any screen and
    /// has labels above the bars on a narrow one, then a table of every operation with its numbers, its dependencies,
    /// its error and its notes. Below the launch's own operations, the timeline has a heading for each scope of
    /// `scopes`, and the scope's operations at the launch's times. All of it can be read without JavaScript. With it,
    /// operations are searched by words of their rows, filtered, sorted by a column, and the timeline is magnified: by
    /// dragging over a part of it, or with buttons. An operation of the timeline leads to its row of the table, which
    /// names and links those that it waited for. The page is light or dark as the user likes it. Names and messages can
    /// hold any character; the page's own policy (<https://www.w3.org/TR/CSP3/>) keeps it from loading or sending
    /// anything. The same document always gives the same text; nothing can fail.
    ///
    /// ```swift
    /// try await graph.run().report.html().write(toFile: "launch.html", atomically: true, encoding: .utf8)
    /// ```
    ///
    /// The format: <https://html.spec.whatwg.org/multipage/>, written so that a reader of XML understands it too.
    ///
    /// - Parameters:
    ///   - maximumRows: how many operations have a row in the timeline; every operation is in the table, and those on
    ///     the main thread and the first 16 lanes are on these. Scopes and their operations have as many rows together,
    ///     below the launch's own, and are in no table.
    ///   - gains: by position, how much earlier the launch would have ended without an operation; without any, the
    ///     table has no such column.
    /// - Complexity: O(dependencies + operations · log operations).
    public func html(maximumRows: Int = 1000, gains: [Int: Duration] = [:]) -> String {
        ReportPage(Timeline(self, maximumRows: maximumRows), gains: gains, offset: fromProcessStart.operations.count - operations.count)
            .html()
    }

    /// Green for a budget that was met, red for one that was not and for a failure, neither for a launch that was
    /// stopped on purpose.
    var verdictClass: String {
        switch outcome {
        case .completed: !isWithinBudgets ? "fail" : unknownTimes.tellNothing ? "stopped" : "pass"
        case .failed: "fail"
        case .aborted, .cancelled: "stopped"
        }
    }
}

/// The page of a report: its text, its timeline, and a table with an anchor for each operation, to which the timeline
/// leads.
private struct ReportPage {
    private let timeline: Timeline
    private let report: LaunchReport
    private let parts: TimelineParts
    private let gains: [Int: Duration]
    private let dependencies: [[Int]]
    /// The operations with a row in the timeline.
    private let shown: Set<Int>

    /// - Parameter offset: how many operations the timeline has before those of the report, which the gains count from.
    init(_ timeline: Timeline, gains: [Int: Duration], offset: Int) {
        self.timeline = timeline
        report = timeline.report
        parts = TimelineParts(timeline: timeline)
        self.gains = Dictionary(uniqueKeysWithValues: gains.map { ($0 + offset, $1) })
        dependencies = report.dependencyPositions
        shown = Set(timeline.rows.compactMap { row in if case .operation(_, let node?) = row { node } else { nil } })
    }

    func html() -> String {
        let (title, count) = (Markup.text(report.scenario), report.operations.count)
        return """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <title>\(title): \(Markup.text(report.verdictText))</title>
            <style>
            \(TimelineStyle.palette)
            \(TimelineStyle.shapes)
            \(TimelineStyle.page)
            \(TimelineStyle.document)
            </style>
            </head>
            <body>
            <header>
            <h1><bdi>\(title)</bdi></h1>
            <p class="verdict \(report.verdictClass)">\(Markup.text(report.verdictText))</p>
            \(reasons())</header>
            <main>
            \(legend())
            <div id="tools" hidden="hidden">
            <label>Search <input id="search" type="search" autocomplete="off"/></label>
            <span><button data-show=".critical" aria-pressed="false" type="button">Critical</button>
            <button data-show=".failed, .fell-back, .cancelled" aria-pressed="false" type="button">Not succeeded</button></span>
            <span id="found" role="status"></span>
            <span role="group" aria-label="Zoom"><button id="closer" type="button">Zoom in</button> <button id="farther" type="button">Zoom out</button>
            <button id="whole" type="button">Whole launch</button></span>
            </div>
            <div class="scroll\(timeline.rows.count > 40 ? " tall" : "")" id="view">
            <div id="timeline" role="group" aria-label="\(Markup.text(timeline.title))" data-extent="\(timeline.extent)">
            <div class="top"><svg class="head" style="height:\(parts.headHeight)px">\(parts.head())</svg></div>
            <svg class="lines" id="lines" aria-hidden="true">\(parts.lines())</svg>
            \(timeline.lanes.map(lane).joined())<div id="rows">
            \(criticalPath())\(timeline.rows.map(row).joined())</div>
            <div id="range" hidden="hidden"></div>
            </div>
            </div>
            <h2>Operations</h2>
            <div class="scroll\(count > 40 ? " tall" : "")">
            \(table())
            </div>
            </main>
            <footer>
            \(facts())</footer>
            <script>
            //<![CDATA[
            \(PageScript.javaScript)
            //]]>
            </script>
            </body>
            </html>
            """
    }

    // MARK: Words

    /// How the launch ended, and why it took as long as it did.
    private func reasons() -> String {
        var text = ""
        if report.outcome != .completed {
            let progress = report.verdictClass == "stopped" ? "; \(report.progressText)" : ""
            text += "<p id=\"outcome\">\(Markup.text(report.outcomeText + progress)).</p>\n"
        }
        if let excess = report.excessText() { text += "<p id=\"reason\">\(excess)\(causes()).</p>\n" }
        if !report.criticalPath.isEmpty {
            text += "<p>Critical path, \(durationText(report.criticalPathDuration)): \(list(report.criticalPath)).</p>\n"
        }
        return text
    }

    /// A colon and the operations that explain an overrun, with their times: as many as a terminal shows. Empty without
    /// any.
    private func causes() -> String {
        if report.budget.causes.isEmpty { return "" }
        return ": "
            + listed(report.budget.causes) { id in
                guard let operation = report[id] else { return "<bdi>\(Markup.text(id))</bdi>" }
                let times = Markup.text(operation.timesText())
                // The name of an event is an app's, in any script.
                return "<bdi>\(Markup.text(id))</bdi> (\(operation.awaitedEventText.isEmpty ? times : "<bdi>\(times)</bdi>"))"
            }
    }

    private func list(_ names: [String]) -> String { listed(names, limit: 20) { "<bdi>\(Markup.text($0))</bdi>" } }

    /// Further facts, in small letters below the table.
    private func facts() -> String {
        var text = "<dl class=\"figures\">\n"
        for (name, value) in figures { text += "<div><dt>\(name)</dt><dd><bdi>\(Markup.text(value))</bdi></dd></div>\n" }
        text += "</dl>\n"
        if let later = report.afterMilestoneText() { text += "<p>\(Markup.text(later)).</p>\n" }
        // No more than the user reads here; the timeline has them all.
        for scope in report.scopes.prefix(20) { text += "<p>Scope \(Markup.text(scope.description)).</p>\n" }
        if !report.stragglers.isEmpty { text += "<p>Still running when the launch ended: \(list(report.stragglers)).</p>\n" }
        let anomalies = report.anomalies
        if anomalies.isEmpty { return text }
        text += "<details><summary>\(anomalies.count) anomal\(anomalies.count == 1 ? "y" : "ies")</summary>\n<ul>\n"
        return text + anomalies.map { "<li><bdi>\(Markup.text($0.description))</bdi></li>\n" }.joined() + "</ul>\n</details>\n"
    }

    /// Names in HTML, and values as they are.
    private var figures: [(String, String)] {
        let budget = report.budget
        var figures: [(String, String?)] = [
            ("Counted against the budget", durationText(budget.measured)),
            ("Budget", budget.budget.map { durationText($0.limit) } ?? "none"),
            ("Budget of the initial display", budget.budget?.initialDisplay.map { durationText($0) }),
            ("Interactive", durationText(budget.interactive)), ("Makespan", durationText(report.makespan)),
            ("Work", durationText(report.work)),
            ("Lanes", report.lanesText()), ("Operations", "\(report.operations.count)"),
            ("Process stood still", report.standstill > .zero ? durationText(report.standstill) : nil),
            ("Machine slept", report.suspended > .zero ? durationText(report.suspended) : nil), ("Version", report.version),
            ("Started", report.startedAt.map { $0.formatted(LaunchReport.timestamp) }),
        ]
        figures += report.sortedAttributes.prefix(20).map { ("<bdi>\(Markup.text($0.key))</bdi>", $0.value) }
        figures.append(("Other attributes", report.attributes.count > 20 ? "\(report.attributes.count - 20)" : nil))
        return figures.compactMap { name, value in value.map { (name, $0) } }
    }

    // MARK: The timeline

    private func legend() -> String {
        let entries = timeline.legend.map { "<li><svg>\(TimelineParts.sample(of: $0))</svg>\($0.text)</li>\n" }
        return entries.isEmpty ? "" : "<ul class=\"legend\">\n\(entries.joined())</ul>"
    }

    private func lane(_ lane: Timeline.Lane) -> String {
        "<div class=\"row lane\" aria-hidden=\"true\"><span class=\"label\">\(lane.name)</span><svg>\(parts.bars(on: lane))</svg></div>\n"
    }

    private func criticalPath() -> String {
        let steps = parts.criticalPath(rowHeight: 20, base: 18)
        return steps.isEmpty ? "" : "<svg class=\"lines join\" aria-hidden=\"true\">\(steps)</svg>\n"
    }

    private func row(_ row: Timeline.Row) -> String {
        switch row {
        case .note(let phrase): return "<p class=\"note\">\(Markup.text(phrase)).</p>\n"
        case .heading(let scope):
            let name = Markup.text(Markup.shortened(scope.description, to: 160))
            return "<h3 class=\"\(scope.report.verdictClass)\"><bdi>\(name)</bdi></h3>\n"
        case .operation(let operation, let node):
            // Operations of scopes lead nowhere, since the table has only the operations of the launch.
            let (tag, link) = node.map { ("a", " id=\"op-\($0)\" data-op=\"\($0)\" href=\"#row-\($0)\"") } ?? ("div", "")
            let tip = "\(operation.id): \(operation.summary)" + (operation.message.map { ": \($0)" } ?? "")
            let sign = operation.isMain ? "\(TimelineSign.mainThread) " : ""
            let end = parts.place(operation.end.nanoseconds).dropLast()
            // Cut: the table has the whole message, and a page of many failures would be twice as large.
            return "<\(tag) class=\"row \(operation.timelineClasses)\"\(link) title=\"\(Markup.text(Markup.shortened(tip, to: 300)))\">"
                + "<span class=\"label\">\(sign)<bdi>\(Markup.text(Markup.shortened(operation.id, to: 100)))</bdi></span>"
                + "<svg>\(parts.bars(of: operation))</svg><span class=\"number\" style=\"--at:\(end)\">\(operation.timelineNote)</span></\(tag)>\n"
        }
    }

    // MARK: The table

    /// A row for each operation, in the order of their starts, as in the timeline.
    private func table() -> String {
        let numbers = ["Ready", "Start", "End", "Wait", "Duration", "Expected", "Slack"] + (gains.isEmpty ? [] : ["Gain"])
        let names = ["Operation", "Outcome"] + numbers + ["Lane", "Attempts", "After", "Notes"]
        let headings = names.map { name in
            "<th scope=\"col\"\(numbers.contains(name) || name == "Attempts" ? " class=\"n\"" : "")>\(name)</th>"
        }
        return "<table id=\"operations\" style=\"--numbers:\(numbers.count)\">\n<thead><tr>\(headings.joined())</tr></thead>\n<tbody>\n"
            + report.rowOrder(Array(report.operations.indices)).map(tableRow).joined() + "</tbody>\n</table>"
    }

    private func tableRow(_ node: Int) -> String {
        let operation = report.operations[node], after = dependencies[node]
        let name = "<bdi>\(Markup.text(operation.id))</bdi>"
        var text = "<tr class=\"\(operation.timelineClasses)\" id=\"row-\(node)\" data-op=\"\(node)\"><th scope=\"row\">"
        text += (shown.contains(node) ? "<a href=\"#op-\(node)\">\(name)</a>" : name)
        if let title = operation.title { text += "<small><bdi>\(Markup.text(title))</bdi></small>" }
        text += "</th><td class=\"outcome\">\(([operation.outcome.words] + report.marks(of: operation)).joined(separator: ", "))</td>"
        let hasRun = operation.start != nil
        var numbers = [
            operation.ready, operation.start, operation.end, hasRun ? operation.wait : nil, hasRun ? operation.duration : nil,
            operation.expected, operation.slack,
        ]
        if !gains.isEmpty { numbers.append(gains[node]) }
        text += numbers.map { "<td class=\"n\">\($0.map(durationText) ?? "")</td>" }.joined()
        text += "<td>\(operation.place ?? "")</td><td class=\"n\">\(operation.attempts)</td><td>"
        text += after.map { "<a href=\"#row-\($0)\"><bdi>\(Markup.text(report.operations[$0].id))</bdi></a>" }.joined(separator: ", ")
        return text + "</td><td>" + operation.remarks.map { "<bdi>\(Markup.text($0))</bdi>" }.joined(separator: "<br/>") + "</td></tr>\n"
    }
}
