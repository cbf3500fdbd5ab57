import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTestingCore

extension GrowthCase {
    /// What is drawn and written of graphs and of launches.
    static let exports: [GrowthCase] = [
        export("DOT") { $0.dot() },
        export("tree") { $0.tree() },
        export("graph as JSON") { $0.json() },
        // Mermaid refuses what is too large for it.
        export("Mermaid") { (try? $0.mermaid()) ?? "refused" },
        export("Gantt") { (try? $0.gantt()) ?? "refused" },
        report("report as JSON") { $0.json() },
        work("reading a report", on: { Data(try await ran($0).json().utf8) }) { data in
            if try JSONDecoder().decode(LaunchReport.self, from: data).operations.isEmpty { throw EngineFailure("it is empty") }
        },
        report("HTML") { $0.html() },
        report("SVG") { $0.svg() },
        report("Markdown") { $0.markdown() },
        report("Chrome trace") { $0.chromeTrace() },
        report("OTLP") { try $0.otlp(startedAt: Date(timeIntervalSince1970: 1_700_000_000)) },
        work("paths of a report", on: ran) { report in
            if report.criticalPath.isEmpty { throw EngineFailure("there is no path") }
        },
        work("causes of an overrun", on: overrun) { report in
            if report.budget.causes.isEmpty { throw EngineFailure("there is no cause") }
        },
    ]

    /// A launch of operations that each take longer than the whole may.
    private static func overrun(_ shape: Shape) async throws -> LaunchReport {
        var graph = OperationGraph(shape.name)
        for node in 0..<shape.count {
            graph.add(shape.identifiers[node], after: shape.names(before: node)) { launch in try await launch.sleep(for: .milliseconds(1)) }
        }
        let options = LaunchOptions(deadline: .never, clock: VirtualClock())
        return try await graph.run(budget: .seconds(0.0001), options: options).report
    }

    private static func export(_ name: String, _ text: @escaping @Sendable (ValidatedGraph) throws -> String) -> GrowthCase {
        work(name, on: valid) { if try text($0).isEmpty { throw EngineFailure("it is empty") } }
    }

    private static func report(_ name: String, _ text: @escaping @Sendable (LaunchReport) throws -> String) -> GrowthCase {
        work(name, on: ran) { if try text($0).isEmpty { throw EngineFailure("it is empty") } }
    }

    @Sendable
    private static func ran(_ shape: Shape) async throws -> LaunchReport {
        try await OperationGraph(named: shape) { .title("Step \($0)") }.run(options: LaunchOptions(lanes: 2)).report
    }
}
