import Sequencer
import SequencerTesting

@testable import Browser

/// One launch of the browser in virtual time, on a phone that an earlier launch has left a link on, with a link that has started it.
struct Trial: Sendable {
    static let yesterday = "https://example.org/yesterday"
    static let today = "https://example.org/today"
    static let both = [today, yesterday]

    let app: BrowserApp
    let report: LaunchReport

    var phone: Phone { app.phone }

    /// - Parameters:
    ///   - accepts: the person's answer to the terms; nil for none.
    ///   - change: puts a fault into the graph.
    @MainActor
    static func run(
        _ phone: Phone = Phone(links: [Trial.yesterday]),
        accepts: Bool? = true,
        _ change: @Sendable (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> Trial {
        let app = BrowserApp(phone)
        app.links.receive(today, for: app.main)
        return try await run(app, accepts: accepts, change)
    }

    /// Runs an app that may have done something before.
    @MainActor
    static func run(
        _ app: BrowserApp,
        accepts: Bool? = true,
        _ change: @Sendable (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> Trial {
        let clock = VirtualClock()
        var changed = app.launch()
        try change(&changed)
        let graph = changed
        let launch = try clock.hold {
            try World.graph(app, connecting: [app.main], accepts: accepts).start(options: LaunchOptions(clock: clock))
            return try graph.start(budget: .seconds(1), options: app.options(for: app.main, clock: clock))
        }
        let report = await launch.end().report
        await app.links.settled()
        return Trial(app: app, report: report)
    }
}
