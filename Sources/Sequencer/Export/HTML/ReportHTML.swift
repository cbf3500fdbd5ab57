extension ReportDocument {
    /// The launch as a web page: one file, without anything from elsewhere.
    ///
    /// The verdict and the launch's figures come first, then the timeline of ``svg(maximumRows:)`` in the page, then a table of every operation with
    /// its numbers, what it came after, why it did not succeed and what it noted. All of it can be read without JavaScript. With it, an operation that
    /// is pointed at, clicked or focused shows its numbers and what it came after and before: the arrow keys go from one to the next (up and down) and
    /// along dependencies (left and right), Enter goes to the table, Escape lets go. The page is light or dark as the person likes it. Names and
    /// messages can hold any character; the page's own policy (<https://www.w3.org/TR/CSP3/>) keeps it from loading or sending anything. The
    /// same document always gives the same text; nothing can fail.
    ///
    /// ```swift
    /// try await Sequencer(graph).run().html().write(toFile: "launch.html", atomically: true, encoding: .utf8)
    /// ```
    ///
    /// The format: <https://html.spec.whatwg.org/multipage/>, written so that a reader of XML understands it too.
    ///
    /// - Parameter maximumRows: how many operations have a bar; every operation is in the table.
    /// - Complexity: O(dependencies + operations · log operations).
    public func html(maximumRows: Int = 1000) -> String {
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
            \(TimelineStyle.css)
            \(HTMLStyle.css)
            </style>
            </head>
            <body>
            \(htmlHeader(title))
            <main>
            <h2>Timeline</h2>
            <p class="legend">Thin grey: ready, but waiting for a lane, the main thread or a resource. Bar: running (violet on the main thread, yellow \
            interactive, blue on a lane; pale when it did not succeed). Dotted: slack. Bordered and joined by a line: the critical path. Shaded: interactive \
            time, which does not count against the budget.</p>
            <div class="scroll">
            \(TimelineDrawing(self, for: .page, maximumRows: maximumRows).svg())
            </div>
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
        text += "<p class=\"verdict \(budget.isMet ? "pass" : "fail")\">\(Markup.text(verdictText))</p>\n"
        text += "<p id=\"outcome\">\(Markup.text(outcomeText)).</p>\n<dl class=\"figures\">\n"
        for (name, value) in htmlFigures { text += "<div><dt>\(name)</dt><dd><bdi>\(Markup.text(value))</bdi></dd></div>\n" }
        text += "</dl>\n"
        if let causesText { text += "<p>\(causesText) \(htmlNames(budget.causes)).</p>\n" }
        if !criticalPath.isEmpty { text += "<p>Critical path: \(htmlNames(criticalPath)).</p>\n" }
        if !stragglers.isEmpty { text += "<p>Still running when the launch ended: \(htmlNames(stragglers)).</p>\n" }
        if !anomalies.isEmpty {
            text += "<details><summary>\(anomalies.count) anomal\(anomalies.count == 1 ? "y" : "ies")</summary>\n<ul>\n"
            for anomaly in anomalies { text += "<li><bdi>\(Markup.text(anomaly))</bdi></li>\n" }
            text += "</ul>\n</details>\n"
        }
        return text + "</header>"
    }

    /// Names in a row, no more than a person reads.
    private func htmlNames(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "<bdi>\(Markup.text($0))</bdi>" }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    private var htmlFigures: [(String, String)] {
        var figures = [
            ("Counted against the budget", durationText(budget.measured)), ("Budget", durationText(budget.budget.limit)),
            ("Interactive", durationText(budget.interactive)), ("Makespan", durationText(makespan)), ("Work", durationText(work)),
            ("Critical path", durationText(criticalPathDuration)), ("Lanes", "\(lanes)"), ("Operations", "\(operations.count)"),
        ]
        if let version { figures.append(("Version", version)) }
        if let startedAt { figures.append(("Started", startedAt.formatted(Self.timestamp))) }
        return figures
    }
}

extension LaunchReport {
    /// The launch as a web page in one file; see ``ReportDocument/html(maximumRows:)``.
    public func html() -> String { ReportDocument(self).html() }
}
