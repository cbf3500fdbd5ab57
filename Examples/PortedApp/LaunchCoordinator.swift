//  Does what the app's state decides. One in a process; nothing here knows UIKit.

import Sequencer
import StartupOps

@MainActor final class LaunchCoordinator {
    let launches: Launches
    private(set) var state = AppState()
    private let clock: any Clock<Duration>
    private var running: RunningLaunch?
    /// The launch that has ended last.
    private(set) var last: FinishedLaunch?
    private var refreshing: RunningLaunch?
    /// Tells the state of the end of the launch or the resume that was started last.
    private(set) var following: Task<Void, Never>?

    init(_ launches: Launches, clock: any Clock<Duration> = SuspendingClock()) {
        (self.launches, self.clock) = (launches, clock)
    }

    // MARK: What the system tells

    /// Before `didFinishLaunching` returns.
    func begin(registerTasks: @escaping @MainActor @Sendable () -> Void) {
        var graph = launches.process(registerTasks: registerTasks)
        launches.journal.preparePrologue(&graph)
        do { try graph.start() } catch { assertionFailure("\(error)") }
    }

    func handle(_ event: AppEvent) {
        let wasInFront = state.isInFront
        let actions = state.apply(event)
        // Refused only while another launch of this journal is in front, and this app has one at a time.
        if state.isInFront != wasInFront { try? launches.journal.change(to: state.isInFront ? .foreground : .background) }
        for action in actions { perform(action) }
    }

    /// A push, a link or a shortcut: kept from now on, and opened as soon as the first screen is there.
    func receive(_ entryPoint: EntryPoint, id: String? = nil) {
        launches.mailbox.receive(entryPoint, id: id)
        handle(.entryPointReceived)
    }

    /// The system gives time in the background; it takes that away by cancelling the task.
    ///
    /// - Returns: whether all was done.
    func refresh() async -> Bool {
        guard !state.isInFront, refreshing == nil else { return false }
        let options = LaunchOptions(deadline: .seconds(25), clock: clock)
        guard let refresh = try? launches.refresh().start(options: options) else { return false }
        refreshing = refresh
        defer { refreshing = nil }
        return await withTaskCancellationHandler {
            await refresh.end().report.outcome == .completed
        } onCancel: {
            refresh.cancel()
        }
    }

    // MARK: What the state decides

    private func perform(_ action: AppAction) {
        switch action {
        case .launch: launch(launches.launch())
        case .retry: launch(last.map { launches.launch().retrying($0) } ?? launches.launch())
        case .cancelLaunch: running?.cancel()
        case .resume: resume()
        case .deliver: Task { await launches.deliver() }
        case .cancelRefresh: refreshing?.cancel()
        }
    }

    private func launch(_ graph: OperationGraph) {
        var graph = graph
        launches.journal.prepare(&graph)
        let options = LaunchOptions(deadline: .seconds(120), clock: clock, admission: .oneAtATime)
        do {
            let launch = try graph.start(budget: .seconds(3), options: launches.journal.recording(options))
            running = launch
            following = Task { await follow(launch) }
        } catch {
            stop("\(error)")
        }
    }

    private func follow(_ launch: RunningLaunch) async {
        if await launch.milestone.outcome == .completed { handle(.homeShown) }
        let finished = await launch.end()
        last = finished
        launches.journal.ended(finished.report)
        // Shown when the launch is over: a button that was touched before could start none.
        if case .failed(_, let message) = finished.report.outcome { return stop(message) }
        handle(.launchEnded(isCompleted: finished.report.outcome == .completed))
    }

    private func stop(_ message: String) {
        launches.screens.showFailure(message)
        handle(.launchEnded(isCompleted: false))
    }

    private func resume() {
        guard let resume = try? launches.resume().start(options: LaunchOptions(clock: clock)) else { return }
        following = Task {
            if case .aborted = await resume.end().report.outcome { handle(.takenOver) }
        }
    }
}
