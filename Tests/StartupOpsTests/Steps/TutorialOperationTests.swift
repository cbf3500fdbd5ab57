import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("The tutorial", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TutorialOperationTests {
    /// Shows pages, and does something once they are on the screen.
    private struct Pages: TutorialPresenter {
        let shown = Locked<[String]>([])
        var meanwhile: @Sendable () async -> Void = {}

        func showTutorial(_ pages: [TutorialPage]) async {
            shown.withLock { $0 += pages.map(\.title) }
            await meanwhile()
        }
    }

    private static let configuration = AppConfiguration(
        version: "7",
        country: "DE",
        language: "de",
        tutorialPages: [TutorialPage(title: "Willkommen", text: "Musik in jedem Raum.")]
    )

    private static func operation(
        _ state: LaunchState,
        _ presenter: (any TutorialPresenter)?,
        version: SemanticVersion = SemanticVersion(1)
    )
        -> TutorialOperation
    {
        TutorialOperation(
            state: state,
            bundled: configuration,
            version: version,
            presenter: presenter
        )
    }

    /// Whether a launch of this version showed the tutorial.
    private func shows(_ state: LaunchState, version: SemanticVersion = SemanticVersion(1)) async throws -> Bool {
        let pages = Pages()
        let operation = Self.operation(state, pages, version: version)
        let (report, _) = try await runAlone("tutorial") { launch in try await operation.run(Self.configuration, in: launch) }
        #expect(report.outcome == .succeeded)
        #expect(report.isInteractive == !pages.shown.withLock { $0 }.isEmpty)
        return !pages.shown.withLock { $0 }.isEmpty
    }

    @Test("A17, A19, A20: the tutorial is shown on the first launch of all, recorded, and not shown again")
    func first() async throws {
        let state = LaunchState(MemoryStore())
        #expect(try await shows(state))
        #expect(state.tutorialVersionSeen == .value(SemanticVersion(1)))
        #expect(try await !shows(state))
    }

    @Test(
        "A18, A21, E12: it is shown again only where the app's version is higher than the one in which it was seen",
        arguments: [
            ("1.0.0", "1.0.1", true), ("1.9.0", "1.10.0", true), ("2.0.0-beta", "2.0.0", true), ("1.0.0", "1.0.0", false),
            ("1.0", "1.0.0", false),
            ("1.10.0", "1.9.0", false), ("2.0.0", "2.0.0-beta", false), ("1.0.0+1", "1.0.0+2", false),
        ]
    )
    func versions(_ seen: String, _ running: String, _ isShown: Bool) async throws {
        let state = LaunchState(MemoryStore())
        let (seen, running) = (try #require(SemanticVersion(seen)), try #require(SemanticVersion(running)))
        try state.recordTutorialSeen(version: seen)
        #expect(try await shows(state, version: running) == isShown)
        // After a downgrade, what was seen stays seen.
        #expect(state.tutorialVersionSeen == .value(isShown ? running : seen))
    }

    @Test("A20: while the tutorial is on the screen nothing is recorded; a launch that is cancelled then shows it again the next time")
    func cancelled() async throws {
        let state = LaunchState(MemoryStore())
        let isShown = Gate()
        let goesOn = Gate()
        let seen = Locked<StoredAnswer<SemanticVersion>?>(nil)
        let pages = Pages(meanwhile: {
            seen.withLock { $0 = state.tutorialVersionSeen }
            isShown.open()
            await goesOn.wait()
        })
        let operation = Self.operation(state, pages)
        var graph = OperationGraph("cancelled")
        graph.add("tutorial", on: .main) { launch in try await operation.run(Self.configuration, in: launch) }
        let launch = try graph.start(options: LaunchOptions(grace: .seconds(60)))
        await isShown.wait()
        launch.cancel()
        goesOn.open()
        #expect(await launch.end().report.outcome == .cancelled)
        #expect(seen.withLock { $0 } == .absent && state.tutorialVersionSeen == .absent)
        #expect(try await shows(state))
    }

    /// Is left before the last page.
    private struct LeftPages: TutorialPresenter {
        func showTutorial(_ pages: [TutorialPage]) async throws { throw CancellationError() }
    }

    @Test("A20: who leaves the tutorial before its end has not seen it, and sees it the next time")
    func left() async throws {
        let state = LaunchState(MemoryStore())
        let operation = Self.operation(state, LeftPages())
        let (report, _) = try await runAlone("tutorial") { launch in try await operation.run(Self.configuration, in: launch) }
        #expect(report.message == "the person dismissed tutorial" && state.tutorialVersionSeen == .absent)
        #expect(try await shows(state))
    }

    @Test(
        "fault S14: where it cannot be told whether it was seen it is not shown; where that cannot be recorded it is shown again; both are noted"
    )
    func storage() async throws {
        let locked = LockableStore()
        let pages = Pages()
        let operation = Self.operation(LaunchState(locked), pages)
        let (report, _) = try await runAlone("tutorial") { launch in try await operation.run(Self.configuration, in: launch) }
        #expect(pages.shown.withLock { $0 }.isEmpty)
        #expect(report.notes.first?.hasPrefix("whether the tutorial was seen cannot be told now, so it was not shown: ") == true)

        let failing = FailingSecureStore()
        failing.fail { $0.writes = FailingSecureStore.error }
        let again = Self.operation(LaunchState(failing), pages)
        let (unrecorded, _) = try await runAlone("tutorial") { launch in try await again.run(Self.configuration, in: launch) }
        #expect(pages.shown.withLock { $0 } == ["Willkommen"])
        #expect(unrecorded.notes.first?.hasPrefix("that the tutorial was seen could not be recorded, so it will be shown again: ") == true)
    }

    @Test("A19: without a presenter, or without pages, there is nothing to do, and nothing is recorded as seen")
    func nothing() async throws {
        let state = LaunchState(MemoryStore())
        var empty = Self.configuration
        empty.tutorialPages = []
        let pages = Pages()
        for (presenter, configuration) in [(nil, Self.configuration), (pages, empty)] as [(Pages?, AppConfiguration)] {
            let operation = Self.operation(state, presenter)
            let (report, _) = try await runAlone("tutorial") { launch in try await operation.run(configuration, in: launch) }
            #expect(report.outcome == .succeeded && report.notes.isEmpty && !report.isInteractive)
        }
        #expect(pages.shown.withLock { $0 }.isEmpty && state.tutorialVersionSeen == .absent)
    }

    @Test("where the scenario does not wait for the configuration, the pages are those of the last known one")
    func lastKnownPages() async throws {
        let pages = Pages()
        let operation = Self.operation(LaunchState(MemoryStore()), pages)
        _ = try await runAlone("tutorial") { launch in try await operation.run(nil, in: launch) }
        #expect(pages.shown.withLock { $0 } == ["Willkommen"])
    }
}
