import Foundation

/// The effect on the launch when an operation does not succeed and has no fallback.
public enum FailurePolicy: String, NamedValue, Sendable {
    /// The launch ends as failed: no further operation starts, and running ones are told to cancel. When the milestone
    /// has ended, it is as ``skipDependents``, and ``LaunchReport/afterMilestone`` has failed. The default.
    case required
    /// Everything that depends on the operation, directly or not, is skipped; the rest of the launch continues.
    case skipDependents
    /// Dependents run as if the operation had succeeded; those that read its value are skipped, for it is missing. So
    /// is everything behind these, unless their own policy is `continue`.
    case `continue`

    /// The policy's name, as scenario files spell it.
    package var name: String { rawValue }
}

/// How often, and after which pauses, a failed operation is tried again: see
/// ``StepOption/retry(attempts:timeout:backoff:multiplier:maximumBackoff:jitter:unless:)``.
package struct RetryPolicy: Sendable, Hashable {
    package var attempts: Int
    /// The most that each attempt may take.
    package var timeout: Duration?
    package var backoff = Duration.milliseconds(50)
    package var multiplier = 2.0
    package var maximumBackoff = Duration.seconds(5)
    package var jitter = 0.1
}

extension RetryPolicy {
    package init(attempts: Int, timeout: Duration? = nil, backoff: Duration) {
        (self.attempts, self.timeout, self.backoff) = (attempts, timeout, backoff)
    }
}

/// Something only one operation may hold at a time, such as the screen.
///
/// An operation that waits for a resource holds no thread and no lane. When it is free again, the waiting operation
/// with the longest remaining path gets it. Each launch and each of its scopes has separate resources, but for
/// ``ofProcess``.
public struct ExclusiveResource: NamedLiteral, ExpressibleByStringInterpolation, Sendable, Hashable {
    package let name: String
    /// Whether it is one for all launches.
    var isOfProcess = false

    package init(_ name: String) { self.name = name }

    /// The screen and the user in front of it.
    public static let userInterface: ExclusiveResource = "ui"

    /// The same resource, shared by all launches of the process: a single step of any launch holds it at a time.
    ///
    /// ```swift
    /// graph.add("consent", .exclusive(.userInterface.ofProcess), on: .main) { await screens.askForConsent() }
    /// ```
    ///
    /// Of several launches, the first to ask has it first. Launches on a virtual clock share it with others on that
    /// clock.
    public var ofProcess: ExclusiveResource {
        var resource = self
        resource.isOfProcess = true
        return resource
    }

    /// Of operations that run one at a time. Nobody holds it for others.
    static let turn: ExclusiveResource = "one operation at a time"

    /// Whether both have one name: within a launch they are one resource, of the process or not.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A property of a step besides its identifier, its dependencies and its work.
///
/// ```swift
/// graph.add("force-update", .onFailure(.continue), .timeout(.seconds(1))) { launch in ... }
/// ```
///
/// Several conditions (``when(_:condition:)``), resources (``exclusive(_:)``) and events (``fulfills(_:)``) add up. Any
/// other option that has a value is given once: ``OperationGraph/validated()`` refuses a second one.
public struct StepOption: Sendable {
    let apply: @Sendable (inout StepPolicy) -> Void

    init(apply: @escaping @Sendable (inout StepPolicy) -> Void) { self.apply = apply }

    /// An option that a step can have once.
    init(single name: String, apply: @escaping @Sendable (inout StepPolicy) -> Void) {
        self.apply = { policy in
            if policy.given.contains(name) { policy.givenTwice.append(name) } else { policy.given.append(name) }
            apply(&policy)
        }
    }

    /// All of `options` as one, for lists that are put together elsewhere.
    public static func all(_ options: [StepOption]) -> StepOption {
        StepOption { policy in
            for option in options { option.apply(&policy) }
        }
    }

    /// Options on top of one another: of an option that a step can have once, that of the last layer counts.
    package static func layers(_ layers: [StepOption]) -> StepOption {
        StepOption { policy in
            for layer in layers {
                policy.given = []
                layer.apply(&policy)
            }
        }
    }

    /// A name for people: shown in timelines and drawings beside the identifier.
    public static func title(_ title: String) -> StepOption { StepOption(single: "title") { $0.title = title } }

    /// The effect when the operation does not succeed and has no fallback; ``FailurePolicy/required`` unless said.
    public static func onFailure(_ policy: FailurePolicy) -> StepOption {
        StepOption(single: "onFailure") { $0.onFailure = policy }
    }

