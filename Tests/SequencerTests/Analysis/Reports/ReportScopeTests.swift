import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportScopeTests {
    @Test("the exports for people name each scope, and take nothing in its name for markup")
    func exports() {
        var report = ReportSamples.small()
        let scope = report
        report.scopes = ["window", "<b>"].map { LaunchReport.Scope(name: $0, start: .milliseconds(610), report: scope) }
        for text in [report.markdown(), report.html()] {
            #expect(text.contains("Scope window from 610 ms"))
            #expect(!text.contains("<b>"))
        }
    }

    @Test("from the start of the process, a scope began so much later")
    func fromProcessStart() {
        var report = ReportSamples.small()
        report.scopes = [LaunchReport.Scope(name: "window", start: .milliseconds(610), report: report)]
        report.beforeRun = .milliseconds(90)
        #expect(report.fromProcessStart.scopes.map(\.start) == [.milliseconds(700)])
        #expect(report.fromProcessStart.scopes.map(\.report.makespan) == [report.makespan])
    }
}
