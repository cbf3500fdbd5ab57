import Foundation
import Sequencer

/// A program that is measured as a whole: each run starts it anew.
///
/// A launch of the tool's own, with one operation, runs it: so its deadline, its signals and its end are those of every
/// launch.
struct BenchedProgram: Sendable {
    private struct Run: Sendable {
        var number = 0
        var output = ""
        var process = Duration.zero
        var failure: ChildProcessError?
        var hasTold = false
    }

    /// The largest report, in bytes.
    private static let maximumOutput = 16 << 20

    private let command: ProgramCommand
    private let last = Locked(Run())

    init(_ command: ProgramCommand) { self.command = command }

    /// The graph of its launch.
    func graph(_ name: String) -> OperationGraph {
        var graph = OperationGraph(name)
        // The step takes the same way as the work of scenarios, so that the deadline ends the program.
        graph.add("process") { launch in
            let number = last.withLock { last in
                // Only the flag outlives a run: a failure is told once, not a thousand times.
                last = Run(number: last.number + 1, hasTold: last.hasTold)
                return last.number
            }
            let begin = ContinuousClock.now
            var output = ""
            var failure: ChildProcessError?
            defer {
                let process = begin.duration(to: .now)
                last.withLock { last in
                    // A program that was slow to end after its deadline tells nothing of the next run.
                    if last.number == number { (last.process, last.output, last.failure) = (process, output, failure) }
                }
            }
            do {
                let child = ChildProcess(command.words, limit: Self.maximumOutput, hasErrors: false)
                output = try await child.run(launch.addProcessorTime)
            } catch let error as ChildProcessError {
                // A program that fails may have printed its report before: its outcome is the report's.
                // The failure is the operation's own, so that a run without a report counts as failed.
                (output, failure) = (error.output, error)
                throw error
            }
        }
        return graph
    }

    /// The launch of a run: the one whose report the program has printed on standard output, with any outcome; or else
    /// the program itself.
    ///
    /// - Parameter report: of the launch of ``graph(_:)``.
    /// - Throws: when the program cannot be started.
    func launch(_ report: LaunchReport) throws -> (report: LaunchReport, process: Duration?) {
        let run = last.withLock { $0 }
        if let failure = run.failure {
            switch failure.reason {
            // Of these every run would tell the same: the bench ends at the first one.
            case .notFound, .notExecutable: throw ToolError(.noInput, "\(failure)")
            case .system: throw ToolError(.failed, "\(failure)")
            case .status, .signal: break
            }
        }
        // After a signal the report in the output may be one of a launch that was cut off. Any other output is the
        // program's own business: then the program itself is measured.
        let own = try? JSONDecoder().decodeForeign(LaunchReport.self, from: Data(run.output.utf8))
        if let own, report.outcome != .cancelled { return (own, run.process) }
        if case .failed(_, let reason) = report.outcome, !run.hasTold {
            last.withLock { $0.hasTold = true }
            message("\(printable(command.text, limit: 80)) failed: \(reason)")
        }
        return (report, run.process)
    }
}
