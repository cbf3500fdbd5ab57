import Sequencer

func firstLaunch() -> OperationGraph {
    var graph = OperationGraph("first-launch")
    graph.add("splash", .expected(.milliseconds(400))) { launch in
        try await launch.sleep(for: .milliseconds(400))
    }
    graph.add("fetch-config", .expected(.milliseconds(300)), .timeout(.seconds(1)), .cuttable, fallback: "bundled") { launch in
        try await launch.sleep(for: .milliseconds(300))  // ask your server here
        return "remote"
    }
    return graph
}
