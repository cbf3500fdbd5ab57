//  first-launch:  splash ── fetch-config ── login ── tutorial ── connect-speaker ──┐
//                 force-update ────────────────────────────────────────────────────┴── main-app
//
//  regular:       splash ── tutorial ───┐
//                 force-update ─────────┤
//                 fetch-config ─────────┼── main-app
//                 login ────────────────┤
//                 connect-speaker ──────┘
//
//  push:          regular, with present-push-information in the place of tutorial
//
//  Each step is a subclass of `ConcurrentOperation` (Operations.swift), each scenario a method of `LaunchBuilder`. PlainQueue.swift has the same operations
//  in an `OperationQueue`.

import Foundation
import Sequencer

@main struct ClassicOperations {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "plain" { return await PlainQueue.show() }
        let scenario = Scenario(rawValue: words.first ?? "first-launch") ?? .firstLaunch
        var phone = Phone(isOutdated: words.contains("outdated"), hasSpeaker: !words.contains("no-speaker"))
        if words.contains("no-configuration") { phone.configuration = nil }
        var options = LaunchOptions()
        if words.contains("one-at-a-time") {
            // Any queue of the app's: its width, its quality of service and its suspension count.
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            options.queue = queue
        }

        let launch = try await LaunchBuilder(phone).graph(of: scenario).run(budget: .seconds(3), options: options)
        let budget = launch.report.budget
        print("\(scenario.rawValue) \(launch.report.outcome.name) in \(budget); the person took \(text(budget.interactive))")
        for operation in launch.report.operations {
            let times = operation.start.map { start in "\(text(start)) to \(text(operation.end))" } ?? "never started"
            print("  \(operation.id) \(operation.outcome): \(times)")
        }
    }

    private static func text(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
}
