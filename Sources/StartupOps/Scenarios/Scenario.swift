import Sequencer

/// A built-in way to start the app: a name, and the graph behind it.
///
/// ```swift
/// let scenario = Scenario.choose(for: context)
/// let report = try await Sequencer(scenario.graph(operations)).run()
/// ```
///
/// A scenario's graph is an ordinary `OperationGraph`: an app adds, replaces or removes steps of it in one line each.
public struct Scenario: Sendable, CustomStringConvertible {
    /// The name: the graph's, and the one the command line knows.
    public let name: String
    /// When it is followed, in one sentence.
    public let summary: String
    private let build: @Sendable (inout OperationGraph, StartupOperations) -> Void

    init(_ name: String, _ summary: String, build: @escaping @Sendable (inout OperationGraph, StartupOperations) -> Void) {
        self.name = name
        self.summary = summary
        self.build = build
    }

    /// The name.
    public var description: String { name }

    /// The scenario's graph, whose steps do what `operations` says.
    public func graph(_ operations: StartupOperations) -> OperationGraph {
        var graph = OperationGraph(name)
        build(&graph, operations)
        return graph
    }

    /// Puts this scenario's steps into a graph that may have more.
    func add(to graph: inout OperationGraph, _ operations: StartupOperations) {
        build(&graph, operations)
    }

    /// All built-in scenarios.
    public static let all: [Scenario] = [
        .firstLaunch, .regular, .push, .deeplink, .shortcut, .guest, .guestDismissable, .guestNone, .restoreAccount, .warmResume,
        .bootstrap,
    ]

    /// The built-in scenario of that name; nil when there is none.
    public static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }

    /// The scenario for a context: a pure function.
    ///
    /// | context | scenario |
    /// |---|---|
    /// | the app runs already | ``warmResume`` |
    /// | first launch, with a session, and accounts are restored | ``restoreAccount`` |
    /// | first launch otherwise | ``firstLaunch`` |
    /// | no session | ``guest``, ``guestDismissable`` or ``guestNone``, by the kind of onboarding |
    /// | no speaker | ``firstLaunch``: there is something to ask |
    /// | all known | ``regular``, ``push``, ``deeplink`` or ``shortcut``, by what started the app |
    ///
    /// As long as something has to be asked of the person, that comes first, whatever started the app: what did is kept, and delivered once
    /// the main screen is visible.
    public static func choose(for context: LaunchContext) -> Scenario {
        if context.isRunning { return .warmResume }
        if context.isFirstLaunch { return context.hasCredentials && context.restoresAccounts ? .restoreAccount : .firstLaunch }
        if !context.hasCredentials {
            return switch context.onboarding {
            case .regular: .guest
            case .dismissable: .guestDismissable
            case .none: .guestNone
            }
        }
        if !context.knowsSpeaker { return .firstLaunch }
        return switch context.origin {
        case .icon: .regular
        case .push: .push
        case .link: .deeplink
        case .shortcut: .shortcut
        }
    }
}
