import Foundation

@testable import Sequencer
@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage
@testable import sequencer_cli

/// What a launch finds of the ones before it: whatever it is, the launch can begin.
extension FuzzTarget {
    /// Journals, the newest first, with a form feed between two: what they make the next launch leave out is nothing that it needs, and what
    /// people are told of it does nothing to a terminal.
    static func journal(_ bytes: [UInt8]) throws {
        let files = bytes.split(separator: 0x0C, maxSplits: 15, omittingEmptySubsequences: false)
        let launches = files.enumerated().map { index, contents in
            JournaledLaunch(number: files.count - index, Data(contents), isRunning: contents.first == UInt8(ascii: "r"))
        }
        for contents in files {
            let (lines, damaged) = JournalLine.parse(Data(contents))
            try expect(damaged.allSatisfy { (1...contents.count).contains($0) }, "a damaged line outside of the file: \(damaged)")
            for line in lines {
                var line = line
                // Of this, what is less than a microsecond is not written.
                line.ms = nil
                try expect(JournalLine.parse(Data(line.bytes)).lines == [line], "a line that changes when it is read back: \(line)")
            }
        }
        let next = LaunchJournal.nextRecovery(after: launches, version: launches.first { $0.ending != .unknown }?.version)
        try recovers(by: next)
        for launch in launches { try recovers(by: launch.recovery) }
        try isExplained(Explanation(folder: "/state", next: next, launches: launches, count: launches.count))
    }

    /// Whatever is left out of a graph, its milestone can still be reached.
    private static func recovers(by recovery: Recovery) throws {
        var graph = OperationGraph("regular")
        let splash = graph.add("splash", .onFailure(.continue)) {}
        let config = graph.add("fetch-config", fallback: 1) { 2 }
        graph.add("tutorial", .onFailure(.skipDependents), after: splash) {}
        graph.add("main-app", .milestone, using: config, after: splash) { _ in }
        let skippable = graph.skippable()
        recovery.apply(to: &graph, skippable: skippable)
        if let sentence = recovery.sentence { try graph.note(sentence, on: "main-app") }
        _ = try graph.validated()
        try expect(skippable.isSubset(of: graph.identifiers) && !skippable.contains("main-app"), "what cannot be left out: \(skippable)")
    }

    private static func isExplained(_ explanation: Explanation) throws {
        let text = explanation.text(TextStyle(isColored: false, isUnicode: true))
        try expect(judgedScalars(text).allSatisfy { $0.scalar == "\n" || $0.isShown }, "a text that a terminal would obey")
        // However large the files are, a person is to read this.
        try expect(text.utf8.count <= 32_768 + explanation.launches.count * 8192, "a text of \(text.utf8.count) bytes")
        let json = explanation.json()
        try expect((try? parseJSON(Array(json.utf8))) != nil, "a document that is no JSON")
    }

    /// A stored file that is read is the one that was written, to the byte; of a newer format, its value is.
    static func storedFile(_ data: Data) throws {
        let name = StoreFileName("session")
        guard let value = try? StoredFile.decode(data, for: name) else { return }
        let isOurs = data.starts(with: Data("sequencer.value/1 ".utf8))
        try expect(!isOurs || StoredFile.encode(value, for: name) == data, "a file that changes when it is read back")
        try expect(data.suffix(value.count) == value, "a value that is not the one in the file")
        try expect((try? StoredFile.decode(data, for: StoreFileName("settings"))) == nil, "a file that is taken for another one")
    }

    /// A launch that finds the same in every place where it looks for something reads or refuses it, and can store what is new.
    static func storedValue(_ data: Data) throws {
        let store = { OneAnswerStore(data) }
        let state = LaunchState(store(), forgetting: [store(), store()])
        _ = (state.isFirstLaunch, state.appStarts, state.tutorialVersionSeen, state.lastSpeaker, state.chosenRegion, state.isForgetting)
        try state.countAppStart(isLoggedIn: true, isAnonymous: false)
        try expect(state.appStarts > 0, "a start that was not counted")
        if let policy = try? JSONDecoder().decodeForeign(UpdatePolicy.self, from: data), let version = SemanticVersion("1.0.0") {
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            _ = UpdatePolicy().completed(by: policy, at: date).decision(for: version, at: date)
        }

        let configurations = ConfigurationStore(store())
        let bundled = configurations.lastKnown
        if let onTrial = configurations.onTrial { try configurations.confirm(LoadedConfiguration(onTrial, from: .cached)) }
        try expect(configurations.onTrial == nil, "a configuration that stays on trial")
        try configurations.beginTrial(of: bundled.configuration)
        try expect(configurations.onTrial == bundled.configuration, "a configuration that changes when it is read back")

        let settings = Settings(store())
        let snapshot = settings.freeze()
        try expect(!settings.deviceIdentifier.isEmpty, "an installation without an identifier")
        _ = (snapshot[.onboarding], snapshot[.showsSplashVideo])

        let sessions = SessionStore(store())
        _ = sessions.load()
        let session = Session(accessToken: Secret("new"))
        try sessions.save(session)
        guard case .value(session) = sessions.load() else { throw BrokenPromise(description: "a session that was not kept") }

        mailbox(EntryPointMailbox(store(), now: { Date(timeIntervalSince1970: 1_700_000_000) }))
    }

    private static func mailbox(_ mailbox: EntryPointMailbox) {
        let link = EntryPoint.shortcut(ShortcutItem("play"))
        _ = mailbox.waiting()
        mailbox.receive(link, id: "new")
        _ = mailbox.claimNext(for: .loggedIn(nil), except: [])
    }
}

/// A store that has the same value for every key, until another one is written.
private final class OneAnswerStore: SecureStore {
    private let answer: Data
    private let content = MemoryStore()
    private let touched = Locked<Set<StoreKey>>([])
    private let isCleared = Locked(false)

    init(_ answer: Data) { self.answer = answer }

    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        if isCleared.withLock({ $0 }) || touched.withLock({ $0.contains(key) }) { return content.read(key) }
        return .value(answer)
    }
    func write(_ data: Data, for key: StoreKey) {
        content.write(data, for: key)
        touched.withLock { _ = $0.insert(key) }
    }
    func remove(_ key: StoreKey) {
        content.remove(key)
        touched.withLock { _ = $0.insert(key) }
    }
    func removeAll() {
        content.removeAll()
        isCleared.withLock { $0 = true }
    }
    func setAside(_ key: StoreKey, because reason: String) { remove(key) }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try content.withExclusiveAccess(body) }
}
