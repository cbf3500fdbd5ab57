/// A moment of an app's launch that the system brings about and the app reports.
///
/// The first three belong to the process, of which there is one; ``eventLoop`` too. The others belong to a scene, of which there may be several.
public enum LaunchPhase: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
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

    /// The phase's name.
    public var description: String { rawValue }

    /// Whether it happens once per process, and not once per scene.
    public var isOfProcess: Bool {
        switch self {
        case .applicationCreated, .delegateCreated, .didFinishLaunching, .eventLoop: true
        default: false
        }
    }

    /// The phases that come before it. A window is there before `willConnect` when a storyboard makes it, and otherwise is made in there.
    var predecessors: [LaunchPhase] {
        switch self {
        case .applicationCreated: []
        case .delegateCreated: [.applicationCreated]
        case .didFinishLaunching: [.applicationCreated, .delegateCreated]
        case .eventLoop: [.applicationCreated, .delegateCreated, .didFinishLaunching]
        case .sceneSession: []
        case .storyboard: [.sceneSession]
        case .window: [.sceneSession, .storyboard]
        case .willConnect: [.sceneSession, .storyboard]
        case .keyAndVisible: [.sceneSession, .storyboard, .window, .willConnect]
        case .viewDidLoad: [.sceneSession, .storyboard, .window, .willConnect, .keyAndVisible]
        }
    }
}

/// A phase that was reported twice, or when it could not have been.
public struct LaunchPhaseProblem: Sendable, Hashable, CustomStringConvertible {
    /// The phase.
    public let phase: LaunchPhase
    /// The scene; nil for the process.
    public let scene: String?
    /// What is wrong.
    public let description: String
}
