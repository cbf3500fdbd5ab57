import Sequencer
import StartupStorage

extension StepContext {
    /// When this operation has to have ended: at its timeout or at the launch's deadline, whichever comes first.
    public var deadline: Deadline { remainingTime.map { .after($0) } ?? .never }
}
