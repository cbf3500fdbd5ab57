import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Sequencer
import SequencerTelemetry

// A program of its own bootstraps LoggingSystem, MetricsSystem and InstrumentationSystem once, and writes
// LaunchLog(Logger(label: "launch")), LaunchMetrics(), LaunchTrace(InstrumentationSystem.tracer).
let log = InMemoryLogHandler()
let metrics = TestMetrics()
let tracer = InMemoryTracer()
var logger = Logger(label: "launch") { _ in log }
logger.logLevel = .debug

let report = try await SampleLaunch.run(telling: LaunchLog(logger), LaunchMetrics(factory: metrics), LaunchTrace(tracer))

for (title, lines) in [("log", Seen.lines(of: log)), ("metrics", Seen.lines(of: metrics)), ("spans", Seen.lines(of: tracer))] {
    print(title)
    for line in lines { print("  \(line)") }
}
print("\(report.outcome.name), \(report.budget.isMet ? "within" : "over") budget")
