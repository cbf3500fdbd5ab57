/// Something that went wrong during a launch and did not change how any operation ended.
///
/// Its description is one sentence: `login finished more than once; only the first time counted`.
public struct Anomaly: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of anomaly. A report from a later version may contain others.
    public struct Kind: NamedValue, Sendable, Hashable {
        /// The name in saved reports.
        package let name: String

        /// The operation finished a second time.
        public static let finishedAgain = Kind(name: "finishedAgain")
        /// The operation's code returned after the operation had ended, for instance after its timeout.
        public static let endedLate = Kind(name: "endedLate")
        /// The operation called ``StepContext/abort(_:takeover:)`` after it, or that attempt, had ended.
        static let abortedTooLate = Kind(name: "abortedTooLate")
        /// The operation was told to cancel, and its cancel handler (`onCancel:`, `didCancel()`) did not return.
        /// Nothing waited for it.
        static let cancelHandlerBlocked = Kind(name: "cancelHandlerBlocked")
        /// The operation waited in real time for longer than its `VirtualClock` has patience. Virtual time continued
        /// without it.
        static let waitedInRealTime = Kind(name: "waitedInRealTime")
        /// The process stood still while the launch ran, stopped by a signal or a debugger.
        static let processStoodStill = Kind(name: "processStoodStill")
        /// Operations that had ended kept threads, because their code did not return.
        static let threadsLeftBehind = Kind(name: "threadsLeftBehind")
        /// The report does not say which kind it is.
        static let unknown = Kind(name: "unknown")
    }

    /// The kind of anomaly.
    public let kind: Kind
    /// The operation's identifier; nil for an anomaly of the whole process.
    public internal(set) var operation: String?
    /// For ``Kind/endedLate``, the time between the operation's end and the return of its code; for
    /// `processStoodStill`, how long the process stood still; otherwise nil.
    package internal(set) var duration: Duration?
    // Kept, and not made of the kind: a report of a later version may have kinds that this one has no words for.
    /// The anomaly, in one sentence.
    public let description: String
}

extension Anomaly {
    init(_ kind: Kind, of operation: String, after duration: Duration? = nil) {
        let sentence =
            switch kind {
            case .finishedAgain: "finished more than once; only the first time counted"
            case .cancelHandlerBlocked: "was told to cancel, and its cancel handler does not return"
            case .endedLate: "came to its end \(durationText(duration ?? .zero)) after it had ended; its result was dropped"
            case .abortedTooLate: "aborted the launch after it had ended; that changed nothing"
            case .waitedInRealTime: "waited for something that is not on the virtual clock, which went on without it"
            // Kinds of the whole process have special sentences, below.
            default: kind.name
            }
        self.init(kind: kind, operation: operation, duration: duration, description: "\(operation) \(sentence)")
    }

    static func processStoodStill(for duration: Duration) -> Anomaly {
        let sentence = "the process stood still for \(durationText(duration)) while the launch ran"
        return Anomaly(kind: .processStoodStill, duration: duration, description: sentence)
    }

    static func threadsLeftBehind(_ count: Int) -> Anomaly {
        let threads = count == 1 ? "1 thread was" : "\(count) threads were"
        return Anomaly(kind: .threadsLeftBehind, description: "\(threads) left behind, in operations that had ended and did not return")
    }
}
