import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ClearingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a logout removes.
    private static let logout = [StoredPart.everything(in: "secure"), .everything(in: "cache"), LaunchState.personalState]

    private static func fill(_ directory: StateDirectory) throws {
        try directory.secure.write(text("token"), for: "session")
        try directory.cache.write(text("cached"), for: "profile")
        let state = directory.launchState()
        try state.recordTutorialSeen(version: "1.0.0")
        try state.rememberSpeaker(Speaker(id: "1", name: "n", host: "h", port: 1))
        try state.recordDismissedOnboarding()
    }

    private func open() throws -> StateDirectory {
        StateDirectory.open(at: folder("app"), secure: try FileStore.secrets(in: folder("secure")))
    }

    private func expectCleared(_ directory: StateDirectory, _ state: LaunchState) {
        #expect(directory.secure.read("session") == .absent && directory.cache.read("profile") == .absent)
        #expect(state.lastSpeaker == .absent && state.dismissedOnboarding == .absent && state.pendingClearing.isEmpty)
        // Nothing else went with it.
        #expect(state.tutorialVersionSeen == .value("1.0.0"))
    }

    @Test("Clearing removes what it says, and nothing else")
    func clearing() throws {
        let directory = try open()
        try Self.fill(directory)
        let state = directory.launchState()
        try state.clear(Self.logout)
        expectCleared(directory, state)
        try state.clear([.everything(in: "state")])
        #expect(state.tutorialVersionSeen == .absent && state.pendingClearing.isEmpty)
        #expect(names(in: folder("app/state")).isEmpty)
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
            let state = LaunchState(app.state, clearing: ["secure": app.secure, "cache": DeadlyStore()])
            try state.clear([.everything(in: "secure"), .everything(in: "cache"), LaunchState.personalState])
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

    @Test("fault S17: A first-launch clearing that is killed while it completes is completed by the one after")
    func killedTwice() async throws {
        try Self.fill(try open())
        for _ in 0..<2 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                let folder = URL(fileURLWithPath: path)
                let app = StateDirectory.open(at: folder.appendingPathComponent("app"), secure: MemoryStore())
                // The second time, opening is enough to get killed.
                let state = LaunchState(app.state, clearing: ["secure": DeadlyStore(), "cache": app.cache])
                try state.clear([.everything(in: "secure"), .everything(in: "cache"), LaunchState.personalState])
            }
        }
        let directory = try open()
        #expect(directory.secure.read("session") == .value(text("token")))
        expectCleared(directory, directory.launchState())
    }

    @Test("fault S14, S16: What is locked is cleared once it can be, everything else at once")
    func locked() throws {
        let secrets = LockableStore()
        secrets.content.write(text("token"), for: "session")
        let cache = MemoryStore()
        cache.write(text("cached"), for: "profile")
        let state = LaunchState(MemoryStore(), clearing: ["secure": secrets, "cache": cache])
        let error = #expect(throws: StorageError.self) { try state.clear(Self.logout) }
        #expect(error?.code == .locked)
        #expect(cache.read("profile") == .absent)
        #expect(state.pendingClearing == [.everything(in: "secure")])
        #expect(throws: StorageError.self) { try state.completeClearing() }
        secrets.unlock()
        try state.completeClearing()
        #expect(secrets.read("session") == .absent && state.pendingClearing.isEmpty)
    }

    @Test("A store nobody knows is an error that names those there are, before anything is removed")
    func unknownStore() throws {
        let cache = MemoryStore()
        cache.write(text("cached"), for: "profile")
        let state = LaunchState(MemoryStore(), clearing: ["cache": cache])
        let error = #expect(throws: StorageError.self) { try state.clear([.everything(in: "cache"), .everything(in: "sekure")]) }
        #expect(error?.description == "sekure: there is no store of this name to clear, expected one of cache, state")
        #expect(cache.read("profile") == .value(text("cached")))
        #expect(state.pendingClearing.isEmpty)
    }

    @Test("fault S16: Clearing the state itself can be killed too: its note goes last")
    func killedInTheState() async throws {
        try Self.fill(try open())
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let app = StateDirectory.open(at: URL(fileURLWithPath: path).appendingPathComponent("app"), secure: MemoryStore())
            try LaunchState(NoteLosingStore(content: app.state)).clear([.everything(in: "state")])
        }
        let state = try open().launchState()
        #expect(state.tutorialVersionSeen == .absent && state.lastSpeaker == .absent && state.pendingClearing.isEmpty)
    }
}

/// A store that is killed in the midst of removing everything, when the note of what is to be removed happens to be gone already.
private struct NoteLosingStore: DataStore {
    let content: any DataStore

    func read(_ key: StoreKey) -> StoredAnswer<Data> { content.read(key) }
    func write(_ data: Data, for key: StoreKey) throws(StorageError) { try content.write(data, for: key) }
    func remove(_ key: StoreKey) throws(StorageError) { try content.remove(key) }
    func removeAll() throws(StorageError) {
        try content.remove(LaunchState.Key.pendingClearing)
        killThisProcess()
    }
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try content.setAside(key, because: reason) }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try content.withExclusiveAccess(body) }
}
