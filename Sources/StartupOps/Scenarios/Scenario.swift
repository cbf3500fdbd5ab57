import Sequencer

/// A built-in way to start the app: a name, and the graph behind it.
///
/// ```swift
/// let scenario = Scenario.choose(for: context)
/// let report = try await Sequencer(scenario.graph(work: work)).run()
/// ```
///
/// A scenario's graph is an ordinary ``OperationGraph``: an app adds, replaces or removes steps of it in one line each.
public struct Scenario: Sendable, CustomStringConvertible {
    /// The name: the graph's, and the one the command line knows.
    public let name: String
    /// When it is followed, in one sentence.
    public let summary: String
    private let build: @Sendable (inout OperationGraph, any StartupWork) -> Void

    init(_ name: String, _ summary: String, build: @escaping @Sendable (inout OperationGraph, any StartupWork) -> Void) {
        self.name = name
        self.summary = summary
        self.build = build
    }

    /// The name.
    public var description: String { name }

    /// The scenario's graph, doing `work`.
    public func graph(work: any StartupWork) -> OperationGraph {
        var graph = OperationGraph(name)
        build(&graph, work)
        return graph
    }

    /// All built-in scenarios.
    public static let all: [Scenario] = [.firstLaunch, .regular, .push, .deeplink]

    /// The built-in scenario of that name; nil when there is none.
    public static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }

    /// The scenario for a context: a pure function.
    ///
    /// As long as something has to be asked of the person, the launch is a first launch, whatever started the app: a push or a link opens
    /// into nothing without a session and a speaker.
    public static func choose(for context: LaunchContext) -> Scenario {
        if context.isFirstLaunch || !context.hasCredentials || !context.knowsSpeaker { return .firstLaunch }
        return switch context.origin {
        case .icon: .regular
        case .push: .push
        case .link: .deeplink
        }
    }
}

extension Scenario {
    /// Nothing is known: fetching the configuration may have to ask for country and language, so it waits for the splash; login, tutorial
    /// and connecting a speaker each may need the person, so they come one after the other.
    public static let firstLaunch = Scenario("first-launch", "Nothing is known yet: every step may have to ask the person.") {
        graph,
        work in
        graph.addStep(.splash, work)
        graph.addForceUpdate(work)
        graph.addStep(.fetchConfig, work, after: [.splash])
        graph.addStep(.login, work, .interactive, after: [.fetchConfig])
        graph.addStep(.tutorial, work, .interactive, after: [.login])
        graph.addStep(.connectSpeaker, work, .interactive, after: [.tutorial])
        graph.addStep(.mainApp, work, .milestone, after: [.connectSpeaker, .forceUpdate])
    }

    /// Country, credentials and speaker are known: five steps start at once. The tutorial needs the screen, so it follows the splash. A
    /// configuration that is late is replaced by the last one, for there is one.
    public static let regular = Scenario("regular", "Everything is known: five steps start at once.") { graph, work in
        graph.addStep(.splash, work)
        graph.addForceUpdate(work)
        graph.addStep(.fetchConfig, work, .timeout(.seconds(1)), fallback: .value(()))
        graph.addStep(.login, work, .timeout(.seconds(2)))
        graph.addStep(.connectSpeaker, work, .timeout(.seconds(2)), .onFailure(.continue))
        graph.addStep(.tutorial, work, after: [.splash])
        graph.addStep(.mainApp, work, .milestone, after: [.tutorial, .forceUpdate, .fetchConfig, .login, .connectSpeaker])
    }

    /// As ``regular``, with what was pushed in the tutorial's place: the app appears when the person has dismissed it.
    public static let push = Scenario("push", "A push notification started the app: its content comes before the main screen.") {
        graph,
        work in
        regular.build(&graph, work)
        graph.addStep(.presentPushInformation, work, .interactive)
        graph.replace(StartupStep.tutorial.id, with: StartupStep.presentPushInformation.id)
    }

    /// As ``regular``, with the link followed once the main screen is visible, never after a fixed delay.
    public static let deeplink = Scenario("deeplink", "A link started the app: it is followed once the main screen is visible.") {
        graph,
        work in
        regular.build(&graph, work)
        graph.addStep(.deeplink, work, .onFailure(.continue), after: [.mainApp])
    }
}

extension OperationGraph {
    /// Adds a step that does its work, where it belongs.
    fileprivate mutating func addStep(
        _ step: StartupStep,
        _ work: any StartupWork,
        _ options: StepOption...,
        after: [StartupStep] = [],
        fallback: Fallback<Void>? = nil
    ) {
        addStep(step, after: after, options: options, fallback: fallback) { launch in try await work.perform(step, in: launch) }
    }

    /// Adds the force-update check: it waits for nothing, and when it finds that an update is required, the update screen takes over. When it
    /// fails, or does not answer in a second, the launch goes on.
    fileprivate mutating func addForceUpdate(_ work: any StartupWork) {
        addStep(.forceUpdate, after: [], options: [.timeout(.seconds(1)), .onFailure(.continue)], fallback: nil) { launch in
            if try await work.updateVerdict(in: launch) == .required {
                launch.abort(.forceUpdate) { await work.presentUpdate() }
            }
        }
    }

    private mutating func addStep(
        _ step: StartupStep,
        after: [StartupStep],
        options: [StepOption],
        fallback: Fallback<Void>?,
        body: @escaping @Sendable (Launch) async throws -> Void
    ) {
        let all = StepOption.all([.title(step.title), .expected(step.expected)] + options)
        let dependencies = after.map(\.id)
        if step.isOnMain {
            add(step.id, all, after: dependencies, on: .main, fallback: fallback) { launch in try await body(launch) }
        } else {
            add(step.id, all, after: dependencies, fallback: fallback) { launch in try await body(launch) }
        }
    }
}
