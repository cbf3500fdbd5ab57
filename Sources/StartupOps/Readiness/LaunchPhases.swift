import Sequencer

/// Follows the phases of an app's launch: first the process's, then those of each scene.
///
/// The app reports each phase when it comes. A phase that is reported twice, or too early, is a problem: it is kept and
/// returned, and the launch continues. Every method can be called from any thread.
///
/// ```swift
/// phases.mark(.didFinishLaunching)
/// if phases.takeProcessPart() { launch() }          // once, however many scenes connect
/// if phases.takeScenePart("main") { makeWindow() }  // once for each scene
/// ```
public final class LaunchPhases: Sendable {
    /// Decides whether a phase may come now, and who may run which part of the launch.
    private struct State {
        var process: Set<LaunchPhase> = []
        var scenes: [String: Set<LaunchPhase>] = [:]
        var isProcessPartTaken = false
        var scenePartsTaken: Set<String> = []
        var problems: [String] = []

        var hasProcessPhaseEnded: Bool { process.contains(.didFinishLaunching) }

        /// - Returns: the problem with the phase, which is kept.
        mutating func mark(_ phase: LaunchPhase, scene: String?) -> String? {
            guard let problem = problem(with: phase, scene) else { return nil }
            problems.append("\(phase) \(problem)")
            return problems.last
        }

        private mutating func problem(with phase: LaunchPhase, _ scene: String?) -> String? {
            let place = scene.map { "scene \(printable($0, limit: 80))" } ?? "the process"
            if phase.isOfProcess != (scene == nil) {
                return phase.isOfProcess
                    ? "belongs to the process, and was reported for \(place)" : "belongs to a scene, and none was named"
            }
            let reported = scene.map { scenes[$0, default: []] } ?? process
            if reported.contains(phase) { return "was reported for \(place) before: it happens once" }
            // A phase that came too late is kept as well: reported once more, it is the repetition that is wrong.
            if let scene { scenes[scene] = reported.union([phase]) } else { process.insert(phase) }
            if let late = LaunchPhase.allCases.first(where: { reported.contains($0) && $0.rank > phase.rank }) {
                return "of \(place) must come before \(late), and came after it"
            }
            if scene == nil || hasProcessPhaseEnded { return nil }
            return "of \(place) came before the process phase had ended with didFinishLaunching"
        }
    }

    /// Opens when the process phase has ended: steps of scenes wait for it.
    public let processGate: ReadinessGate
    /// Opens when a scene can be seen.
    let sceneGate: ReadinessGate
    private let state = Locked(State())

    private static let launched: ConditionName = "didFinishLaunching"
    private static let visible: ConditionName = "keyAndVisible"
    private static let setUp: ConditionName = "setUp"
    private let waitsForSetUp: Bool

    /// Nothing has been reported yet.
    public convenience init() { self.init(waitsForSetUp: false) }

    /// - Parameter waitsForSetUp: whether scenes also wait until a launch has set the process up: maybe long after the
    ///     app has finished launching.
    init(waitsForSetUp: Bool) {
        self.waitsForSetUp = waitsForSetUp
        let reason = "scenes need what the process has set up"
        var conditions = [GateCondition(Self.launched, setBy: "app delegate", because: reason)]
        if waitsForSetUp { conditions.append(GateCondition(Self.setUp, setBy: "end-process-phase", because: reason)) }
        processGate = ReadinessGate("process-phase", conditions)
        let visible = "nobody sees a screen of a scene that is not visible"
        sceneGate = ReadinessGate("scene", [GateCondition(Self.visible, setBy: "scene presenter", because: visible)])
    }

    /// The phases that were reported twice or too early, in order, each in one sentence.
    public var problems: [String] { state.withLock { $0.problems } }

    /// Reports a phase.
    ///
    /// - Parameter scene: the scene's identifier; nil for a phase of the process.
    /// - Returns: the problem with it; nil without one.
    @discardableResult
    public func mark(_ phase: LaunchPhase, scene: String? = nil) -> String? {
        let (problem, hasEnded) = state.withLock { state in (state.mark(phase, scene: scene), state.hasProcessPhaseEnded) }
        // Outside the lock: opening a gate runs the code that waits for it.
        if hasEnded { processGate.meet(Self.launched, by: "app delegate") }
        // Reported for no scene it is a problem, and nothing can be seen by it.
        if phase == .keyAndVisible, scene != nil { sceneGate.meet(Self.visible, by: "scene presenter") }
        return problem
    }

    /// Ends the process phase of an app that has not said itself that it has finished launching.
    func endProcessPhase() {
        // In one step: the app may say so at the same time, and only who says it twice is wrong.
        state.withLock { state in if !state.hasProcessPhaseEnded { _ = state.mark(.didFinishLaunching, scene: nil) } }
        if waitsForSetUp { processGate.meet(Self.setUp, by: "end-process-phase") }
        processGate.meet(Self.launched, by: "app delegate")
    }

    /// Whether the caller runs the part that runs once per process: true for the first that asks.
    public func takeProcessPart() -> Bool {
        !state.withLock { exchange(&$0.isProcessPartTaken, with: true) }
    }

    /// Whether the caller runs the part that runs once per scene: true for the first that asks for this scene.
    public func takeScenePart(_ scene: String) -> Bool { state.withLock { $0.scenePartsTaken.insert(scene).inserted } }

    /// A scene has disconnected: when it connects again, its phases come again.
    public func sceneDidDisconnect(_ scene: String) {
        state.withLock { state in
            state.scenes[scene] = nil
            state.scenePartsTaken.remove(scene)
        }
    }
}

/// A moment of an app's launch that the system brings about and the app reports.
///
/// The first three and ``eventLoop`` belong to the process. The others belong to a scene; an app may have several.
public enum LaunchPhase: String, Sendable, Hashable, CaseIterable {
    /// The application object is there.
    case applicationCreated
    /// The application delegate is there.
    case delegateCreated
    /// The delegate was told that the launch has finished.
    case didFinishLaunching
    /// A scene session is there.
    case sceneSession
    /// The storyboard was loaded.
    case storyboard
    /// The window is there.
    case window
    /// The scene delegate was told that the scene connects.
    case willConnect
    /// The window is key and visible.
    case keyAndVisible
    /// The first view was loaded.
    case viewDidLoad
    /// The event loop runs.
    case eventLoop

    /// Whether it happens once per process, and not once per scene.
    var isOfProcess: Bool { [.applicationCreated, .delegateCreated, .didFinishLaunching, .eventLoop].contains(self) }

    /// Phases of lower rank come before it. A window is there before `willConnect` when a storyboard makes it, and
    /// otherwise is made in there.
    var rank: Int {
        switch self {
        case .applicationCreated, .sceneSession: 0
        case .delegateCreated, .storyboard: 1
        case .didFinishLaunching, .window, .willConnect: 2
        case .eventLoop, .keyAndVisible: 3
        case .viewDidLoad: 4
        }
    }
}

/// Makes the app's scene, with its window, before the first screen.
@MainActor
public protocol ScenePresenter: Sendable {
    /// Connects the scene, and returns when it can be seen.
    ///
    /// - Parameter report: is told each phase of the scene when it comes, ``LaunchPhase/keyAndVisible`` among them.
    ///   Those of later moments, such as ``LaunchPhase/viewDidLoad``, may be told later.
    func connectScene(_ report: @escaping @MainActor @Sendable (LaunchPhase) -> Void) async
}
