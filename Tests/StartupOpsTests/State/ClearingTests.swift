import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ClearingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func fill(_ directory: StateDirectory) throws {
        try directory.secure.write(text("token"), for: "session")
        try directory.cache.write(text("cached"), for: "profile")
        let state = directory.launchState()
        try state.recordTutorialSeen(version: SemanticVersion(1))
        try state.rememberSpeaker(Speaker(id: "1", name: "n", host: "h", port: 1))
        try state.recordDismissedOnboarding()
    }

    private func open() throws -> StateDirectory {
        StateDirectory.open(at: folder("app"), secure: try FileStore.secrets(in: folder("secure")))
    }

    private func expectCleared(_ directory: StateDirectory, _ state: LaunchState) {
        #expect(directory.secure.read("session") == .absent && directory.cache.read("profile") == .absent)
        #expect(state.lastSpeaker == .absent && state.dismissedOnboarding == .absent && !state.isForgetting)
        // Nothing else went with it.
        #expect(state.tutorialVersionSeen == .value(SemanticVersion(1)))
    }

    @Test("a person is forgotten with all that is theirs, and nothing else goes")
    func clearing() throws {
        let directory = try open()
        try Self.fill(directory)
        let state = directory.launchState()
        try state.forgetPerson()
        expectCleared(directory, state)
    }

    @Test("fault S16, S17: A clearing that is killed on the way is completed when the state is opened next")
    func killed() async throws {
        try Self.fill(try open())
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let folder = URL(fileURLWithPath: path)
            let app = StateDirectory.open(
                at: folder.appendingPathComponent("app"),
                secure: try FileStore.secrets(in: folder.appendingPathComponent("secure"))
            )
            try LaunchState(app.state, forgetting: [app.secure, DeadlyStore()]).forgetPerson()
        }
        let directory = try open()
        // It was killed in the midst: one store cleared, the next one not.
        #expect(directory.secure.read("session") == .absent)
        #expect(directory.cache.read("profile") == .value(text("cached")))
        let state = directory.launchState()
        expectCleared(directory, state)
        // The first launch is still to be completed, and so would clear again.
        #expect(state.isFirstLaunch)
    }

    @Test("fault S14, S16: What is locked is cleared once it can be, everything else at once")
    func locked() throws {
        let secrets = LockableStore()
        secrets.content.write(text("token"), for: "session")
        let cache = MemoryStore()
        cache.write(text("cached"), for: "profile")
        let state = LaunchState(MemoryStore(), forgetting: [secrets, cache])
        let error = #expect(throws: StorageError.self) { try state.forgetPerson() }
        #expect(error?.code == .locked)
        #expect(cache.read("profile") == .absent)
        #expect(state.isForgetting)
        #expect(throws: StorageError.self) { try state.completeForgetting() }
        secrets.unlock()
        try state.completeForgetting()
        #expect(secrets.read("session") == .absent && !state.isForgetting)
    }
}
