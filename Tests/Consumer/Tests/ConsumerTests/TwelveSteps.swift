import Sequencer

/// The launch of an app, in twelve steps; values go through six of them, from the device to the main screen.
///
///     splash ──────────────────────────────────────────────────────────────┐
///     check-update ────────────────────────────────────────────────────────┤
///     device-id ── fetch-config ─┬── restore-session ── profile ─┬── rights ┤
///                                │                               └ tutorial ┼── main-app ── sync
///                                ├── fetch-flags ────────────────────────────┤
///                                └── connect-speaker ────────────────────────┘
struct TwelveSteps {
    struct Configuration: Sendable, Equatable {
        var country: String
        static let bundled = Configuration(country: "US")
    }

    struct Session: Sendable {
        let country: String
        let user: Int
    }

    struct Profile: Sendable {
        let name: String
        let isNew: Bool
    }

    /// One unit of time: each step takes some of them.
    var unit: Duration = .milliseconds(10)
    /// How long the configuration takes, in units.
    var configuration = 5
    /// Whether this version may not be used any more.
    var isOutdated = false
    /// Told of what the person sees.
    var screen = Notes()

    /// The graph, and the main screen's value.
    func graph() -> (graph: OperationGraph, main: Step<String>) {
        let (unit, configuration, isOutdated, screen) = (unit, configuration, isOutdated, screen)
        var graph = OperationGraph("app")
        let splash = graph.add("splash", .expected(unit * 4), on: .main) { step in
            screen.add("splash")
            try await step.sleep(for: unit * 4)
        }
        let update = graph.add("check-update", .onFailure(.continue), .expected(unit * 3)) { step in
            try await step.sleep(for: unit * 3)
            if isOutdated { step.abort(.forceUpdate) { screen.add("update") } }
        }
        let device = graph.add("device-id", .expected(unit)) { step in
            try await step.sleep(for: unit)
            return "device-7"
        }
        let config = graph.add(
            "fetch-config",
            .cuttable,
            .expected(unit * 5),
            using: .context,
            device,
            fallback: Configuration.bundled
        ) { step, _ in
            try await step.sleep(for: unit * configuration)
            return Configuration(country: "DE")
        }
        let flags = graph.add("fetch-flags", .expected(unit * 2), using: .context, config) { step, _ in
            try await step.sleep(for: unit * 2)
            return ["paywall"]
        }
        let session = graph.add("restore-session", .expected(unit * 3), using: .context, config) { step, config in
            try await step.sleep(for: unit * 3)
            return Session(country: config.country, user: 1)
        }
        let profile = graph.add(
            "profile",
            .retry(attempts: 2, backoff: .zero),
            .expected(unit * 2),
            using: .context,
            session
        ) { step, session in
            if step.attempt == 1 { throw Trouble() }
            try await step.sleep(for: unit * 2)
            return Profile(name: "Ada of \(session.country)", isNew: session.user == 0)
        }
        let rights = graph.add("rights", .expected(unit), using: .context, session, profile) { step, session, profile in
            try await step.sleep(for: unit)
            return "\(profile.name), user \(session.user)"
        }
        let speaker = graph.add("connect-speaker", .onFailure(.continue), .expected(unit * 2), using: .context, config) { step, config in
            try await step.sleep(for: unit * 2)
            if config.country.isEmpty { return "Kitchen" }
            throw Trouble()
        }
        let tutorial = graph.add("tutorial", .interactive, .when(profile) { $0.isNew }, after: profile, on: .main) { step in
            screen.add("tutorial")
            try await step.sleep(for: unit * 100)
        }
        let main = graph.add(
            "main-app",
            .milestone,
            .expected(unit * 2),
            using: .context,
            rights,
            flags,
            speaker.optional,
            after: splash,
            update,
            tutorial,
            on: .main
        ) { step, rights, flags, speaker in
            try await step.sleep(for: unit * 2)
            screen.add("main")
            return "\(rights), \(flags.count) flag, \(speaker ?? "no speaker")"
        }
        graph.add("sync", .onFailure(.continue), .expected(unit * 6), after: main) { step in try await step.sleep(for: unit * 6) }
        return (graph, main)
    }
}
