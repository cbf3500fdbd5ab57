import Sequencer

/// What the tool tells its caller when it ends.
struct ExitCode: Equatable, Sendable {
    let rawValue: Int32

    /// All went well.
    static let success = ExitCode(rawValue: 0)
    /// The launch failed or was cancelled.
    static let failed = ExitCode(rawValue: 1)
    /// The launch completed, over its budget.
    static let overBudget = ExitCode(rawValue: 3)
    /// The launch was aborted, as by a force-update verdict.
    static let aborted = ExitCode(rawValue: 6)
    /// The command line makes no sense.
    static let usage = ExitCode(rawValue: 64)
    /// The scenario makes no sense.
    static let badData = ExitCode(rawValue: 65)
    /// There is no such scenario or file, or it cannot be read.
    static let noInput = ExitCode(rawValue: 66)
    /// The output cannot be written.
    static let cannotWrite = ExitCode(rawValue: 73)

    /// Ended by a signal, after a clean cancel: 130 for Ctrl-C.
    static func interrupted(by signal: Int32) -> ExitCode {
        ExitCode(rawValue: 128 + signal)
    }

    private init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// What a launch came to.
    init(of report: LaunchReport) {
        switch report.outcome {
        case .completed: self = report.budget.isMet ? .success : .overBudget
        case .aborted: self = .aborted
        case .failed, .cancelled: self = .failed
        }
    }
}
