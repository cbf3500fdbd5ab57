import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStateTests {
    private let store = MemoryStore()

    @Test("Everything that was recorded is there in the next launch")
    func persistence() throws {
        let folder = try TemporaryFolder()
        let state = LaunchState(try FileStore(directory: folder("state")))
        #expect(state.tutorialVersionSeen == .absent && state.lastSpeaker == .absent && state.chosenRegion == .absent)
        #expect(state.lastUpdatePolicy == .absent && state.appStarts == 0 && state.dismissedOnboarding == .absent)
        let speaker = Speaker(id: "s-1", name: "Küche", host: "127.0.0.1", port: 7400)
        try state.recordTutorialSeen(version: #require(SemanticVersion("1.4.0-beta.1+7")))
        try state.rememberSpeaker(speaker)
        try state.recordChosenRegion(Region(country: "DE", language: "de"))
        try state.recordUpdatePolicy(text("{\"minimumVersion\":\"1.0.0\"}"))
        try state.recordDismissedOnboarding()

        let next = LaunchState(try FileStore(directory: folder("state")))
        #expect(next.tutorialVersionSeen.value?.description == "1.4.0-beta.1")
        #expect(next.lastSpeaker == .value(speaker))
        #expect(next.chosenRegion == .value(Region(country: "DE", language: "de")))
        #expect(next.lastUpdatePolicy == .value(text("{\"minimumVersion\":\"1.0.0\"}")))
        #expect(next.dismissedOnboarding == .value(true))
        try next.forgetSpeaker()
        try next.forgetDismissedOnboarding()
        #expect(state.lastSpeaker == .absent && state.dismissedOnboarding == .absent)
    }

    @Test(
        "fault S20: A tutorial version that is none counts as unknown, until the tutorial was shown once more",
        arguments: [
            "\"garbage\"", "\"\"", "7", "{}", "\"1.0 \\u0000\"", "not json", "", "\"1\(String(repeating: "0", count: 200))\"",
        ]
    )
    func garbageVersion(json: String) throws {
        let folder = try TemporaryFolder()
        let files = try FileStore(directory: folder("state"))
        try files.write(text(json), for: LaunchState.Key.tutorialVersion)
        let state = LaunchState(files)
        #expect(state.tutorialVersionSeen == .absent)
        #expect(names(in: folder("state")) == ["tutorial-version-seen.corrupt-1"])
        try state.recordTutorialSeen(version: SemanticVersion(1, 4))
        #expect(LaunchState(files).tutorialVersionSeen == .value(SemanticVersion(1, 4)))
    }

    @Test(
        "A speaker that nobody could connect to counts as none",
        arguments: [
            #"{"id":"1","name":"n","host":"","port":1}"#, #"{"id":"1","name":"n","host":"h","port":0}"#,
            #"{"id":"1","name":"n","host":"h","port":70000}"#,
        ]
    )
    func invalidSpeaker(json: String) {
        store.write(text(json), for: LaunchState.Key.lastSpeaker)
        #expect(LaunchState(store).lastSpeaker == .absent)
    }

    // MARK: Counting starts

    @Test("B26: Starts count only when somebody who is not anonymous is logged in, once in each launch")
    func appStarts() throws {
        let launch = UUID()
        let first = LaunchState(store, launch: launch)
        #expect(try !first.countAppStart(isLoggedIn: false, isAnonymous: false))
        #expect(try !first.countAppStart(isLoggedIn: false, isAnonymous: true))
        #expect(try !first.countAppStart(isLoggedIn: true, isAnonymous: true))
        #expect(first.appStarts == 0)
        #expect(try first.countAppStart(isLoggedIn: true, isAnonymous: false))
        #expect(try !first.countAppStart(isLoggedIn: true, isAnonymous: false))
        #expect(try !LaunchState(store, launch: launch).countAppStart(isLoggedIn: true, isAnonymous: false))
        #expect(first.appStarts == 1)
        #expect(try LaunchState(store).countAppStart(isLoggedIn: true, isAnonymous: false))
        #expect(first.appStarts == 2)
    }

    @Test("B26: One launch that counts from 16 threads at the same time is counted once")
    func oneLaunchCountsOften() async throws {
        let folder = try TemporaryFolder()
        let files = try FileStore(directory: folder("state"), lockTimeout: .seconds(300))
        let launch = UUID()
        let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try LaunchState(files, launch: launch).countAppStart(isLoggedIn: true, isAnonymous: false) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(counted == 1 && LaunchState(files).appStarts == 1)
    }

    @Test(
        "A count that makes no sense begins anew; the largest stays",
        arguments: [("{\"count\":-5}", 1), ("[]", 1), ("{\"count\":\(Int.max)}", Int.max)]
    )
    func strangeCounts(json: String, expected: Int) throws {
        store.write(text(json), for: LaunchState.Key.appStarts)
        let state = LaunchState(store)
        try state.countAppStart(isLoggedIn: true, isAnonymous: false)
        #expect(state.appStarts == expected)
    }

    // MARK: Unavailable

    @Test("fault S14: While the state cannot be read, nothing counts as new, and nothing is changed or lost")
    func unavailable() throws {
        let locked = LockableStore()
        let before = LaunchState(locked.content)
        try before.recordTutorialSeen(version: SemanticVersion(1, 4))
        try before.countAppStart(isLoggedIn: true, isAnonymous: false)

        let state = LaunchState(locked)
        #expect(!state.isFirstLaunch)
        guard case .unavailable(let error) = state.tutorialVersionSeen, case .unavailable = state.lastSpeaker else {
            Issue.record("what cannot be read counted as absent")
            return
        }
        #expect(error.code == .locked)
        #expect(throws: StorageError.self) { try state.countAppStart(isLoggedIn: true, isAnonymous: false) }
        #expect(locked.attemptsToChange.isEmpty)

        locked.unlock()
        #expect(state.isFirstLaunch)
        #expect(state.tutorialVersionSeen == .value(SemanticVersion(1, 4)) && state.appStarts == 1)
        #expect(try state.countAppStart(isLoggedIn: true, isAnonymous: false))
    }

    @Test(
        "fault S24: a session is one of another installation only where that can be told",
        arguments: ["intact", "cut", "folder", "none"]
    )
    func isOf(_ state: String) throws {
        let folder = try TemporaryFolder()
        let mark = InstallationMark(store: try FileStore(directory: folder("state")))
        let own = try #require(mark.make())
        #expect(mark.known == own && mark.make() == own)
        let path = folder("state/installation").path
        switch state {
        case "cut": #expect(truncate(path, 10) == 0)
        case "folder":
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "none": try FileManager.default.removeItem(atPath: path)
        default: break
        }
        #expect(mark.isOf(own) == (state != "none"))
        #expect(mark.isOf("another") == (state == "cut" || state == "folder"))
    }
}