    /// Ends the operation as timed out when it has not ended this long after its first start, its retries and pauses
    /// included.
    ///
    /// The operation is told to cancel and its lane continues with other work, even when its code never returns. The
    /// step's condition, before it, and the computing of its fallback, after it, have as much time each.
    public static func timeout(_ timeout: Duration) -> StepOption { StepOption(single: "timeout") { $0.timeout = timeout } }

    /// Begins the operation this long after it could have begun: for work that is to keep out of the way for a while.
    ///
    /// ```swift
    /// // 3 s after the milestone:
    /// graph.add("prefetch", .delay(.seconds(3)), after: home) { try await images.prefetch() }
    /// ```
    ///
    /// Meanwhile it holds no lane, no thread and no exclusive resource. The time is in no timeout; in reports it is a
    /// part of the operation's wait. A condition without values is asked after it. The launch, and its deadline, go on.
    /// In a launch that is stopped, one that runs whatever happens (``always``) begins without it, and no other begins.
    ///
    /// - Parameter delay: more than 0 and at most 24 hours.
    public static func delay(_ delay: Duration) -> StepOption { StepOption(single: "delay") { $0.delay = delay } }

    /// Tries a failed operation again, after a pause.
    ///
    /// The pause before attempt `k + 1` is `backoff · multiplierᵏ⁻¹`, at most `maximumBackoff`, then moved at random by
    /// up to ± `jitter` of itself, so that many devices do not come back in step. An operation in its pause holds no
    /// lane, no thread and no exclusive resource. An attempt that could not start before the operation's timeout is not
    /// waited for: the operation fails at once.
    ///
    /// A `timeout` ends an attempt that hangs, also in a function that never calls back: the attempt is told to cancel,
    /// its lane continues with other work, and the next attempt follows as after a failure. Its code may still run
    /// then. When the last attempt is ended so, the operation has timed out. The time of all attempts together, with
    /// the pauses, is limited by ``timeout(_:)``; that should leave time for a second attempt.
    ///
    /// ```swift
    /// graph.add("log-in", .retry(attempts: 3, timeout: .seconds(2), unless: { $0 is WrongPassword })) { try await accounts.logIn() }
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts in all, the first included: 1 to 100.
    ///   - timeout: the most that each attempt may take, counted as by ``timeout(_:)``; nil for no such limit.
    ///   - backoff: the pause before the second attempt.
    ///   - multiplier: what each further pause is multiplied by: 1 or more.
    ///   - maximumBackoff: the longest pause.
    ///   - jitter: the share of a pause that chance may add or take: 0 to 1.
    ///   - isFinal: whether no further attempt can help after this error. It is asked after each attempt that has
    ///     thrown one, on the thread that met it, within the time of the attempt.
    public static func retry(
        attempts: Int,
        timeout: Duration? = nil,
        backoff: Duration = .milliseconds(50),
        multiplier: Double = 2,
        maximumBackoff: Duration = .seconds(5),
        jitter: Double = 0.1,
        unless isFinal: (@Sendable (any Error) -> Bool)? = nil
    ) -> StepOption {
        var policy = RetryPolicy(attempts: attempts, timeout: timeout, backoff: backoff)
        (policy.multiplier, policy.maximumBackoff, policy.jitter) = (multiplier, maximumBackoff, jitter)
        return .retry(policy, unless: isFinal)
    }

    package static func retry(_ policy: RetryPolicy, unless isFinal: (@Sendable (any Error) -> Bool)? = nil) -> StepOption {
        StepOption(single: "retry") { ($0.retry, $0.isFinal) = (policy, isFinal) }
    }

