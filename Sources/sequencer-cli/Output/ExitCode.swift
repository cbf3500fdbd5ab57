import Foundation
import Sequencer

/// What the tool tells whoever started it.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// All went well, an improvement included.
    case success = 0
    /// A launch failed or was cancelled.
    case failed = 1
    /// A launch completed, but over its budget.
    case overBudget = 3
    /// Launches have become slower.
    case regression = 4
    /// There is too little to say whether launches have become slower, and that was to be an error.
    case inconclusive = 5
    /// A launch was stopped on purpose: an update is required.
    case aborted = 6
    /// The command line asks for nothing that exists.
    case usage = 64
    /// A scenario, or another input, is not what it should be.
    case badData = 65
    /// An input does not exist or cannot be read.
    case noInput = 66
    /// The result cannot be written.
    case cannotWrite = 73
    /// Interrupted from the keyboard, after a clean cancel.
    case interrupted = 130
    /// Told to end by SIGTERM, after a clean cancel.
    case terminated = 143

    /// The code after a clean cancel because of a signal.
    static func interrupted(by signal: Int32) -> ExitCode { signal == SIGTERM ? .terminated : .interrupted }

    /// What a launch's report says. A launch that did not complete is judged by that alone, whatever became of its budget.
    init(of report: LaunchReport) {
        switch report.outcome {
        case .aborted: self = .aborted
        case .failed, .cancelled: self = .failed
        case .completed: self = report.budget.isMet ? .success : .overBudget
        }
    }
}
