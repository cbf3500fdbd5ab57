/// Something an operation did that it should not have done; it changed nothing.
public struct Anomaly: Sendable, Hashable, CustomStringConvertible {
    /// What it did.
    public enum Kind: Sendable, Hashable {
        /// It finished a second time.
        case finishedAgain
        /// Its code came to its end this long after the operation had ended, for instance after its timeout.
        case endedLate(by: Duration)
    }

    /// The operation's identifier.
    public let operation: String
    /// What it did.
    public let kind: Kind

    /// One sentence.
    public var description: String {
        switch kind {
        case .finishedAgain: "\(operation) finished more than once; only the first time counted"
        case .endedLate(let delay): "\(operation) came to its end \(delay) after it had ended; its result was dropped"
        }
    }
}
