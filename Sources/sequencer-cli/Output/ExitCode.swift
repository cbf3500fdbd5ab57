import Foundation
import Sequencer
import SequencerAnalysis

/// The result of the tool, for the program that started it.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// All went well, an improvement included.
    case success = 0
    /// A launch failed or was cancelled.
    case failed = 1
    /// A launch completed, but over its budget, or without its milestone.
    case overBudget = 3
    /// Launches have become slower, or their operations end otherwise.
    case regression = 4
    /// There is too little to say whether launches have become slower, or how long one takes, and that was to be an
    /// error.
    case inconclusive = 5
    /// A launch was stopped on purpose: an update is required. Or it had ended when the update check said so.
    case aborted = 6
    /// The command line asks for nothing that exists.
    case usage = 64
    /// A scenario, or another input, is invalid.
    case badData = 65
    /// An input does not exist or cannot be read.
    case noInput = 66
    /// The result cannot be written.
    case cannotWrite = 73
    /// Ended by SIGHUP: the terminal is gone.
    case hungUp = 129
    /// Ended by SIGINT: Ctrl-C.
    case interrupted = 130
    /// Ended by SIGQUIT.
    case quit = 131
    /// Ended by SIGTERM.
    case terminated = 143

    /// The code of a process that a signal has ended, however clean its end was.
    static func interrupted(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) ?? .interrupted }

    /// The code for the forecast of a launch, from its report in virtual time, without a deadline.
    ///
    /// - Parameter deadline: when it will be ended; nil for never.
    init(foreseen report: LaunchReport, deadline: Duration?) {
        let code = ExitCode(of: report)
        // A launch that its deadline ends fails, even within its budget.
        self = [.success, .overBudget].contains(code) && !report.isWithin(deadline) ? .failed : code
    }

    /// The code for a launch's report. A launch that did not complete is judged by that alone, not by its budget.
    ///
    /// - Parameter isStrict: whether an operation counts that did not do its work though it was wanted, a failure after
    ///   the milestone, and virtual time that tells nothing.
    init(of report: LaunchReport, isStrict: Bool = false) {
        let later = report.afterMilestone
        switch (report.outcome, later?.outcome) {
        // An aborted launch after the milestone still completed, and an update is still required.
        case (.aborted, _), (.completed, .aborted?): self = .aborted
        case (.failed, _), (.cancelled, _): self = .failed
        case (.completed, _) where !report.isWithinBudgets: self = .overBudget
        case (.completed, _):
            let isLaterFlawless = later.map { $0.outcome == .completed && $0.failures.isEmpty } ?? true
            let isFlawless = isLaterFlawless && report.troubled(of: report.operations).isEmpty
            self = !isStrict ? .success : !isFlawless ? .failed : report.unknownTimes.tellNothing ? .inconclusive : .success
        }
    }
}

extension LaunchReport {
    /// Whether the launch proper has ended when a deadline comes.
    ///
    /// The user's time counts, as it does in a launch of the tool that nobody answers.
    func isWithin(_ deadline: Duration?) -> Bool { deadline.map { endOfLaunchProper <= $0 } ?? true }
}

/// An error with a special exit code.
struct ToolError: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let description: String

    init(_ exitCode: ExitCode, _ description: String) { (self.exitCode, self.description) = (exitCode, description) }
}
