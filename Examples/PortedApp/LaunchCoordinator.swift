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
    private var resuming: RunningLaunch?
    /// Tells the state of the ends of launches and resumes: of those that were started until now.
    private(set) var following: Task<Void, Never>?
    private var registering: Task<Void, Never>?

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
        let (wasInFront, wasHome) = (state.isInFront, state.phase == .foreground)
        state.isAsking = launches.screens.isAsking
        let actions = state.apply(event)
        // Who leaves the app after the first screen has seen it work, however short the visit was.
        if wasHome, !state.isInFront { launches.journal.stayedHealthy() }
        // Refused only while another launch of this journal is in front, and this app has one at a time.
        if state.isInFront != wasInFront { try? launches.journal.change(to: state.isInFront ? .foreground : .background) }
        for action in actions { perform(action) }
    }

    /// A push, a link or a shortcut: kept from now on, and opened as soon as the first screen is there.
    func receive(_ entryPoint: EntryPoint, id: String? = nil) {
        launches.mailbox.receive(entryPoint, id: id)
        handle(.entryPointReceived)
    }

    /// The next launch asks who is there. What a retry would keep is somebody else's.
    func logOut() {
        launches.database.value?.account = nil
        launches.mailbox.open(for: nil)
        handle(.loggedOut)
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
        case .cancelResume: resuming?.cancel()
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
            follow { [self] in await ended(launch) }
        } catch {
            stop("\(error)")
        }
    }

    private func follow(_ end: @escaping @MainActor () async -> Void) {
        following = Task { [following] in
            await end()
            await following?.value
        }
    }

    private func ended(_ launch: RunningLaunch) async {
        if await launch.milestone.outcome == .completed { handle(.homeShown) }
        let finished = await launch.end()
        last = finished
        launches.journal.ended(finished.report)
        // Shown when the launch is over: a button that was touched before could start none.
        if case .failed(_, let message) = finished.report.outcome { return stop(message) }
        // In safe mode the check may come after the home.
        if case .aborted? = finished.report.afterMilestone?.outcome { handle(.takenOver) }
        handle(.launchEnded(isCompleted: finished.report.outcome == .completed))
        // What was cut off is done on return: the token may be a part of it.
        if state.phase == .foreground, !state.isRunning { followTokens() }
    }

    private func stop(_ message: String) {
        launches.screens.showFailure(message)
        handle(.launchEnded(isCompleted: false))
    }

    private func resume() {
        guard let resume = try? launches.resume().start(options: LaunchOptions(clock: clock)) else { return }
        resuming = resume
        follow { [self] in
            if case .aborted = await resume.end().report.outcome { handle(.takenOver) }
        }
    }

    /// The launch registers the token that it finds; later ones are registered here.
    private func followTokens() {
        registering?.cancel()
        registering = Task {
            for await token in launches.deviceToken.changes {
                guard let token = try? token.get() else { continue }
                _ = try? await launches.register(token).run(options: LaunchOptions(clock: clock))
            }
        }
    }
}
