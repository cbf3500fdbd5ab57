import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SettingsTests {
    private let store = MemoryStore()

    @Test("B10: Settings have their documented defaults")
    func defaults() {
        let snapshot = Settings(store).freeze()
        #expect(snapshot[.onboarding] == .regular)
        #expect(snapshot[.waitsForRemoteConfigurationOnFirstLaunch] == false)
        #expect(snapshot[.presentsSubscriptionAfterLogin] == false)
        #expect(snapshot[.presentsSubscriptionOnEveryStart] == false)
        #expect(snapshot[.enablesRestoreAccount] == false)
        #expect(snapshot[.showsSplashVideo] == false)
    }

    @Test("B10: What is set is there in the next launch, in files too, whatever its type")
    func persistence() throws {
        struct Custom: Codable, Sendable, Equatable { var names: [String], number: Double }
        let custom = SettingKey("custom", default: Custom(names: [], number: 0))
        let optional = SettingKey<Int?>("optional", default: 3)
        let folder = try TemporaryFolder()
        let settings = Settings(try FileStore(directory: folder("settings")))
        try settings.set(.dismissable, for: .onboarding)
        try settings.set(true, for: .showsSplashVideo)
        try settings.set(Custom(names: ["ü \" \\", ""], number: -0.5), for: custom)
        try settings.set(nil, for: optional)

        let next = Settings(try FileStore(directory: folder("settings")))
        #expect(next[.onboarding] == .dismissable)
        let snapshot = next.freeze()
        #expect(snapshot[.onboarding] == .dismissable && snapshot[.showsSplashVideo])
        #expect(snapshot[custom] == Custom(names: ["ü \" \\", ""], number: -0.5))
        #expect(snapshot[optional] == nil)
        #expect(next.problems.isEmpty)
    }

    @Test("B12, fault L15: What is set after configuring has no effect on this launch, is reported by name, and counts in the next")
    func afterConfiguring() throws {
        let told = Locked<[String]>([])
        let settings = Settings(store) { problem in told.withLock { $0.append(problem) } }
        let snapshot = settings.freeze()
        try settings.set(true, for: .presentsSubscriptionAfterLogin, by: "login")
        try settings.set(true, for: .presentsSubscriptionAfterLogin, by: "login")
        #expect(snapshot[.presentsSubscriptionAfterLogin] == false)
        #expect(settings.freeze()[.presentsSubscriptionAfterLogin] == false)
        #expect(settings[.presentsSubscriptionAfterLogin] == true)
        let problem = try #require(told.withLock { $0 }.first)
        #expect(
            problem == "setting presentsSubscriptionAfterLogin was written by login after the launch was configured, "
                + "so it takes effect in the next launch; write it before"
        )
        #expect(told.withLock { $0 } == settings.problems && settings.problems.count == 1)
        #expect(Settings(store).freeze()[.presentsSubscriptionAfterLogin] == true)
    }

    @Test("B12, fault L15: A setting of the app's own, in an object of its own, is too late as well once an environment was made")
    func ownSettings() throws {
        let directory = StateDirectory.inMemory()
        let pages = SettingKey("tutorialPages", default: 3)
        let told = Locked<[String]>([])
        let own = Settings(directory.settings) { problem in told.withLock { $0.append(problem) } }
        try own.set(4, for: pages)
        #expect(own.problems.isEmpty)
        let frozen = Settings(directory.settings)
        #expect(frozen.freeze()[pages] == 4)

        try own.set(5, for: pages, by: "shop")
        let description =
            "setting tutorialPages was written by shop after the launch was configured, so it takes effect in the next launch; write it before"
        #expect(told.withLock { $0 } == [description] && own.problems == [description])
        #expect(frozen.freeze()[pages] == 4)
        // An object that is made later is no earlier.
        let later = Settings(directory.settings)
        try later.set(6, for: pages)
        #expect(later.problems.count == 1 && later.problems[0].hasPrefix("setting tutorialPages was written after"))
        #expect(Settings(directory.settings).freeze()[pages] == 6)
        // Another app's launch has not begun.
        let other = Settings(StateDirectory.inMemory().settings)
        try other.set(1, for: pages)
        #expect(other.problems.isEmpty)
    }

    @Test("fault O23: Of two operations that write one setting the last counts, and both are named")
    func conflict() throws {
        let settings = Settings(store)
        try settings.set(.dismissable, for: .onboarding)
        try settings.set(.none, for: .onboarding, by: "remote-configuration")
        try settings.set(.none, for: .onboarding, by: "remote-configuration")
        #expect(settings.problems.isEmpty)
        try settings.set(.regular, for: .onboarding, by: "experiments")
        #expect(settings.freeze()[.onboarding] == .regular)
        #expect(Settings(store)[.onboarding] == .regular)
        #expect(
            settings.problems == [
                "setting onboarding was written by remote-configuration, then by experiments, which counts; let one of them write it"
            ]
        )
    }

    @Test("fault O23: However many write at once, what is stored is what counts in memory")
    func concurrentWrites() async throws {
        let folder = try TemporaryFolder()
        let settings = Settings(try FileStore(directory: folder("settings"), lockTimeout: .seconds(300)))
        let keys = (0..<4).map { SettingKey("number-\($0)", default: -1) }
        try await atOnce(0..<8) { writer in
            for round in 0..<10 { try settings.set(writer * 100 + round, for: keys[round % 4], by: "writer-\(writer)") }
        }
        let next = Settings(try FileStore(directory: folder("settings")))
        for key in keys { #expect(next[key] == settings[key] && next[key] >= 0) }
    }

    @Test("Two processes that set different things keep both")
    func otherProcess() throws {
        let (one, other) = (Settings(store), Settings(store))
        try one.set(true, for: .showsSplashVideo)
        try other.set(.none, for: .onboarding)
        let next = Settings(store)
        #expect(next[.showsSplashVideo] && next[.onboarding] == .none)
    }

    @Test("B27: Stores over one folder, as processes have them, that generate the device identifier at once agree on one")
    func deviceIdentifierOfSeveral() async throws {
        let folder = try TemporaryFolder()
        let directory = folder("settings")
        let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let settings = Settings(try FileStore(directory: directory, lockTimeout: .seconds(300)))
                    return settings.deviceIdentifier
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        #expect(Settings(try FileStore(directory: directory)).deviceIdentifier == identifiers.first)
    }

    @Test("A device identifier that makes no sense is replaced by a new one that stays", arguments: ["\"\"", "7", "nonsense"])
    func invalidDeviceIdentifier(json: String) throws {
        try store.save(["deviceIdentifier": json], for: Settings.key)
        let settings = Settings(store)
        let identifier = settings.deviceIdentifier
        #expect(UUID(uuidString: identifier) != nil)
        #expect(settings.deviceIdentifier == identifier)
        #expect(Settings(store).deviceIdentifier == identifier)
    }

    @Test("B10: A value of another type counts as its default, is reported once, and spoils no other")
    func invalidValue() throws {
        try store.save(["onboarding": "\"sometimes\"", "showsSplashVideo": "true", "enablesRestoreAccount": "{"], for: Settings.key)
        let settings = Settings(store)
        let snapshot = settings.freeze()
        for _ in 0..<2 { #expect(snapshot[.onboarding] == .regular && settings[.onboarding] == .regular) }
        #expect(snapshot[.showsSplashVideo] == true)
        #expect(snapshot[.enablesRestoreAccount] == false)
        #expect(
            settings.problems == [
                "setting onboarding holds no OnboardingType, so its default counts; set it again",
                "setting enablesRestoreAccount holds no Bool, so its default counts; set it again",
            ]
        )
    }

    @Test("fault S4: Settings that are no settings at all are moved aside, and have their defaults")
    func nonsense() throws {
        let folder = try TemporaryFolder()
        let files = try FileStore(directory: folder("settings"))
        try files.write(text("[1, 2"), for: Settings.key)
        #expect(Settings(files)[.onboarding] == .regular)
        #expect(names(in: folder("settings")) == ["settings.corrupt-1"])
    }

    @Test("B11, fault S2: What cannot be stored is an error, and counts in this launch all the same")
    func cannotStore() throws {
        let folder = try TemporaryFolder()
        let files = try FileStore(directory: folder("settings"), maximumSize: 10)
        let settings = Settings(files)
        let error = #expect(throws: StorageError.self) { try settings.set(.none, for: .onboarding) }
        #expect(error?.code == .noSpace)
        #expect(settings.freeze()[.onboarding] == .none)
        #expect(throws: StorageError.self) { try settings.set(.nan, for: SettingKey("number", default: 0.0)) }
    }

    @Test("fault S14: Settings that cannot be read have defaults, are not taken for new, and are not written over")
    func unavailable() throws {
        let locked = LockableStore()
        try Settings(locked.content).set(.none, for: .onboarding)
        let identifier = Settings(locked.content).deviceIdentifier

        let settings = Settings(locked)
        let snapshot = settings.freeze()
        #expect(settings.problems.map { $0.hasPrefix("the settings cannot be read, so defaults count for now: ") } == [true])
        #expect(snapshot[.onboarding] == .regular)
        #expect(UUID(uuidString: settings.deviceIdentifier) != nil && settings.deviceIdentifier != identifier)
        #expect(throws: StorageError.self) { try settings.set(true, for: .showsSplashVideo) }
        #expect(locked.attemptsToChange.isEmpty)

        locked.unlock()
        // What is set now is added to what was there.
        try settings.set(true, for: .showsSplashVideo)
        let next = Settings(locked)
        #expect(next[.onboarding] == .none && next[.showsSplashVideo] && next.deviceIdentifier == identifier)
    }
}
