import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

/// What the tool says of a launch in which somebody held what another one needed.
@Suite("Who held up whom", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HeldUpCommandTests {
    @Test("the verdict and blame name the step that waited for an event, and the event where the step has another name")
    func event() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (step, words) in [("window", "window"), ("scene", "scene for the event 'window'")] {
            let window = ExternalEvent<String>("window")
            var graph = OperationGraph("late")
            let connected = graph.wait(for: window, id: step)
            graph.add("main-app", .milestone, after: connected) { launch in try await launch.sleep(for: .milliseconds(100)) }
            graph.add("connect") { launch in
                try await launch.sleep(for: .seconds(5))
                window.fulfill("main")
            }
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
            let path = try folder.write(report.json())
            let result = try await Tool.run("blame", path)
            let lines = result.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("  \(words) * ") && $0.contains(" 5 s ") }, "\(result.output)")
        }
    }
}
