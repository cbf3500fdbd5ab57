import Foundation
import Sequencer
import SequencerAnalysis
import StartupOps

extension ContestLaunch {
    /// The launches of the contest. No step says what is expected of it.
    static let all = [
        blocking(6), burning, blockingBeside, awaiting, launch, blocking(30), mixed, waitsThenBurns, regular, shop,
    ]

    private static func blocking(_ count: Int) -> ContestLaunch {
        ContestLaunch("\(count) that block") { launch in
            for index in 0..<count { launch.add("sdk\(index)", .blocks(100)) }
            launch.add("home", .blocks(1), after: (0..<count).map { "sdk\($0)" })
        }
    }

    /// Three steps in a row to the milestone, each so long.
    private mutating func addChain(_ work: Work) {
        for index in 0..<3 { add("chain\(index)", work, after: index == 0 ? [] : ["chain\(index - 1)"]) }
        isShown(by: "chain2")
    }

    private static let burning = ContestLaunch("a chain beside burns") { launch in
        for index in 0..<6 { launch.add("beside\(index)", .burns(150)) }
        launch.addChain(.burns(75))
    }

    private static let blockingBeside = ContestLaunch("a chain beside blocks") { launch in
        for index in 0..<6 { launch.add("beside\(index)", .blocks(150)) }
        launch.addChain(.blocks(75))
    }

    private static let awaiting = ContestLaunch("twelve that await") { launch in
        for row in 0..<3 {
            for place in 0..<4 { launch.add("row\(row)-\(place)", .awaits(50), after: row == 0 ? [] : ["row\(row - 1)-\(place)"]) }
        }
        launch.add("home", .blocks(1), after: (0..<4).map { "row2-\($0)" })
    }

    private static let launch = ContestLaunch("a launch of 12") { launch in
        launch.add("keychain", .blocks(60))
        launch.add("db", .blocks(120))
        launch.add("sdk1", .blocks(90))
        launch.add("sdk2", .blocks(90))
        launch.add("sdk3", .burns(80))
        launch.add("config", .awaits(100))
        launch.add("json", .burns(30), after: ["config"])
        launch.add("auth", .awaits(80), after: ["keychain", "config"])
        launch.add("feed", .awaits(60), after: ["auth", "db"])
        launch.add("layout", .burns(30), after: ["feed", "json"])
        launch.add("home", .burns(10), after: ["layout"])
        launch.add("index", .burns(120), after: ["db"])
        launch.isShown(by: "home")
    }

    private static let mixed = ContestLaunch("blocks and burns beside a chain") { launch in
        for index in 0..<6 { launch.add("blocks\(index)", .blocks(100)) }
        for index in 0..<2 { launch.add("burns\(index)", .burns(150)) }
        launch.addChain(.burns(75))
    }

    private static let waitsThenBurns = ContestLaunch("waits then burns beside a chain") { launch in
        for index in 0..<6 { launch.add("beside\(index)", .blocks(20), .burns(100)) }
        launch.addChain(.burns(75))
    }

    /// The built-in scenario `regular`, with services that block for as long as is expected of them.
    private static let regular = ContestLaunch("regular that blocks") { launch in
        guard let graph = try? Scenario.regular.graph(.simulated()).validated(),
            let described = try? JSONDecoder().decode(DescribedGraph.self, from: Data(graph.json().utf8))
        else { return }
        let times = Dictionary(described.operations.map { ($0.id, $0.expectedMs ?? 0) }) { first, _ in first }
        for id in graph.topologicalOrder {
            launch.add(id, .blocks(Int(times[id] ?? 0)), after: ((try? graph.dependencies(of: id)) ?? []).sorted())
        }
        if let milestone = graph.milestone { launch.isShown(by: milestone) }
    }

    /// Forty steps, as a shop's app has them: SDKs, stores, requests, parsing, screens, and what can wait.
    private static let shop = ContestLaunch("a launch of 40") { launch in
        launch.add("crash-reporter", .blocks(12))
        for (sdk, time) in [
            ("analytics", 45), ("ads", 70), ("attribution", 55), ("push", 25), ("payments", 60), ("chat", 40), ("maps", 50),
        ] {
            launch.add(sdk, .blocks(time), after: ["crash-reporter"])
        }
        for (store, time) in [("keychain", 35), ("defaults", 8), ("database", 90), ("image-cache", 40), ("cookies", 10)] {
            launch.add(store, .blocks(time))
        }
        launch.add("migrate", .burns(20), after: ["database"])
        launch.add("fonts", .burns(15))
        launch.add("theme", .burns(8), after: ["fonts", "defaults"])
        launch.add("strings", .burns(6), after: ["defaults"])
        launch.add("config", .awaits(90), after: ["defaults"])
        launch.add("flags", .awaits(60), after: ["defaults"])
        launch.add("parse-config", .burns(12), after: ["config"])
        launch.add("experiments", .burns(5), after: ["flags", "parse-config"])
        launch.add("token", .awaits(70), after: ["keychain", "cookies"])
        launch.add("profile", .awaits(50), after: ["token"])
        launch.add("basket", .awaits(45), after: ["token", "migrate"])
        launch.add("offers", .awaits(65), after: ["token", "parse-config"])
        launch.add("feed", .awaits(80), after: ["token", "experiments"])
        launch.add("parse-feed", .burns(18), after: ["feed"])
        launch.add("parse-offers", .burns(9), after: ["offers"])
        launch.add("thumbnails", .blocks(30), after: ["parse-feed", "image-cache"])
        launch.add("router", .burns(4), after: ["experiments"])
        launch.add("tabs", .burns(10), after: ["theme", "strings", "router"])
        launch.add("layout", .burns(16), after: ["tabs", "parse-feed", "parse-offers", "basket"])
        launch.add("home", .burns(8), after: ["layout", "thumbnails", "profile"])
        launch.add("search-index", .burns(90), after: ["migrate"])
        launch.add("prefetch", .awaits(120), after: ["parse-feed"])
        launch.add("spotlight", .burns(40), after: ["search-index"])
        launch.add("upload-logs", .awaits(80), after: ["token"])
        launch.add("clean-cache", .blocks(110), after: ["image-cache"])
        launch.add("widgets", .blocks(60), after: ["profile"])
        launch.add("geofences", .blocks(45), after: ["maps"])
        launch.isShown(by: "home")
    }
}

/// The expected times in the JSON of a graph.
private struct DescribedGraph: Decodable {
    struct Operation: Decodable {
        let id: String
        let expectedMs: Double?
    }

    let operations: [Operation]
}
