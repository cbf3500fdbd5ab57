extension ReportDocument {
    /// The launch's timeline as a picture: an SVG file.
    ///
    /// Time runs to the right. The main thread and each lane have a line; below, each operation has a row, in the order of their starts: the wait from
    /// ready to start is thin and grey, the work a bar, the slack dotted. Bars of the critical path have a border and are joined by a line. Interactive
    /// time is shaded; a dashed line shows where the budget ends, moved right by the interactive time before it. An operation that never started has
    /// a circle where it ended. Colours follow the viewer's preference for light or dark. Nothing is loaded from anywhere, names can hold any
    /// character, and the same document always gives the same text.
    ///
    /// The format: <https://www.w3.org/TR/SVG11/>.
    ///
    /// - Parameter maximumRows: how many operations get a row. Of a launch with more, those of the critical path come first, then those that did not
    ///   succeed, then the longest; the picture says how many are missing.
    /// - Complexity: O(operations · log operations).
    public func svg(maximumRows: Int = 1000) -> String {
        TimelineDrawing(self, for: .file, maximumRows: maximumRows).svg()
    }
}

extension LaunchReport {
    /// The launch's timeline as an SVG file; see ``ReportDocument/svg(maximumRows:)``.
    public func svg() -> String { ReportDocument(self).svg() }
}
