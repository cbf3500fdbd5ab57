import Foundation
import Sequencer
import SequencerAnalysis
import StartupStorage

/// The tool: from the words of a command line to an exit code.
enum CommandLineTool {
    static let name = "sequencer-cli"
    static let version = "0.1.0"

    /// Runs a command line to its end and leaves the process.
    static func main(_ arguments: [String]) -> Never {
        // First of all: the next write may go to a pipe that is closed already.
        ignoreBrokenPipes()
        // Swift prints a backtrace at SIGQUIT, and continues where another handler is set meanwhile.
        if !ignoresSignal(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
        // Ignored, as some have it who start others, it lets nobody know how a child has ended.
        signal(SIGCHLD, SIG_DFL)
        do {
            // From the C strings: Swift's texts have replaced the bytes that are not UTF-8 (S23).
            try checkArgumentBytes(Array(UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))))
            leave(try parseArguments(arguments).run())
        } catch {
            leave(report(error), because: "\(error)")
        }
    }

    /// Refuses a command line with an argument that is not UTF-8.
    ///
    /// As a text it would have other bytes: a path would name another file, or another folder, than the one that was
    /// meant.
    private static func checkArgumentBytes(_ arguments: [UnsafeMutablePointer<CChar>?]) throws(ToolError) {
        // Every word, before any is used: a path that was changed could be somebody else's file (S23).
        for (place, bytes) in arguments.enumerated() {
            guard let bytes, String(validatingCString: bytes) == nil else { continue }
            let name = quoted(String(cString: bytes))
            throw ToolError(.usage, "argument \(place) (\(name)) is not UTF-8, so what it names cannot be found; rename it")
        }
    }

    private static let work = Locked(Task<Void, Never>?.none)

    /// Cancels the launches of the command, and the question before them.
    static func cancelWork() { work.withLock { $0 }?.cancel() }

    /// Runs launches that a signal cancels.
    ///
    /// - Returns: the code of the signal that did; nil without one.
    static func launching(_ body: () async throws -> Void) async throws -> ExitCode? {
        try SignalThread.shared.launchBegan { cancelWork() }
        do {
            try await body()
        } catch {
            // After a signal, errors only follow from that.
            guard let signal = SignalThread.shared.launchEnded() else { throw error }
            return .interrupted(by: signal)
        }
        return SignalThread.shared.launchEnded().map(ExitCode.interrupted)
    }

    /// Runs launches on another thread, while this one, the main one, is free for the steps that need it.
    static func runBesideMainLoop(_ clock: ClockMode, _ run: @escaping @Sendable () async throws -> ExitCode) throws -> Never {
        try SignalThread.shared.begin()
        try LaunchThreads.check(clock)
        let task = Task.detached {
            do {
                leave(try await run())
            } catch {
                leave(report(error), because: "\(error)")
            }
        }
        work.withLock { $0 = task }
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    private static func leave(_ code: ExitCode, because reason: String? = nil) -> Never {
        // Before `exit`: no command may outlive the tool (L18).
        LiveChildren.end()
        LiveView.replace(by: nil)
        // A signal wins over other results: it may have closed the terminal, so that writing failed.
        let code = SignalThread.shared.first.map(ExitCode.interrupted) ?? code
        if code != .success, wantsJSON, !Output.hasWritten.withLock({ $0 }) {
            // A program that reads the output finds a document at each end, even after an error. If even that cannot be
            // written, the code says so.
            try? Output(nil).write(errorDocument(code, reason ?? "ended without a result"))
        }
        exit(code.rawValue)
    }

    /// Whether the command line asks for JSON. Its words alone decide, for it may be wrong.
    private static var wantsJSON: Bool {
        let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        return words.contains { ["--json", "--json-lines", "--format=json"].contains($0) }
            || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }

    /// The reason for having no result, in the format `sequencer.error/1`, described by `Schemas/error.schema.json`.
    private static func errorDocument(_ code: ExitCode, _ message: String) -> String {
        JSONTree.document(
            "sequencer.error/1",
            pretty: !CommandLine.arguments.contains("--json-lines"),
            ["exitCode": .number(Int(code.rawValue)), "message": .text(message)]
        )
    }

    /// Says what went wrong, in one sentence on standard error.
    private static func report(_ error: any Error) -> ExitCode {
        guard let error = error as? UsageError else {
            message("\(error)")
            return exitCode(of: error)
        }
        message(error.problem)
        Terminal.standardError.write(error.usage + "\n")
        return .usage
    }

    /// The exit code of the tool if a command throws this.
    static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is UsageError: .usage
        case let error as InputError: error.exitCode
        case let error as ToolError: error.exitCode
        case is OutputError: .cannotWrite
        case is StorageError: .noInput
        // A history that cannot be read or written says nothing about the launch.
        case let error as HistoryError where [.unwritable, .locked].contains(error.code): .cannotWrite
        case let error as HistoryError: error.code == .otherVersion ? .badData : .noInput
        case is ScenarioError, is ExportError: .badData
        // A problem of no operation is one of the budget or the options.
        case let error as GraphError:
            error.problems.allSatisfy { $0.positions.isEmpty && $0.code == .invalidOption } ? .usage : .badData
        default: .failed
        }
    }
}
