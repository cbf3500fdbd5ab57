/// The page's table: a row an operation, each with an anchor that the timeline and the rows of other operations lead to.
struct HTMLTable {
    private let document: ReportDocument
    private let dependencies: [[Int]]
    /// Each identifier, fit for the page.
    private let names: [String]

    init(_ document: ReportDocument) {
        self.document = document
        dependencies = document.dependencyPositions
        names = document.operations.map { Markup.text($0.id) }
    }

    private static let columns: [(name: String, isNumber: Bool)] = [
        ("Operation", false), ("Outcome", false), ("Ready", true), ("Start", true), ("End", true), ("Wait", true), ("Duration", true),
        ("Expected", true), ("Slack", true), ("Lane", false), ("Attempts", true), ("After", false), ("Notes", false),
    ]

    func html() -> String {
        var text = "<div class=\"scroll\">\n<table id=\"operations\">\n<thead><tr>"
        for column in Self.columns { text += "<th scope=\"col\"\(column.isNumber ? " class=\"n\"" : "")>\(column.name)</th>" }
        text += "</tr></thead>\n<tbody>\n"
        for (node, operation) in document.operations.enumerated() { append(operation, node, to: &text) }
        return text + "</tbody>\n</table>\n</div>"
    }

    private func append(_ operation: OperationReport, _ node: Int, to text: inout String) {
        text += "<tr id=\"row-\(node)\""
        if operation.isCritical { text += " class=\"critical\"" }
        if !dependencies[node].isEmpty { text += " data-after=\"\(dependencies[node].map(String.init).joined(separator: " "))\"" }
        text += "><th scope=\"row\"><a href=\"#row-\(node)\" data-choose=\"\(node)\"><bdi>\(names[node])</bdi></a>"
        if let title = operation.title { text += "<small><bdi>\(Markup.text(title))</bdi></small>" }
        text += "</th><td\(operation.outcome.isSuccess ? "" : " class=\"bad\"")>"
        text += ([operation.outcomeText] + operation.marks).joined(separator: ", ") + "</td>"
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
