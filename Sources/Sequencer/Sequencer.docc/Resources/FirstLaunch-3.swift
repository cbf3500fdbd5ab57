import Sequencer

func firstLaunch(showMain: @escaping @MainActor @Sendable (String) -> Void = { _ in }) -> OperationGraph {
    var graph = OperationGraph("first-launch")
    let splash = graph.add("splash", .expected(.milliseconds(400))) { launch in
        try await launch.sleep(for: .milliseconds(400))
    }
    let config = graph.add("fetch-config", .expected(.milliseconds(300)), .timeout(.seconds(1)), .cuttable, fallback: "bundled") { launch in
        try await launch.sleep(for: .milliseconds(300))  // ask your server here
        return "remote"
    }
    graph.add("main-app", .milestone, using: config, after: splash, on: .main) { config in
        showMain(config)
    }
    return graph
}
