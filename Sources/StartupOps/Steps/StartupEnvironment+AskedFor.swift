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
        // In a task that is already cancelled nothing starts.
        try Task.checkCancellation()
        let launch = try graph.start(options: options)
        let running = Locked<RunningLaunch?>(launch)
        // When the screen is gone for good. The event keeps the block, which must not keep the launch.
        stage.takenOver.whenSettled(.atOnce) { _ in running.withLock { $0 }?.cancel() }
        defer { _ = running.withLock { exchange(&$0, with: nil) } }
        let finished = await withTaskCancellationHandler {
            await launch.end()
        } onCancel: {
            launch.cancel()
        }
        do throws(OperationError) {
            return try finished[step]
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
