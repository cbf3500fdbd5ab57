import Foundation
import Sequencer

/// Builds and validates a graph, launches nothing, and says what that has cost: `1 thread, 0 files`. For Linux.
@main
enum Idle {
    static func main() throws {
        let files = openFiles()
        var graph = OperationGraph("idle")
        let config = graph.add("config") { "bundled" }
        graph.add("main", .milestone, using: config) { config in print("launched with \(config)") }
        guard try graph.validated().milestone == "main" else { exit(1) }
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
        print("\(threads) thread, \(openFiles() - files) files")
    }

    private static func openFiles() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0 }
}
