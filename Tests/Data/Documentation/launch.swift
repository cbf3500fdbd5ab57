// The launch that the tests of a guide are about.
func appLaunch() -> OperationGraph {
    var graph = OperationGraph("launch")
    let splash = graph.add("splash", .expected(.milliseconds(400))) { launch in try await launch.sleep(for: .milliseconds(400)) }
    let config = graph.add("fetch-config", .expected(.milliseconds(450)), .timeout(.seconds(1)), fallback: "bundled") { launch in
        try await launch.sleep(for: .milliseconds(450))
        return "remote"
    }
    graph.add("main-app", .milestone, using: config, after: splash, on: .main) { config in print(config) }
    return graph
}
