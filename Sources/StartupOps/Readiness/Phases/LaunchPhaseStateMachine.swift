import Sequencer

/// Decides whether a phase may come now, and who may run which part of the launch.
struct LaunchPhaseStateMachine {
    private var process: Set<LaunchPhase> = []
    private var scenes: [String: Set<LaunchPhase>] = [:]
    private var isProcessPartTaken = false
    private var scenePartsTaken: Set<String> = []

    var hasProcessPhaseEnded: Bool { process.contains(.didFinishLaunching) }

    mutating func mark(_ phase: LaunchPhase, scene: String?) -> LaunchPhaseProblem? {
        let place = scene.map { "scene \(printable($0, limit: 80))" } ?? "the process"
        func problem(_ text: String) -> LaunchPhaseProblem {
            LaunchPhaseProblem(phase: phase, scene: scene, description: "\(phase) \(text)")
        }
        if phase.isOfProcess != (scene == nil) {
            return problem(
                phase.isOfProcess ? "belongs to the process, and was reported for \(place)" : "belongs to a scene, and none was named"
            )
        }
        var reported = scene.map { scenes[$0, default: []] } ?? process
        if reported.contains(phase) { return problem("was reported for \(place) before: it happens once") }
        let late = reported.filter { $0.predecessors.contains(phase) }
        reported.insert(phase)
        // A phase that came too late is kept as well: reported once more, it is the repetition that is wrong.
        if let scene { scenes[scene] = reported } else { process = reported }
        if let first = LaunchPhase.allCases.first(where: late.contains) {
            return problem("of \(place) must come before \(first), and came after it")
        }
        if scene != nil, !hasProcessPhaseEnded {
            return problem("of \(place) came before the process phase had ended with didFinishLaunching")
        }
        return nil
    }

    /// A scene went away: it may connect again.
    mutating func forget(_ scene: String) {
        scenes[scene] = nil
        scenePartsTaken.remove(scene)
    }

    mutating func takeProcessPart() -> Bool {
        defer { isProcessPartTaken = true }
        return !isProcessPartTaken
    }

    mutating func takeScenePart(_ scene: String) -> Bool { scenePartsTaken.insert(scene).inserted }
}
