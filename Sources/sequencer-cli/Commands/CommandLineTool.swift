import Foundation
import Sequencer
import SequencerAnalysis

/// The tool: from the words of a command line to an exit code.
enum CommandLineTool {
    static let name = "sequencer-cli"
    static let version = "0.1.0"

    /// Runs a command line to its end and leaves the process.
    static func main(_ arguments: [String]) -> Never {
        // First of all: the next write may go to a pipe that is closed already.
        ignoreBrokenPipes()
        // Swift prints a backtrace at SIGQUIT, and goes on where another handler is set meanwhile.
        if !ignoresSignal(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
        // Ignored, as some have it who start others, it lets nobody know how a child has ended.
        signal(SIGCHLD, SIG_DFL)
        do {
            // From the C strings: Swift's texts have replaced the bytes that are not UTF-8 (S23).
            try checkArgumentBytes(Array(UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))))
            leave(try parseArguments(arguments).run())
        } catch {
            leave(report(error))
        }
    }

    /// Runs launches on another thread, while this one, the main one, is free for the steps that need it.
    static func runBesideMainLoop(_ clock: ClockMode, _ run: @escaping @Sendable () async throws -> ExitCode) throws -> Never {
        try SignalThread.shared.begin()
        try LaunchThreads.check(clock)
        Task.detached {
            do {
                leave(try await run())
            } catch {
                leave(report(error))
            }
        }
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    private static func leave(_ code: ExitCode) -> Never {
        // Before `exit`: no command may outlive the tool (L18).
        LiveChildren.end()
        // A signal wins over other results: it may have closed the terminal, so that writing failed.
        exit((SignalThread.shared.first.map(ExitCode.interrupted) ?? code).rawValue)
    }

    /// Says what went wrong, in one sentence on standard error.
    private static func report(_ error: any Error) -> ExitCode {
        let code: ExitCode
        switch error {
        case let error as UsageError:
            message(error.problem)
            Terminal.standardError.write(error.usage + "\n")
            return .usage
        case let error as InputError: code = error.category == .noInput ? .noInput : .badData
        case let error as ToolError: code = error.exitCode
        case is OutputError: code = .cannotWrite
        case let error as HistoryError: code = ExitCode(of: error)
        case is ScenarioError, is ExportError: code = .badData
        // A problem of no operation is one of the budget or the options.
        case let error as GraphError:
            code = error.problems.allSatisfy { $0.positions.isEmpty && $0.code == .invalidOption } ? .usage : .badData
        default: code = .failed
        }
        message("\(error)")
        return code
    }
}