    /// Runs the step only when `condition` is true; otherwise it is skipped and its dependents run.
    ///
    /// ```swift
    /// graph.add("tutorial", .when { isFirstLaunch }) { ... }
    /// graph.add("new-home", .when(config) { $0.newHome }) { ... }
    /// ```
    ///
    /// With several conditions, all of them have to be true: each is asked by itself, and the first that is false skips
    /// the step, whether or not the values of the others are there.
    ///
    /// The steps whose values it reads become dependencies. When one of the values does not exist, the step is skipped
    /// as one that reads it with `using:` would be.
    ///
    /// A condition that reads values is asked as soon as they are there, and a lane, or the main thread, is free. If it
    /// is false, the step is skipped then, and
    /// waits for nothing else, whatever the others come to: a step behind it that needs what the skipped one would have
    /// waited for waits for that itself. A condition that reads no values, or values of the prologue alone, is asked
    /// when the step could start: what it looks at may be the work of a step in `after:`.
    ///
    /// A step that is skipped leaves no value, nor does its fallback: a step that reads the value reads it as
    /// `Step.optional`, or has a condition too and is skipped with it, whose dependents then run as well.
    /// ``OperationGraph/validated()`` finds other readers.
    ///
    /// Each condition is called once at most, on the thread the step would run on. A condition that throws fails the
    /// operation; a condition that has not answered within the step's timeout ends it as timed out.
    public static func when<each Input: Sendable>(
        _ steps: repeat Step<each Input>,
        condition: @escaping @Sendable (repeat each Input) throws -> Bool
    ) -> StepOption {
        StepOption { policy in
            // Dependencies are made of these when the step is added.
            var inputs: [StepInput] = []
            for step in repeat each steps { inputs += step.inputs }
            policy.conditions.append(
                StepCondition(inputs: inputs) { context in try condition(repeat try context.input(each steps)) }
            )
        }
    }

    /// Skips the step in every launch of this graph, as a condition that is false does: no path counts it.
    package static let switchedOff = StepOption { policy in
        (policy.conditions, policy.expected, policy.isSwitchedOff) = ([.never], .zero, true)
    }

    /// Holds these resources while the operation runs: no two operations hold the same one at the same time, unless
    /// ``OperationGraph/limit(_:to:)`` lets more do so.
    public static func exclusive(_ resources: ExclusiveResource...) -> StepOption {
        StepOption { policy in
            // Each once: a resource counts one unit for each time that it is in the list.
            for resource in resources {
                if !policy.exclusive.contains(resource) { policy.exclusive.append(resource) }
                if resource.isOfProcess { policy.claims.insert(resource.name) }
            }
        }
    }

    /// Marks an operation that waits for the user: the time during which one runs does not count against the budget.
    ///
    /// Nor does it count towards the launch's deadline, see ``LaunchOptions/deadline``, and a `LaunchHistory` does not
    /// record it. The operation's own timeout runs on meanwhile; during ``StepContext/waitForPerson(_:)`` it stands
    /// still.
    ///
    /// All time from the operation's start to its end is the user's, and its report reads as interactive whenever it
    /// ran, whether or not it has asked. A step that asks only sometimes is not marked: it asks within
    /// ``StepContext/waitForPerson(_:)``.
    public static let interactive = StepOption { $0.isInteractive = true }

    /// Marks an operation that may run after the milestone: it does when, by the time it could start, it is not
    /// expected to end within the budget.
    ///
    /// Steps that wait for it continue without it then, however late, so they read its value as `Step.optional`. The
    /// milestone itself cannot be deferrable.
    public static let deferrable = StepOption { $0.isDeferrable = true }

    /// The operation may be cut to keep the budget: ended early, with its fallback's value, when the operations after
    /// it need the rest of the time, and ending it can still save the budget. It needs a fallback, which without this
    /// is for failures and timeouts alone.
    ///
    /// For values that are better stale than late, such as a configuration; not for those that the user would miss,
    /// such as the tabs that were open.
    public static let cuttable = StepOption { $0.isCuttable = true }

    /// Runs the step always: it begins when the steps that it waits for have ended, in any way, also in a
    /// launch that has failed, was aborted or was cancelled. For work that must clean up after them.
    ///
    /// ```swift
    /// graph.add("remove-downloads", .always, .timeout(.seconds(2)), after: download, unpack) { files.removeAll() }
    /// ```
    ///
    /// A launch that is stopped does not tell it to cancel, begins it when those before it have ended or were left
    /// behind, and ends after it: give it a timeout. It is tried once then, and its fallback is not computed. The
    /// launch's deadline ends it as it ends others, and then, or in a launch that was cancelled before it began, it
    /// does not begin. It reads values as `Step.optional`.
    public static let always = StepOption { $0.isAlways = true }

    /// Shields the operation, once it has begun, from the end of its launch: when that is cancelled, is aborted or
    /// fails, the operation is not told to cancel, and the launch ends after it.
    ///
    /// ```swift
    /// graph.add("clear-data", .cancellationShield, .timeout(.seconds(5))) { try await store.clear() }
    /// ```
    ///
    /// For work that must not be left half done, also in an app that cancels its launch when it goes to the background.
    /// An attempt that has begun is the last one then, and no fallback is computed. Where the launch is stopped before,
    /// the operation does not begin. Its timeout, the launch's deadline, and ``RunningLaunch/cancel(_:)`` of the
    /// operation itself end it as they end others: with one of the first two, a launch ends in any case.
    public static let cancellationShield = StepOption { $0.isShielded = true }

