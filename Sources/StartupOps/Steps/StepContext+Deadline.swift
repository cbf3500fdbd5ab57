import Sequencer
import StartupStorage

extension StepContext {
    /// When this operation must have ended: at its timeout or at the launch's deadline, the earlier of the two.
    public var deadline: Deadline { remainingTime.map { .after($0) } ?? .never }
}
