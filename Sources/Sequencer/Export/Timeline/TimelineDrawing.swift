/// A launch's timeline as an SVG element: time runs to the right, a row an operation, the lanes above.
///
/// The element has everything but its style (``TimelineStyle``), so it can stand in a page as well as alone. SVG 1.1:
/// <https://www.w3.org/TR/SVG11/>.
struct TimelineDrawing {
    /// What the drawing is for.
    enum Purpose {
        /// A file of its own.
        case file
        /// A page that has a row `row-N` in a table for each operation, which its bars lead to.
        case page
    }

    /// The lanes that are drawn one by one; a launch with more has its drawing, but not each lane.
    static let mostLanes = 16

    let document: ReportDocument
    let purpose: Purpose
    /// The operations that have a row, in the order of their rows.
    let rows: [Int]
    let omission: String?
    let lanes: [String]
    let clock: BudgetClock
    let scale: TimelineScale

    let width = 1200.0
    let labelWidth = 230.0
    let rowHeight = 20.0
    let laneHeight = 16.0
    let axisHeight = 34.0

    init(_ document: ReportDocument, for purpose: Purpose, maximumRows: Int) {
        self.document = document
        self.purpose = purpose
        let selection = document.selection(limit: maximumRows)
        omission = document.omission(selection)
        let operations = document.operations
        let keys = operations.map { $0.start ?? $0.end }
        rows = selection.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }
        let used = operations.lazy.filter { $0.start != nil && !$0.isMain }.compactMap(\.lane).filter { $0 > 0 }
        let main = operations.contains { $0.isMain && $0.start != nil } ? ["main"] : []
        lanes = main + Set(used).sorted().prefix(Self.mostLanes).map { "lane \($0)" }
        clock = BudgetClock(document)
        let last = operations.lazy.map(\.end.nanoseconds).max() ?? 0
        var extent = max(document.makespan.nanoseconds, last)
        // A budget that is far away would leave the launch a sliver.
        if let limit = clock.limit, limit / 4 <= extent { extent = max(extent, limit) }
        // Room for the number beside the last bar.
        scale = TimelineScale(extent: extent, origin: labelWidth, width: width - labelWidth - 70)
    }

    /// Where the lanes begin.
    var lanesTop: Double { axisHeight }
    /// Where the operations begin.
    var rowsTop: Double { lanesTop + (lanes.isEmpty ? 0 : Double(lanes.count) * laneHeight + 14) }
    var rowsBottom: Double { rowsTop + Double(rows.count) * rowHeight }
    var height: Double { rowsBottom + (omission == nil ? 8 : 28) }

    func top(ofRow row: Int) -> Double { rowsTop + Double(row) * rowHeight }

    /// The text of the element.
    ///
    /// - Complexity: O(operations · log operations).
    func svg() -> String {
        let size = "viewBox=\"0 0 \(pixels(width)) \(pixels(height))\" width=\"\(pixels(width))\" height=\"\(pixels(height))\""
        let title = "Timeline of \(document.scenario): \(document.verdictText), \(document.operations.count) operations"
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" \(size)"
        text += purpose == .page ? " id=\"timeline\" role=\"group\" aria-label=\"\(Markup.text(title))\">\n" : " role=\"img\">\n"
        if purpose == .file { text += "<title>\(Markup.text(title))</title>\n<style>\n\(TimelineStyle.css)\n</style>\n" }
        text += "<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n"
        for row in rows.indices where row.isMultiple(of: 2) {
            text +=
                "<rect class=\"band\" x=\"0\" y=\"\(pixels(top(ofRow: row)))\" width=\"\(pixels(width))\" height=\"\(pixels(rowHeight))\"/>\n"
        }
        text += pauses() + axis() + laneStrip() + criticalPath() + "<g id=\"links\"></g>\n"
        for (row, node) in rows.enumerated() { text += element(node, row) }
        text += budgetLine()
        if let omission {
            text += "<text class=\"note\" x=\"8\" y=\"\(pixels(rowsBottom + 18))\">\(Markup.text(omission)).</text>\n"
        }
        return text + "</svg>"
    }
}
