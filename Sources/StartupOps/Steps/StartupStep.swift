import Sequencer

/// A step of the built-in scenarios as one value: its name, its thread, its usual time and its work.
///
/// `Work` is the type of the closure that does the work. It says what the step reads and produces, and whether it runs
/// on the main actor, so the compiler checks a replacement: see ``StartupSteps``.
///
/// A new step is a file with a `static var` of this type, and one line where a scenario lists it. An app writes its own
/// in the same way:
///
/// ```swift
/// extension StartupStep where Work == ScreenWork {
///     static var news: Self {
///         Self("news", "Show the news", expected: .milliseconds(200), simulated: { $0.screenWork }) { environment in
///             { step in await newsScreen.show(in: environment.app.version) }
///         }
///     }
/// }
///
/// let scenario = Scenario("news", "The news, then the main screen.") { graph, steps in
///     graph.add(.news, of: steps)
/// }
/// ```
public struct StartupStep<Work: Sendable>: Sendable {
    /// The identifier, in graphs, reports and on the command line.
    public let id: String
    /// The step's name for people.
    let title: String
    /// How long it is expected to take.
    let expected: Duration
    /// Everything else that is true of the step in every scenario.
    let options: StepOption
    /// The timeout, if it depends on the environment; the environment is nil in a simulated launch.
    var timeout: (@Sendable (StartupEnvironment?) -> Duration)?
    /// Makes the work of a launch that only passes the time.
    let simulated: @Sendable (SimulatedStep) -> Work
    /// Makes the real work.
    let work: @Sendable (StartupEnvironment) -> Work

    /// A step of the app's own. Work that asks the user says so with `waitForPerson`: only that time does not count
    /// against the budget.
    ///
    /// - Parameters:
    ///   - id: the identifier: not that of a built-in step.
    ///   - title: the step's name for people.
    ///   - expected: how long it is expected to take.
    ///   - options: the options that the step has in every scenario.
    ///   - simulated: makes the work of a launch that only passes the time.
    ///   - work: makes the real work.
    public init(
        _ id: String,
        _ title: String,
        expected: Duration,
        options: StepOption...,
        simulated: @escaping @Sendable (SimulatedStep) -> Work,
        work: @escaping @Sendable (StartupEnvironment) -> Work
    ) {
        self.id = id
        self.title = title
        self.expected = expected
        self.options = .layers([.title(title), .expected(expected), .saysWhenItAsks, .suspends(true), .all(options)])
        self.simulated = simulated
        self.work = work
    }

    /// A step that touches the screen. Its environment is the one of the launch that it runs in.
    init(
        _ id: String,
        _ title: String,
        expected: Duration,
        options: StepOption...,
        screen run: @escaping @MainActor @Sendable (StartupEnvironment, StepContext) async throws -> Void
    ) where Work == ScreenWork {
        self.init(id, title, expected: expected, options: .all(options), simulated: { $0.screenWork }) { environment in
            return { step in try await run(environment, step) }
        }
    }

    /// A step that touches the screen and reads a value.
    init<Input>(
        _ id: String,
        _ title: String,
        expected: Duration,
        options: StepOption...,
        screen run: @escaping @MainActor @Sendable (StartupEnvironment, StepContext, Input) async throws -> Void
    ) where Work == @MainActor @Sendable (StepContext, Input) async throws -> Void {
        self.init(id, title, expected: expected, options: .all(options), simulated: { $0.work() }) { environment in
            return { step, input in try await run(environment, step, input) }
        }
    }

    /// A step that runs off the main thread, and produces `value` in a simulated launch.
    init<Value: Sendable>(
        _ id: String,
        _ title: String,
        expected: Duration,
        options: StepOption...,
        simulating value: Value,
        run: @escaping @Sendable (StartupEnvironment, StepContext) async throws -> Value
    ) where Work == @Sendable (StepContext) async throws -> Value {
        self.init(id, title, expected: expected, options: .all(options), simulated: { $0.work(giving: value) }) { environment in
            return { step in try await run(environment, step) }
        }
    }
}

/// Work that touches the screen, reads no value and produces none.
public typealias ScreenWork = @MainActor @Sendable (StepContext) async throws -> Void

/// A step of a simulated launch: it takes its time, by the launch's clock and without holding a thread. The time of a
/// step that may ask is the user's.
public struct SimulatedStep: Sendable {
    let duration: Duration
    let requiresUpdate: Bool
    let showUpdate: @MainActor @Sendable () -> Void

    /// Work on the screen that only passes the time.
    public var screenWork: ScreenWork {
        return { step in try await pass(step) }
    }

    /// Work on the screen that reads a value.
    func work<Input>() -> @MainActor @Sendable (StepContext, Input) async throws -> Void {
        return { step, _ in try await pass(step) }
    }

    /// Work off the main thread that produces `value`.
    func work<Value: Sendable>(giving value: Value) -> @Sendable (StepContext) async throws -> Value {
        return { step in
            try await pass(step)
            return value
        }
    }

    /// Work off the main thread that reads a value and produces `value`.
    func work<Input, Value: Sendable>(giving value: Value) -> @Sendable (StepContext, Input) async throws -> Value {
        let work: @Sendable (StepContext) async throws -> Value = work(giving: value)
        return { step, _ in try await work(step) }
    }

    /// Passes the step's time.
    func pass(_ step: StepContext) async throws {
        guard step.mayAsk else { return try await step.sleep(for: duration) }
        try await step.waitForPerson { try await step.sleep(for: duration) }
    }
}

