import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import Browser

/// The launch after one that died: the last column of the example's README.
@Suite("A browser that dies while it starts", .serialized, .timeLimit(.minutes(30)), .real)
@MainActor
struct RealBrowserCrashTests {
    /// What the next launch shows and does.
    private struct Next {
        var screens = BrowserFault.usual
        /// Those that it opens; nil where the process may have died before it opened them, or after.
        var openedLinks: [String]? = Trial.both
    }

    private static func next(after step: String) -> Next {
        switch step {
        case "show-terms", "terms", "sync", "prefetch": Next(openedLinks: nil)
        // The person has answered, and is not asked again.
        case "start-telemetry": Next(screens: [BrowserFault.bar, BrowserFault.news], openedLinks: nil)
        default: Next()
        }
    }

    private static func crash(in step: String, _ disk: URL) async throws {
        let phone = Phone(in: disk)
        phone.keep(Trial.yesterday)
        _ = try await Trial.run(phone) { graph in try graph.inject(.crash, into: step) }
    }

    @Test(
        "does so in the step that the fault is in, whichever that is; the next launch comes as always, and no link is lost",
        arguments: BrowserApp(Phone()).launch().identifiers
    )
    func crash(step: String) async throws {
        let disk = FileManager.default.temporaryDirectory.appending(path: "browser-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: disk) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [step = step as String, path = disk.path as String] in
            try await RealBrowserCrashTests.crash(in: step, URL(fileURLWithPath: path))
        }
        let expected = Self.next(after: step)
        let phone = Phone(in: disk)
        let kept = phone.keptLinks
        #expect(Set(kept).isSubset(of: Trial.both))
        let report = try await Trial.run(BrowserApp(phone)).report
        #expect(report.outcome == .completed && report.budget.isMet && report.budget.measured == .milliseconds(350))
        #expect(phone.screens == expected.screens)
        #expect(Set(phone.openedLinks) == Set(expected.openedLinks ?? kept) && phone.openedLinks.count == kept.count)
        #expect(phone.keptLinks.isEmpty)
        #expect(phone.sendsTelemetry && phone.isSynced)
    }
}
