import Foundation

@testable import Sequencer
@testable import SequencerAnalysis
@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage
@testable import sequencer_cli

/// What reads bytes that come from elsewhere: given any, each of these reads them or refuses them, and keeps its word about what it read.
///
/// Used by the fuzzer (`Scripts/fuzz`) and, with the corpus that is kept, by the tests.
enum FuzzTarget: String, CaseIterable {
    case scenario, report, imported = "import", launchLine = "launch-line", history, token, link, version, push, cache, duration, journal
    case storedFile = "stored-file", storedValue = "stored-value"

    /// Something was read that should not have been read so.
    struct BrokenPromise: Error, CustomStringConvertible {
        let description: String
    }

    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .scenario: try Self.scenario(bytes)
        case .report: try Self.report(bytes)
        case .imported: try Self.imported(bytes)
        case .launchLine: try Self.launchLine(bytes)
        case .history: try Self.history(Data(bytes))
        case .token: Self.token(String(decoding: bytes, as: UTF8.self))
        case .link: try Self.link(String(decoding: bytes, as: UTF8.self))
        case .version: try Self.version(String(decoding: bytes, as: UTF8.self))
        case .push: try Self.push(Data(bytes))
        case .cache: try Self.cache(Data(bytes))
        case .duration: try Self.duration(String(decoding: bytes, as: UTF8.self))
        case .journal: try Self.journal(bytes)
        case .storedFile: try Self.storedFile(Data(bytes))
        case .storedValue: try Self.storedValue(Data(bytes))
        }
    }

    static func expect(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
        if !condition { throw BrokenPromise(description: promise()) }
    }

    /// A scenario that is read makes a graph that can run; a complaint has a place inside the file, and is one line.
    private static func scenario(_ bytes: [UInt8]) throws {
        let document: ScenarioDocument
        do throws(ScenarioError) {
            document = try parseScenario(bytes, file: "f")
        } catch {
            try expect(!error.description.contains("\n"), "a message of several lines: \(error)")
            return
        }
        // Circles are found here.
        guard let graph = try? LoadedScenario(document, from: "f", clock: .virtual).validated() else { return }
        _ = (graph.criticalPath, graph.budgetedPath)
    }

    /// A report that is read is written as one that reads the same.
    private static func report(_ bytes: [UInt8]) throws {
        guard let report = try? JSONDecoder().decodeForeign(LaunchReport.self, from: Data(bytes)) else { return }
        let text = report.json(pretty: false)
        let again = try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8))
        try expect(again.json(pretty: false) == text, "a report that changes when it is read back")
        _ = (report.markdown(), report.svg(), report.html(), report.chromeTrace(), try? report.otlp())
    }

    /// What is imported makes a report that reads back, and a scenario that is one but for circles; a complaint is one line.
    private static func imported(_ bytes: [UInt8]) throws {
        for format in ImportFormat.allCases.map(Optional.some) + [nil] {
            let file: ImportedFile
            do throws(ScenarioError) {
                file = try ImportedFile(bytes, file: "f", format: format)
            } catch {
                try expect(!error.description.contains("\n"), "a message of several lines: \(error)")
                continue
            }
            for launch in file.launches { try imported(launch) }
        }
    }

    private static func imported(_ launch: ImportedLaunch) throws {
        let report = try launch.report()
        // Times of more than 24 days are exact to the microsecond once they have been read.
        let text = try JSONDecoder().decode(LaunchReport.self, from: Data(report.json(pretty: false).utf8)).json(pretty: false)
        let again = try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8))
        try expect(again.json(pretty: false) == text, "a report that changes when it is read back")
        let document = try parseScenario(Array(launch.scenario().utf8), file: "f")
        _ = try LoadedScenario(document, from: "f", clock: .virtual).validated()
    }

    /// Lines are launches or mistakes, the same ones wherever a batch ends; a complaint is one line.
    private static func launchLine(_ bytes: [UInt8]) throws {
        func read(_ batchSize: Int) throws -> (LaunchFile, String) {
            var (file, statistics) = (
                LaunchFile(name: "f", keys: StatsKeys(hasOperations: true, attribute: "a")), LaunchStatistics()
            )
            file.batchSize = batchSize
            var rest = bytes[...]
            try file.read(into: &statistics) { buffer in
                let count = min(rest.count, buffer.count)
                buffer.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return count
            }
            return (file, StatsSummary(name: "f", attribute: "a", statistics: statistics).json)
        }
        let (whole, parts) = (try read(1 << 20), try read(bytes.count / 3 + 1))
        try expect(whole.1 == parts.1 && whole.0.brokenLines == parts.0.brokenLines, "other launches where a batch ends elsewhere")
        try expect(whole.0.mistakes.allSatisfy { !$0.description.contains("\n") }, "a message of several lines")
    }

    private static func history(_ data: Data) throws {
        guard let history = try? LaunchHistory(json: data, maximumDurations: 20) else { return }
        let again = try LaunchHistory(json: Data(history.json().utf8), maximumDurations: 20)
        try expect(again.json() == history.json(), "a history that changes when it is read back")
    }

    private static func token(_ text: String) {
        _ = JSONWebToken(text)?.expiry
    }

    private static let router: DeepLinkRouter? = try? DeepLinkRouter(
        origins: [DeepLinkOrigin("https", "good.example"), DeepLinkOrigin("speakers", "open")],
        routes: [
            DeepLinkRoute("any-speaker", path: "/speakers/{name}", parameters: [.string("name", maximumLength: 16)]),
            DeepLinkRoute(
                "tune",
                path: "/tune/{id}",
                parameters: [.string("id"), .string("volume", maximumLength: 3), .string("mute", isRequired: false)],
                needsLogin: true
            ),
            DeepLinkRoute("offer", path: "/offer", parameters: [.string("number", isRequired: false)], ignoresUnknownParameters: true),
        ]
    )

    /// Whatever is taken keeps to its route's limits, and begins like a link to the app's own hosts.
    private static func link(_ text: String) throws {
        guard let link = try? router?.link(text) else { return }
        let start = text.lowercased()
        try expect(start.hasPrefix("https://good.example") || start.hasPrefix("speakers://open"), "a link to elsewhere: \(text)")
        if link.route == "tune", let volume = link.string("volume") { try expect((1...3).contains(volume.utf8.count), "volume \(volume)") }
        if link.route == "any-speaker" { try expect((link.string("name")?.utf8.count ?? 0) <= 64, "a name that is too long") }
    }

    private static func version(_ text: String) throws {
        guard let version = SemanticVersion(text) else { return }
        try expect(SemanticVersion(version.description) == version, "a version that changes when it is read back: \(version)")
        try expect(!(version < version), "a version lower than itself: \(version)")
    }

    private static func push(_ data: Data) throws {
        let parser = PushPayloadParser(categories: ["now-playing"], links: router)
        guard let payload = try? parser.payload(from: data) else { return }
        try expect(data.count <= PushPayloadParser.maximumSize, "a payload over the limit")
        for text in [payload.title, payload.body].compactMap(\.self) {
            try expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }, "a text that a screen would obey")
        }
    }

    /// A stored answer that was damaged is nothing, or an answer to its own question.
    private static func cache(_ data: Data) throws {
        guard let url = URL(string: "https://good.example/v1/countries") else { return }
        let key = CacheKey(HTTPRequest(.get, url), scope: "guest")
        let store = RecordingStore()
        let cache = ResponseCache(store: store)
        cache.store(HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: Data("[]".utf8)), for: key)
        for name in store.keys { try store.write(data, for: name) }
        _ = cache.response(for: key)
        cache.store(HTTPResponse(status: 200, headers: [:], body: Data("[1]".utf8)), for: key)
        try expect(cache.response(for: key).map { $0.body == Data("[1]".utf8) } != false, "a new answer that was not kept")
        cache.removeAll()
        try expect(cache.response(for: key) == nil, "an answer after the cache was cleared")
    }

    private static func duration(_ text: String) throws {
        guard let duration = try? DurationText.parse(text, minimum: .zero) else { return }
        try expect(try DurationText.parse(DurationText.format(duration), minimum: .zero) == duration, "a duration that changes: \(text)")
    }
}

/// A store that knows its keys.
private final class RecordingStore: DataStore {
    private let content = MemoryStore()
    private let names = Locked<Set<StoreKey>>([])

    var keys: Set<StoreKey> { names.withLock { $0 } }

    func read(_ key: StoreKey) -> StoredAnswer<Data> { content.read(key) }
    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        names.withLock { _ = $0.insert(key) }
        content.write(data, for: key)
    }
    func remove(_ key: StoreKey) throws(StorageError) { content.remove(key) }
    func removeAll() throws(StorageError) { content.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { content.setAside(key, because: reason) }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try content.withExclusiveAccess(body) }
}