/// The knowledge of the update check that the steps of one launch share.
struct UpdateMemory: Sendable {
    /// The policy of this launch, if it could not be stored: it still counts.
    var policy: UpdatePolicy?
    /// The launch in which the service was asked last: a graph may be launched again.
    weak var askedIn: (any AnyObject & Sendable)?
    /// Whether a decision against this version has been acted upon.
    var isStopped = false
    /// Whether the report says that the policy of earlier launches cannot be read.
    var hasToldOfProblem = false
}

/// Values that one step of a launch leaves for a later one where no dependency of the graph carries them.
final class LaunchMemory: Sendable {
    struct State: Sendable {
        /// The kind of onboarding that login chose without waiting for the configuration; nil when it did not have to.
        var earlyOnboarding: OnboardingType?
        /// Whether somebody has answered the login form, or logged in with the plan's authenticator, and has an account
        /// now.
        var hasLoggedIn = false
        /// Whether the user was offered the account that was found, and has left without an answer.
        var isOfferUnanswered = false
        /// Whether the service has not answered when it was asked for the configuration; false as soon as it has
        /// answered anything, and nil until then.
        var isServiceSilent: Bool?
        /// Whether the onboarding comes over the main screen that was shown.
        var isOnboardingDue = false
    }

    /// Whether this is the first launch, as it was when the graph was made.
    let firstLaunch: FirstLaunch
    /// Whether the user has asked for the step, outside a launch.
    let isAskedFor: Bool
    /// The result of this launch's update check.
    let update = Locked(UpdateMemory())
    let state = Locked(State())

    /// How long a step waits for the service that could wait for as long as this: a second at most where it has been
    /// silent, so that the launch loses a service's time once, and not in each step.
    func serviceTime(_ time: Duration) -> Duration {
        state.withLock { $0.isServiceSilent } == true ? min(time, Self.timeOfSilentService) : time
    }

    func serviceHasAnswered() { state.withLock { $0.isServiceSilent = false } }

    static let timeOfSilentService = Duration.seconds(1)

    init(firstLaunch: FirstLaunch = .later, isAskedFor: Bool = false) {
        self.firstLaunch = firstLaunch
        self.isAskedFor = isAskedFor
    }
}

/// Adding steps to a graph, each with the options it always has, then those that the scenario gives it, then those that
/// the app has set by ``StartupSteps/set(_:on:)``: of two that say something about the same thing, the later one
/// counts.
extension OperationGraph {
    /// Adds a step that runs off the main thread.
    @discardableResult
    public mutating func add<Value: Sendable>(
        _ step: StartupStep<@Sendable (StepContext) async throws -> Value>,
        of steps: StartupSteps,
        _ options: StepOption...,
        after dependencies: String...
    ) -> Step<Value> {
        let work = steps[step]
        return add(step.id, steps.options(of: step, options), after: dependencies) { context in try await work(context) }
    }

    /// Adds a step that touches the screen.
    @discardableResult
    public mutating func add(
        _ step: StartupStep<ScreenWork>,
        of steps: StartupSteps,
        _ options: StepOption...,
        after dependencies: String...
    ) -> Step<Void> {
        add(step, of: steps, options, after: dependencies)
    }

    /// The same, for options and dependencies that are put together elsewhere.
    mutating func add(
        _ step: StartupStep<ScreenWork>,
        of steps: StartupSteps,
        _ options: [StepOption],
        after dependencies: [String]
    ) -> Step<Void> {
        let work = steps[step]
        return add(step.id, steps.options(of: step, options), after: dependencies, on: .main) { context in try await work(context) }
    }

    /// Adds a step that runs off the main thread and reads a value, where the scenario waits for it.
    @discardableResult
    public mutating func add<Input: Sendable, Value: Sendable>(
        _ step: StartupStep<@Sendable (StepContext, Input?) async throws -> Value>,
        of steps: StartupSteps,
        _ options: StepOption...,
        using input: Step<Input>? = nil,
        after dependencies: String...
    ) -> Step<Value> {
        let work = steps[step]
        let options = steps.options(of: step, options)
        guard let input else { return add(step.id, options, after: dependencies) { context in try await work(context, nil) } }
        return add(step.id, options, using: .context, input, after: dependencies) { context, input in try await work(context, input) }
    }

    /// Adds a step that touches the screen and reads a value, where the scenario waits for it.
    @discardableResult
    public mutating func add<Input: Sendable>(
        _ step: StartupStep<@MainActor @Sendable (StepContext, Input?) async throws -> Void>,
        of steps: StartupSteps,
        _ options: StepOption...,
        using input: Step<Input>? = nil,
        after dependencies: String...
    ) -> Step<Void> {
        let work = steps[step]
        let options = steps.options(of: step, options)
        guard let input else { return add(step.id, options, after: dependencies, on: .main) { context in try await work(context, nil) } }
        return add(step.id, options, using: .context, input, after: dependencies, on: .main) { context, input in
            try await work(context, input)
        }
    }

    /// Adds a step that follows the main screen. Its failure does not fail the launch.
    mutating func addAfterMain(_ step: StartupStep<ScreenWork>, of steps: StartupSteps, _ options: StepOption...) {
        _ = add(step, of: steps, [.layers([.onFailure(.continue), .all(options)])], after: [StartupStep.mainApp.id])
    }
}

extension StepContext {
    /// Does something that the launch can do without; the report says what went wrong.
    func attempt(orNote complaint: String, _ body: () throws -> Void) {
        do { try body() } catch { note("\(complaint): \(error)") }
    }

    /// The presenter of a question.
    ///
    /// - Throws: `MissingPresenterError` where the app has none: the step must not wait for ever.
    func need<Presenter>(_ presenter: Presenter?, _ question: String) throws -> Presenter {
        guard let presenter else { throw MissingPresenterError(operation: operation, question: question) }
        return presenter
    }
}
