import Sequencer

/// Follows the phases of an app's launch: first the process's, then those of each scene.
///
/// The app reports each phase when it comes. One that is reported twice, or when it could not have come, is a problem, kept and returned, and the
/// launch goes on. Every method can be called from any thread.
///
/// ```swift
/// phases.mark(.didFinishLaunching)
/// if phases.takeProcessPart() { launch() }          // once, however many scenes connect
/// if phases.takeScenePart("main") { makeWindow() }  // once for each scene
/// ```
public final class LaunchPhases: Sendable {
    private struct State {
        var machine = LaunchPhaseStateMachine()
        var problems: [LaunchPhaseProblem] = []
    }

    /// Opens when the process phase has ended: what belongs to scenes waits for it.
    public let processGate: ReadinessGate
    private let state = Locked(State())

    /// Nothing has been reported yet.
    public init() {
        processGate = ReadinessGate(
            "process-phase",
            [
                GateCondition(
                    ConditionName(LaunchPhase.didFinishLaunching.rawValue),
                    setBy: "app delegate",
                    because: "scenes need what the process has set up"
                )
            ]
        )
    }

    /// What was wrong with the phases reported so far, in order.
    public var problems: [LaunchPhaseProblem] { state.withLock { $0.problems } }

    /// Reports a phase.
    ///
    /// - Parameter scene: the scene's identifier; nil for a phase of the process.
    /// - Returns: what is wrong with it; nil when nothing is.
    @discardableResult
    public func mark(_ phase: LaunchPhase, scene: String? = nil) -> LaunchPhaseProblem? {
        let (problem, hasEnded) = state.withLock { state in
            let problem = state.machine.mark(phase, scene: scene)
            if let problem { state.problems.append(problem) }
            return (problem, state.machine.hasProcessPhaseEnded)
        }
        if hasEnded { processGate.meet(ConditionName(LaunchPhase.didFinishLaunching.rawValue), by: "app delegate") }
        return problem
    }

    /// Whether the caller is the one to run what runs once per process: true for the first that asks.
    public func takeProcessPart() -> Bool { state.withLock { $0.machine.takeProcessPart() } }

    /// Whether the caller is the one to run what runs once per scene: true for the first that asks for this scene.
    public func takeScenePart(_ scene: String) -> Bool { state.withLock { $0.machine.takeScenePart(scene) } }

    /// A scene has disconnected: when it connects again, its phases come again.
    public func sceneDidDisconnect(_ scene: String) { state.withLock { $0.machine.forget(scene) } }
}
