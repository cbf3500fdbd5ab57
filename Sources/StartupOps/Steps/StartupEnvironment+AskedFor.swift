import Foundation
import Sequencer

/// Steps that other parts of the app start when the user asks for them, and the screen that they share with the
/// launch.
extension StartupEnvironment {
    /// Runs a step by itself because the user has asked for it, with a button in the app's settings, say. The work is
    /// that of a launch.
    ///
    /// ```swift
    /// let account = try await environment.run(.login)
    /// ```
    ///
    /// | step | when the user asks for it |
    /// |---|---|
    /// | ``StartupStep/login`` | A guest is asked, with any kind of onboarding, and stays a guest until the login has succeeded (``AccountService/sessionKeeper()``). A logged-in user is not asked. Of several logins at once, a launch's included, one asks; the others wait until it has ended, and then use the session that is there. |
    /// | ``StartupStep/connectSpeaker`` | The assistant asks, whether or not a speaker is known. The choice takes the place of the speakers that are connected; no choice changes nothing. |
    /// | ``StartupStep/tutorial`` | It is shown again. |
    ///
    /// The step waits for its turn on the screen, also while a launch runs, and is refused when an update has taken the
    /// screen over: one that runs then is told to cancel. It reads the configuration that was confirmed last.
    /// Cancelling the task cancels the step.
    ///
    /// - Parameter options: of the launch in which the step runs alone. It has no budget, and no deadline unless one is
    ///     given here.
    /// - Returns: the step's value.
    /// - Throws: the error of the step, such as ``DismissedByPerson``; an `OperationError` where it has thrown none,
    ///     because it was cancelled or its time was over.
    @discardableResult
    public func run<Value: Sendable>(
        _ step: StartupStep<@Sendable (StepContext, LoadedConfiguration?) async throws -> Value>,
        options: LaunchOptions = LaunchOptions()
    ) async throws -> Value {
        let (steps, known) = (StartupSteps(self, isAskedFor: true), configurations.lastKnown)
        let work = steps[step]
        var graph = OperationGraph(step.id)
        let added = graph.add(step.id, steps.options(of: step, [.interactive])) { context in try await work(context, known) }
        return try await value(of: added, in: graph, options)
    }

    /// Runs a step on the screen by itself, as `run(_:options:)` does for others.
    public func run(
        _ step: StartupStep<@MainActor @Sendable (StepContext, LoadedConfiguration?) async throws -> Void>,
        options: LaunchOptions = LaunchOptions()
    ) async throws {
        let (steps, known) = (StartupSteps(self, isAskedFor: true), configurations.lastKnown)
        let work = steps[step]
        var graph = OperationGraph(step.id)
        let added = graph.add(step.id, steps.options(of: step, [.interactive]), on: .main) { context in try await work(context, known) }
        try await value(of: added, in: graph, options)
    }

    private func value<Value: Sendable>(
        of step: Step<Value>,
        in graph: OperationGraph,
        _ options: LaunchOptions
    ) async throws -> Value {
        var options = options
        // It may wait for the screen behind a form, and the user may take as long as they like.
        if options.deadline == .automatic { options.deadline = .never }
        let launch = try await askedFor.run(graph, options)
        do throws(OperationError) {
            return try launch[step]
        } catch {
            // The update has cancelled it: that is the reason that the app has to be told.
            if let owner = stage.isTakenOverBy { throw PresentationRefused(operation: step.id, takenOverBy: owner) }
            throw error.underlying ?? error
        }
    }

    /// The identifier of the step whose screen is on top; nil before the first. For tests that ask what the user
    /// sees.
    ///
    /// It is the step that presents or asks now; else the one whose screen has stayed, ``StartupStep/splash`` or
    /// ``StartupStep/mainApp``; and ``StartupStep/forceUpdate`` from the moment when it has taken the screen over.
    /// Screens that the app presents itself, such as the target of a link, are not known here.
    @MainActor public var screenOnTop: String? { stage.top }
}

/// The launches of steps that the user has asked for, while they run.
final class AskedForLaunches: Sendable {
    private let state = Locked((running: [UUID: RunningLaunch](), areStopped: false))

    /// Runs a launch, and cancels it with the task, or when all of them are stopped.
    func run(_ graph: OperationGraph, _ options: LaunchOptions) async throws -> FinishedLaunch {
        // In a task that is already cancelled nothing starts.
        if Task.isCancelled { return try await graph.run(options: options) }
        let (launch, id) = (try graph.start(options: options), UUID())
        let isLate = state.withLock { state in
            state.running[id] = launch
            return state.areStopped
        }
        if isLate { launch.cancel() }
        let finished = await withTaskCancellationHandler {
            await launch.end()
        } onCancel: {
            launch.cancel()
        }
        // Let go of without the lock: it may be all that is left of the launch.
        _ = state.withLock { $0.running.removeValue(forKey: id) }
        return finished
    }

    /// Tells all running launches, and those that start later, to cancel: their screens are gone for good.
    func stopAll() {
        let running = state.withLock { state in
            state.areStopped = true
            return state.running
        }
        for launch in running.values { launch.cancel() }
    }
}
