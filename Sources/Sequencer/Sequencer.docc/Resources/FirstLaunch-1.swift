import Sequencer

func firstLaunch() -> OperationGraph {
    var graph = OperationGraph("first-launch")
    graph.add("splash", .expected(.milliseconds(400))) { launch in
        try await launch.sleep(for: .milliseconds(400))
    }
    return graph
}
