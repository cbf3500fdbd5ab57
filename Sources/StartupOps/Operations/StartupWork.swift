import Sequencer

/// What the steps of the built-in scenarios do: the seam between when something is done, which scenarios say, and what.
public protocol StartupWork: Sendable {
    /// Does a step's work. Called on the main actor for steps that belong there, on a lane otherwise.
    func perform(_ step: StartupStep, in launch: Launch) async throws

    /// Asks whether this version of the app may still be used.
    func updateVerdict(in launch: Launch) async throws -> UpdateVerdict

    /// Shows the update screen; when this is called, the launch has been stopped.
    @MainActor func presentUpdate() async
}

/// Whether this version of the app may still be used.
public enum UpdateVerdict: Sendable, Hashable {
    /// It may.
    case mayContinue
    /// It may not: the person has to update first.
    case required
}

/// Work that takes its time and does nothing else: to see a launch's shape, and to try budgets before anything is written.
///
/// Each step takes as long as it is expected to (or as `durations` says), by the launch's clock and without holding a thread.
public struct SimulatedWork: StartupWork {
    /// What the force-update check finds.
    public var verdict: UpdateVerdict
    /// How long steps take that do not take what is expected of them, by identifier.
    public var durations: [String: Duration]
    private let showUpdate: @MainActor @Sendable () -> Void

    /// - Parameters:
    ///   - verdict: what the force-update check finds.
    ///   - durations: how long steps take that do not take what is expected of them, by identifier.
    ///   - showUpdate: called when the update screen takes over.
    public init(
        verdict: UpdateVerdict = .mayContinue,
        durations: [String: Duration] = [:],
        showUpdate: @escaping @MainActor @Sendable () -> Void = {}
    ) {
        self.verdict = verdict
        self.durations = durations
        self.showUpdate = showUpdate
    }

    /// Waits for the step's duration.
    public func perform(_ step: StartupStep, in launch: Launch) async throws {
        try await launch.sleep(for: durations[step.id] ?? step.expected)
    }

    /// Waits for the check's duration, then gives the verdict.
    public func updateVerdict(in launch: Launch) async throws -> UpdateVerdict {
        try await perform(.forceUpdate, in: launch)
        return verdict
    }

    /// Calls what was given to show the update screen.
    @MainActor public func presentUpdate() async {
        showUpdate()
    }
}