    /// Ends the others of these steps, for which it waits, when the first has succeeded: for a graph that was read.
    package static func first(of ids: [String]) -> StepOption { StepOption { $0.racers = ids } }

    /// The step stays in every launch. A launch after crashes leaves out steps that the milestone does not need, but
    /// not this one, nor any of its direct and indirect dependencies: steps whose values it reads in any way, for which
    /// it waits, and which fulfil an event (``fulfills(_:)``) that it waits for. After crashes in just these it comes
    /// after the milestone, or uses the replacement of a dependency.
    ///
    /// For steps that may be the way out, such as the check for an update, and for steps that no launch may get past.
    /// ``OperationGraph/skip(_:because:)`` still leaves it out.
    public static let essential = StepOption { $0.isEssential = true }

    /// The quality of service the operation runs at, on a lane; unless said, that of the launch (`qualityOfService` of
    /// ``LaunchOptions``). The threads of a queue of the app's have the queue's.
    public static func qualityOfService(_ qos: QualityOfService) -> StepOption {
        StepOption(single: "qualityOfService") { $0.qualityOfService = qos }
    }

    /// How long the operation is expected to take: orders work when lanes are scarce, and feeds critical paths and
    /// plans.
    public static func expected(_ duration: Duration) -> StepOption {
        // A `Double` of seconds is seldom a whole number of nanoseconds, which plans and reports count in.
        StepOption(single: "expected") { $0.expected = duration.roundedToNanoseconds }
    }

    /// The expected time of an interactive operation is its own, without the user, and so is all of its time: for a
    /// graph that was read.
    package static let expectsOwnTime = StepOption { ($0.expectsOwnTime, $0.saysWhenItAsks) = (true, true) }

    /// A substitute for the step's value when the step is left out on purpose, see ``OperationGraph/skip(_:because:)``.
    ///
    /// It makes a required step one that can be left out. When the step runs, it means nothing: one that fails has
    /// failed. A value of another type than the step's own does not count.
    public static func substitute(_ value: some Sendable) -> StepOption {
        StepOption(single: "substitute") { $0.substitute = value }
    }

    /// Marks the step, such as `main-app`, whose end stops the budget's clock and ends the launch proper: its outcome
    /// is final then, and later operations are in ``LaunchReport/afterMilestone``. At most one step of a graph.
    public static let milestone = StepOption { $0.isMilestone = true }

    /// Marks the step that brings the app's first frame on the screen, such as a skeleton of its main screen. At most
    /// one step of a graph.
    ///
    /// ```swift
    /// let skeleton = graph.add("skeleton", .initialDisplay, after: splash, on: .main) { await screen.showSkeleton() }
    /// graph.add("main-app", .milestone, using: feed, after: skeleton, on: .main) { feed in await screen.show(feed) }
    /// ```
    ///
    /// When lanes or resources are scarce, operations for the initial display go first, then those for the milestone,
    /// then the rest. Only the milestone ends the launch proper and stops the budget's clock;
    /// ``Budget/init(_:initialDisplay:fromProcessStart:isEnforced:)`` has a budget of the display's own. An initial
    /// display that is not ready by then is not a goal any more. In a graph without a milestone, the launch ends with
    /// its last operation, as always.
    ///
    /// The terms are those of Android's launch metrics: time to initial display (TTID); the milestone is the full
    /// display (TTFD).
    public static let initialDisplay = StepOption { $0.isInitialDisplay = true }

    /// Of an interactive operation, only the time in ``StepContext/waitForPerson(_:)`` is the user's: a server that
    /// is slow before or after the question counts. Drawings stay as they are; the expected duration is the user's,
    /// until past launches tell the operation's own.
    package static let saysWhenItAsks = StepOption { $0.saysWhenItAsks = true }

    /// The user whom the operation waits for is shown something, and asked nothing: what follows is not of their doing.
    package static let asksNothing = StepOption { $0.asksNothing = true }

    /// Whether a step on the main thread spends its time suspended, so that others have the main thread meanwhile. A
    /// plan has to be told, for nobody sees in a closure whether it suspends. Unless said, a step that waits for a
    /// user does, since the answer comes on the main thread, and no other does.
    package static func suspends(_ suspends: Bool) -> StepOption {
        StepOption(single: "suspends") { $0.isSaidToSuspend = suspends }
    }
}

/// A substitute for an operation's value when it fails, times out or is cancelled on its own.
@usableFromInline
enum StepFallback: Sendable {
    case value(any Sendable)
    case compute(@Sendable (StepContext, (any Error)?) -> any Sendable)

