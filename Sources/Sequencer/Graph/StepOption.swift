import Foundation

/// What happens to the launch when an operation does not succeed and has no fallback.
public struct FailurePolicy: Sendable, Hashable, CustomStringConvertible {
    enum Kind: UInt8, Sendable {
        case required, skipDependents, `continue`
    }

    let kind: Kind

    /// The launch ends as failed: what has not started never starts, what runs is told to cancel. The default.
    public static let required = FailurePolicy(kind: .required)
    /// Everything that depends on the operation, directly or not, is skipped; the rest of the launch goes on.
    public static let skipDependents = FailurePolicy(kind: .skipDependents)
    /// Dependents run as if the operation had succeeded; those that read its value are skipped, for there is none.
    public static let `continue` = FailurePolicy(kind: .continue)

    /// The policy's name, as scenario files spell it.
    public var description: String {
        switch kind {
        case .required: "required"
        case .skipDependents: "skipDependents"
        case .continue: "continue"
        }
    }
}

/// How often, and after which pauses, a failed operation is tried again.
///
/// The pause before attempt `k + 1` is `backoff · multiplierᵏ⁻¹`, at most `maximumBackoff`, then moved at random by up to ± `jitter` of itself,
/// so that many devices do not come back in step. An operation in its pause holds no lane, no thread and no exclusive resource. An attempt
/// that could not start before the operation's timeout is not waited for: the operation fails at once.
public struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts in all, the first included: 1 to 100.
    public var attempts: Int
    /// The pause before the second attempt.
    public var backoff: Duration
    /// What each further pause is multiplied by: 1 or more.
    public var multiplier: Double
    /// The longest pause.
    public var maximumBackoff: Duration
    /// The share of a pause that chance may add or take: 0 to 1.
    public var jitter: Double

    /// A policy of `attempts` in all, with pauses that start at `backoff` and grow by `multiplier`.
    public init(
        attempts: Int,
        backoff: Duration = .milliseconds(50),
        multiplier: Double = 2,
        maximumBackoff: Duration = .seconds(5),
        jitter: Double = 0.1
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.multiplier = multiplier
        self.maximumBackoff = maximumBackoff
        self.jitter = jitter
    }
}

/// Something only one operation may hold at a time, such as the screen.
///
/// An operation that waits for a resource holds no thread and no lane. When it is free again, the waiting operation with the longest
/// remaining path gets it.
public struct ExclusiveResource: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
    /// The resource's name.
    public let rawValue: String

    /// The resource named `rawValue`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The resource named by a string literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The screen and the person in front of it.
    public static let userInterface: ExclusiveResource = "ui"
}

/// One thing said about a step besides its identifier, its dependencies and its work.
///
/// ```swift
/// graph.add("force-update", .onFailure(.continue), .timeout(.seconds(1))) { launch in ... }
/// ```
public struct StepOption: Sendable {
    let apply: @Sendable (inout StepPolicy) -> Void

    /// All of `options` as one, for lists that are put together elsewhere.
    public static func all(_ options: [StepOption]) -> StepOption {
        StepOption { policy in
            for option in options { option.apply(&policy) }
        }
    }

    /// A name for people: shown in timelines and drawings beside the identifier.
    public static func title(_ title: String) -> StepOption {
        StepOption { $0.title = title }
    }

    /// What happens when the operation does not succeed and has no fallback; ``FailurePolicy/required`` unless said.
    public static func onFailure(_ policy: FailurePolicy) -> StepOption {
        StepOption { $0.onFailure = policy }
    }

    /// Ends the operation as timed out when it has not ended this long after its first start, its retries and pauses included.
    ///
    /// The operation is told to cancel and its lane goes on with other work, even when its code never returns.
    public static func timeout(_ timeout: Duration) -> StepOption {
        StepOption { $0.timeout = timeout }
    }

    /// Tries a failed operation again.
    public static func retry(_ policy: RetryPolicy) -> StepOption {
        StepOption { $0.retry = policy }
    }

    /// Tries a failed operation again, up to `attempts` attempts in all, with pauses that start at `backoff` and double.
    public static func retry(attempts: Int, backoff: Duration = .milliseconds(50)) -> StepOption {
        .retry(RetryPolicy(attempts: attempts, backoff: backoff))
    }

    /// Runs the step only when `condition` is true at the moment it could start; otherwise it is skipped and its dependents run.
    ///
    /// The condition is called once, on the thread the step would run on. One that throws fails the operation.
    public static func when(_ condition: @escaping @Sendable () throws -> Bool) -> StepOption {
        StepOption { $0.condition = condition }
    }

