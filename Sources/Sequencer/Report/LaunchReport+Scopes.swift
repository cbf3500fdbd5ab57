extension LaunchReport {
    /// A graph that joined the launch while it ran: see ``RunningLaunch/addScope(_:_:budget:options:)``.
    ///
    /// Its description is one line: `window-2 from 610 ms: completed; 310 ms of 1 s, pass`; where the initial display
    /// has a budget, too, `; initial display after 90 ms of 200 ms, pass` follows.
    public struct Scope: Sendable, Hashable, CustomStringConvertible {
        /// Its name, which no other scope of the launch has.
        public package(set) var name: String
        /// When it was added, counted from the beginning of the launch. Times in its report count from there.
        public package(set) var start: Duration
        /// The report of its launch.
        public let report: LaunchReport

        /// How deep scopes may be within one another: a saved report that anybody may have written is read by
        /// recursion.
        static let maximumDepth = 16

        /// The value in words.
        public var description: String { scopeText() }

        /// The same, with durations as `text` writes them.
        package func scopeText(_ text: (Duration) -> String = durationText) -> String {
            let verdict = (report.budget.isMet ? "pass" : "fail") + report.milestoneOutcomeText
            let isComplete = report.outcome == .completed
            let measured = isComplete ? "; \(report.budget.measuredText(text)), \(verdict)" : report.milestoneText(text)
            // Only its verdict is told here: a heading is short.
            let display = report.isInitialDisplayMet == nil ? "" : report.initialDisplayText(text)
            return "\(printable(name)) from \(text(start)): \(report.outcome)\(measured)\(display)"
        }
    }

    /// `; window-2 failed at login: no network` for each scope that did not complete.
    var scopeTroubleText: String {
        scopes.lazy.filter { $0.report.outcome != .completed }.map { "; \(printable($0.name)) \($0.report.outcome)" }.joined()
    }
}

// In the format `sequencer.report/1`: a scope's report is one as the launch's, with the key `schema`, so that it can be
// taken out.
extension LaunchReport.Scope {
    var tree: JSONTree { ["name": .text(name), "startMs": .milliseconds(start), "report": report.tree] }

    /// The scopes of a report, each name once.
    ///
    /// - Parameter depth: the number of scopes that the report is in.
    static func all(in document: DocumentReader, depth: Int) throws -> [LaunchReport.Scope] {
        let scopes = try document.optionalObjects("scopes")
        guard scopes.isEmpty || depth < maximumDepth else {
            throw document.error("scopes", "scopes are within one another more than \(maximumDepth) deep")
        }
        try document.checkNames(scopes.map { try $0.string("name") }, of: "the scope", in: "scopes")
        return try scopes.map { scope in
            LaunchReport.Scope(
                name: try scope.string("name"),
                start: try scope.duration("startMs"),
                report: try LaunchReport(scope.object("report"), depth: depth + 1)
            )
        }
    }
}
