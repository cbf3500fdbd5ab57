import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// The phases of a launch as the app reports them, and the arguments it is launched with.
@Suite("Launch phases", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchPhasesTests {
    private static let process: [LaunchPhase] = [.applicationCreated, .delegateCreated, .didFinishLaunching]
    private static let scene: [LaunchPhase] = [.sceneSession, .storyboard, .window, .willConnect, .keyAndVisible, .viewDidLoad]

    private func phases(_ process: [LaunchPhase] = Self.process) -> LaunchPhases {
        let phases = LaunchPhases()
        for phase in process { phases.mark(phase) }
        return phases
    }

    @Test("E5: the platform's order has no problem: with a storyboard, and without, where the window is made in willConnect")
    func rightOrder() {
        for scene in [Self.scene, [.sceneSession, .willConnect, .window, .keyAndVisible, .viewDidLoad]] {
            let phases = phases()
            for phase in scene { #expect(phases.mark(phase, scene: "main") == nil) }
            #expect(phases.mark(.eventLoop) == nil)
            #expect(phases.problems.isEmpty)
        }
    }

    @Test("E5: each two neighbours the wrong way round are reported, by both names")
    func swapped() {
        for index in 0..<2 {
            var order = Self.process
            order.swapAt(index, index + 1)
            #expect(
                phases(order).problems == [
                    "\(order[index + 1]) of the process must come before \(order[index]), and came after it"
                ]
            )
        }
        // A window and willConnect may come either way round.
        for index in 0..<(Self.scene.count - 1) where Self.scene[index] != .window {
            var order = Self.scene
            order.swapAt(index, index + 1)
            let phases = phases()
            for phase in order { phases.mark(phase, scene: "main") }
            #expect(phases.problems.map { $0.hasPrefix("\(order[index + 1]) ") } == [true], "\(order)")
        }
    }

    @Test("E5: a repeated phase is reported, and so is one of the process for a scene, and one of a scene for none")
    func repeated() {
        let phases = phases()
        #expect(phases.mark(.didFinishLaunching) == "didFinishLaunching was reported for the process before: it happens once")
        phases.mark(.sceneSession, scene: "main")
        #expect(
            phases.mark(.sceneSession, scene: "main") == "sceneSession was reported for scene main before: it happens once"
        )
        #expect(
            phases.mark(.delegateCreated, scene: "main")
                == "delegateCreated belongs to the process, and was reported for scene main"
        )
        #expect(phases.mark(.willConnect) == "willConnect belongs to a scene, and none was named")
        #expect(phases.problems.count == 4)
    }

    @Test("B1: a scene's phase before the process phase has ended is reported; what waits for the process phase waits")
    func sceneTooEarly() async throws {
        let phases = phases([.applicationCreated])
        #expect(
            phases.mark(.sceneSession, scene: "main")
                == "sceneSession of scene main came before the process phase had ended with didFinishLaunching"
        )
        let order = Locked<[String]>([])
        let sceneWork = Task {
            try await phases.processGate.wait(by: .after(.seconds(300)))
            order.withLock { $0.append("scene") }
        }
        #expect(!phases.processGate.isOpen)
        #expect(phases.processGate.diagnosis.contains("didFinishLaunching (set by app delegate"))
        order.withLock { $0.append("process") }
        phases.mark(.didFinishLaunching)
        try await sceneWork.value
        #expect(order.withLock { $0 } == ["process", "scene"])
    }

    @Test("E11: the process part runs once however many scenes connect, from any thread; the scene part once per scene")
    func once() async {
        let phases = phases()
        let parts = Locked<[String: Int]>([:])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let scene = "scene \(number % 3)"
                    if phases.takeProcessPart() { parts.withLock { $0["process", default: 0] += 1 } }
                    if phases.takeScenePart(scene) { parts.withLock { $0[scene, default: 0] += 1 } }
                }
            }
        }
        #expect(parts.withLock { $0 } == ["process": 1, "scene 0": 1, "scene 1": 1, "scene 2": 1])
        phases.sceneDidDisconnect("scene 0")
        #expect(phases.takeScenePart("scene 0") && !phases.takeScenePart("scene 1") && !phases.takeProcessPart())
    }

    @Test("many that end the process phase at once end it once, and none of them is wrong", arguments: [1, 2, 4, 16])
    func endsOnce(width: Int) {
        for _ in 0..<500 {
            let phases = LaunchPhases()
            DispatchQueue.concurrentPerform(iterations: width) { _ in phases.endProcessPhase() }
            #expect(phases.problems == [] && phases.processGate.isOpen)
            #expect(phases.mark(.didFinishLaunching) != nil, "said twice")
        }
    }

    @Test("E11: two scenes have their phases each, also after the event loop has begun; one that disconnects may come back")
    func scenes() {
        let phases = phases()
        for phase in Self.scene { phases.mark(phase, scene: "a") }
        phases.mark(.eventLoop)
        for phase in Self.scene { phases.mark(phase, scene: "b") }
        phases.sceneDidDisconnect("a")
        for phase in Self.scene { phases.mark(phase, scene: "a") }
        #expect(phases.problems.isEmpty)
    }

    @Test("B9: the testing hook reads its launch arguments, and no others")
    func arguments() {
        let arguments = LaunchArguments(
            ["app", "-AppleLanguages", "(de)", "-startup-onboarding", "none", "-startup-skip-tutorial", "-startup-onbording", "x"],
            names: ["onboarding", "skip-tutorial"],
            isEnabled: true
        )
        #expect(arguments.contains("onboarding") && arguments.contains("skip-tutorial") && !arguments.contains("onbording"))
    }

    @Test("B9: without arguments it does nothing, and where it is switched off, as in release builds, it does not even look")
    func noArguments() {
        let none = LaunchArguments(["app"], names: ["onboarding"], isEnabled: true)
        #expect(!none.contains("onboarding"))
        let off = LaunchArguments(["app", "-startup-onboarding", "none", "-startup-x"], names: ["onboarding"], isEnabled: false)
        #expect(!off.contains("onboarding"))
        #expect(
            LaunchArguments(["app", "-startup-onboarding"], names: ["onboarding"]).contains("onboarding") == LaunchArguments.isDebugBuild
        )
    }
}