    /// The fallback that was written; nil when none was.
    @inlinable
    static func of<Result: Sendable>(_ value: Result?, _ make: (@Sendable (StepContext, (any Error)?) -> Result)?) -> StepFallback? {
        if let make { return .compute { make($0, $1) } }
        return value.map { .value($0) }
    }
}

/// A condition that decides whether a step runs.
struct StepCondition: Sendable {
    static let never = StepCondition { _ in false }

    /// The steps whose values it reads: it is asked as soon as they are there. Without one, when the step could start.
    var inputs: [StepInput] = []
    let isTrue: @Sendable (StepContext) throws -> Bool
}

/// Everything said about a step besides its identifier, its dependencies and its work.
package struct StepPolicy: Sendable {
    package var title: String?
    package var onFailure = FailurePolicy.required
    package var timeout: Duration?
    /// How much later it begins than it could.
    package var delay: Duration?
    package var retry: RetryPolicy?
    /// Whether nothing is tried again after an error.
    var isFinal: (@Sendable (any Error) -> Bool)?
    /// Its timeout, or that of each attempt.
    package var shortestTimeout: Duration? { [timeout, retry?.timeout].compactMap(\.self).min() }
    /// All of them have to be true.
    var conditions: [StepCondition] = []
    var isConditional: Bool { !conditions.isEmpty }
    /// Whether the condition is known to be false.
    package var isSwitchedOff = false
    package var exclusive: [ExclusiveResource] = []
    /// The names of those that are one for all launches of the process.
    package var claims: Set<String> = []
    package var isInteractive = false
    var saysWhenItAsks = false
    var asksNothing = false
    /// Whether all of the step's time is the user's.
    var isPersonsTime: Bool { isInteractive && !saysWhenItAsks }
    /// Whether the expected duration is the step's own, without the user, as it is when it comes from past launches.
    var expectsOwnTime = false
    /// Whether the expected duration is the user's, and so does not count against a budget.
    package var isExpectedOfPerson: Bool { isInteractive && !expectsOwnTime }
    var isSaidToSuspend: Bool?
    /// Whether a step on the main thread leaves that to others while it lasts.
    var suspends: Bool { isSaidToSuspend ?? isInteractive }
    package var isDeferrable = false
    /// Whether it runs within the start of the launch, before all else.
    var isInPrologue = false
    package var isCuttable = false
    /// Whether it also runs after steps that did not succeed, and in a launch that is stopped.
    package var isAlways = false
    /// Whether, once it has begun, it is not told to cancel by a launch that is stopped.
    package var isShielded = false
    /// The identifiers of the steps of which it takes the first; nil where it does not take one.
    package var racers: [String]?
    /// Whether recovery leaves the step in, even after crashes.
    var isEssential = false
    /// The screen that is shown while the step takes long.
    var slowScreen: SlowScreen?
    var qualityOfService: QualityOfService?
    package var expected: Duration?
    var isMilestone = false
    var isInitialDisplay = false
    var fallback: StepFallback?
    package var hasFallback: Bool { fallback != nil }
    /// The user's time does not count against a budget.
    var canBeCut: Bool { isCuttable && hasFallback && !isPersonsTime }
    /// Takes the value's place when the step is left out.
    var substitute: (any Sendable)?
    /// Why the step is left out; nil when it is not.
    var skipReason: String?
    /// The events from outside that the step's end settles.
    var events: [PromisedEvent] = []
    /// The identifiers of steps that bring about the event that this one waits for, besides those that promise it.
    var eventSources: [String] = []
    /// The held values that are released once the step, and others, have ended.
    var holds: [HeldRange] = []
    /// The range that it takes for other steps; its resources are held as long.
    var taking: HeldRange?
    /// Further notes about the step in the report, besides its own.
    var notes: [String] = []
    /// The Foundation operation that the step's closure runs, if a fault was injected into one.
    var operation: Operation?
    /// Whether the step's Foundation operation is started on the main thread.
    var startsOnMain = false
    /// The steps whose values this one reads, each with the type it was promised.
    var inputs: [StepInput] = []
    /// While options are applied: those, of the ones that a step can have once, that this layer has named.
    var given: [String] = []
    /// The options that were given more than once.
    var givenTwice: [String] = []

    // Made once: most steps have the standard policy, and each is asked for its policy again and again.
    static let standard = StepPolicy()
}
