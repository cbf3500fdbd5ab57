import Foundation
import Sequencer

/// The tool: from the words of a command line to an exit code.
enum CommandLineTool {
    static let version = "0.1.0"

    /// Runs a command line to its end and leaves the process.
    ///
    /// A launch needs the main thread for its main-thread steps, so whatever may run one goes on beside a run loop; every other command is over
    /// when it returns.
    static func main(_ arguments: [String]) -> Never {
        ignoreBrokenPipes()
        do {
            switch try parseArguments(arguments) {
            case .run(let arguments): runBesideMainLoop(RunCommand(arguments).run)
            case .bench(let arguments): runBesideMainLoop(BenchCommand(arguments).run)
            case .blame(let arguments): runBesideMainLoop(BlameCommand(arguments).run)
            case .criticalChain(let arguments): runBesideMainLoop(CriticalChainCommand(arguments).run)
            case .report(let arguments): runBesideMainLoop(ReportCommand(arguments).run)
            case .plan(let arguments): leave(try PlanCommand(arguments).run())
            case .completions(let arguments): leave(try CompletionsCommand(arguments).run())
            case .compare(let arguments): leave(try CompareCommand(arguments).run())
            case .stats(let arguments): leave(try StatsCommand(arguments).run())
            case .graph(let arguments): leave(try GraphCommand(arguments).run())
            case .verify(let arguments): leave(try VerifyCommand(arguments).run())
            case .explain(let arguments): leave(try ExplainCommand(arguments).run())
            case .scenarios(let arguments): leave(try ScenariosCommand(arguments).run())
            case .help(let text): leave(try print(text + "\n"))
            case .version: leave(try print("\(HelpText.tool) \(version)\n"))
            }
        } catch {
            leave(report(error))
        }
    }

    private static func runBesideMainLoop(_ run: @escaping @Sendable () async throws -> ExitCode) -> Never {
        Task.detached {
            do {
                leave(try await run())
            } catch {
                leave(report(error))
            }
        }
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    private static func print(_ text: String) throws -> ExitCode {
        try Output(nil).write(text)
        return .success
    }

    private static func leave(_ code: ExitCode) -> Never {
        exit(code.rawValue)
    }

    /// Says what went wrong, in one sentence on standard error.
    private static func report(_ error: any Error) -> ExitCode {
        switch error {
        case let error as UsageError:
            message(error.message)
            Terminal.standardError.write(error.usage + "\n")
            return .usage
        case let error as InputError:
            message(error.description)
            return error.category == .noInput ? .noInput : .badData
        case let error as ScenarioError:
            message(error.description)
            return .badData
        case let error as ToolError:
            message(error.description)
            return error.exitCode
        case let error as OutputError:
            message(error.description)
            return .cannotWrite
        case let error as ExportError:
            message(error.description)
            return .badData
        case let error as GraphError:
            message(error.description)
            return .badData
        case let error as SequencerError:
            message(error.description)
            return .usage
        default:
            message("\(error)")
            return .failed
        }
    }
}