    /// Holds these resources while the operation runs: no two operations hold the same one at the same time.
    public static func exclusive(_ resources: ExclusiveResource...) -> StepOption {
        .exclusive(resources)
    }

    /// Holds these resources while the operation runs: no two operations hold the same one at the same time.
    public static func exclusive(_ resources: [ExclusiveResource]) -> StepOption {
        StepOption { policy in
            for resource in resources where !policy.exclusive.contains(resource) { policy.exclusive.append(resource) }
        }
    }

    /// Marks an operation that waits for a person: the time during which one runs does not count against the budget.
    public static let interactive = StepOption { $0.isInteractive = true }

    /// Marks an operation that may run after the milestone: it does when, by the time it could start, it is not expected to end within the budget.
    ///
    /// Whatever waits for it goes on without it then, so what reads its value reads it as ``Step/optional``.
    public static let deferrable = StepOption { $0.isDeferrable = true }

    /// The quality of service the operation runs at; the launch's own unless said.
    public static func qualityOfService(_ qos: QualityOfService) -> StepOption {
        StepOption { $0.qualityOfService = qos }
    }

    /// How long the operation is expected to take: orders work when lanes are scarce, and feeds critical paths and plans.
    public static func expected(_ duration: Duration) -> StepOption {
        StepOption { $0.expected = duration }
    }

    /// What takes the place of the step's value when the step is left out on purpose, see ``OperationGraph/skip(_:because:)``.
    ///
    /// It makes a required step one that can be left out. When the step runs, it means nothing: one that fails has failed. A value that is not
    /// of the step's own type is none.
    public static func substitute(_ value: some Sendable) -> StepOption {
        StepOption { $0.substitute = value }
    }

    /// Marks the step whose end stops the budget's clock, such as `main-app`. One step of a graph at most.
    public static let milestone = StepOption { $0.isMilestone = true }
}

/// The value that takes the place of an operation's own when it fails, times out or is cancelled on its own.
///
/// An operation that has one never fails its launch: it ends as ``Outcome/fellBack``.
public struct Fallback<Value: Sendable>: Sendable {
    @usableFromInline
    let erased: Boxed<StepFallback>

    /// This value.
    public static func value(_ value: Value) -> Fallback {
        Fallback(erased: Boxed(.value(value)))
    }

    /// What `make` returns for the error that was met (nil when the operation was cancelled without one).
    ///
    /// It is called once, outside every lock, on a lane.
    public static func compute(_ make: @escaping @Sendable ((any Error)?) -> Value) -> Fallback {
        Fallback(erased: Boxed(.compute { _, error in make(error) }))
    }

    /// What `make` returns for the error that was met, knowing the launch: to ``Launch/note(_:)`` what took the value's place.
    ///
    /// It is called once, outside every lock, on a lane.
    public static func compute(_ make: @escaping @Sendable (Launch, (any Error)?) -> Value) -> Fallback {
        Fallback(erased: Boxed(.compute { make($0, $1) }))
    }
}

/// A ``Fallback`` without its type.
@usableFromInline
enum StepFallback: Sendable {
    case value(any Sendable)
    case compute(@Sendable (Launch, (any Error)?) -> any Sendable)
}

/// Everything said about a step besides its identifier, its dependencies and its work.
struct StepPolicy: Sendable {
    var title: String?
    var onFailure = FailurePolicy.required
    var timeout: Duration?
    var retry: RetryPolicy?
    var condition: (@Sendable () throws -> Bool)?
    var exclusive: [ExclusiveResource] = []
    var isInteractive = false
    var isDeferrable = false
    var qualityOfService: QualityOfService?
    var expected: Duration?
    var isMilestone = false
    var fallback: StepFallback?
    /// Takes the value's place when the step is left out.
    var substitute: (any Sendable)?
    /// Why the step is left out; nil when it is not.
    var skipReason: String?
    /// What the report says about the step besides what it notes itself.
    var notes: [String] = []
    /// The Foundation operation that the step's closure runs, if a fault was injected into one.
    var operation: Operation?
    /// The steps whose values this one reads, each with the type it was promised.
    var inputs: [(id: String, type: Any.Type)] = []
    /// What the step itself produces; said by how it was added.
    var valueType: any Sendable.Type = Void.self

    static let standard = StepPolicy()
}
