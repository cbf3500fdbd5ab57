import Foundation
import Sequencer
import SequencerObservation
import StartupOps

/// Runs the app's launches: the first when a scene comes to the front, a warm resume each time that one comes back.
@MainActor
final class LaunchCoordinator {
    private enum State {
        case notLaunched
        /// A launch runs, or a resume.
        case launching
        case launched(LaunchReport.Outcome)
    }

    /// The one of the process. SwiftUI has an application delegate of its own, so the app's is not to be had from `UIApplication`.
    static let shared = LaunchCoordinator()

    let composition = Composition()
    /// The phases of the process and its scenes, as they are reported.
    let phases = LaunchPhases()
    let progress = LaunchModel()
    let screens = Screens()
    let inbox = EntryPointInbox()

    private var state = State.notLaunched
    /// Where the person was when the scene was last seen, until a launch has gone there.
    private var restoredPlace: String?
    private var isInForeground = false
    /// Somebody came back to a screen that had taken over before the launch that it belongs to had ended.
    private var startsAgain = false
    /// Nil until the first launch in the foreground: see ``Composition/directory()``.
    private var environment: StartupEnvironment?
    private var journal: LaunchJournal?
    private var refreshing: RunningLaunch?
    /// Waits for the person to try again.
    private var failure: Task<Void, Never>?

    // MARK: What scenes report

    /// A scene is about to be seen. Being told again changes nothing.
    func enterForeground() {
        guard !isInForeground else { return }
        isInForeground = true
        refreshing?.cancel()
        // No other launch in front is started here, so nothing refuses it; if one ever did, this one stays what it is.
        try? journal?.change(to: .foreground)
        environment?.lifecycle.send(.didBecomeActive)
        if phases.takeProcessPart() {
            launch()
        } else {
            comeBack()
        }
    }

    /// No scene can be seen any more. Being told again changes nothing.
    func enterBackground() {
        guard isInForeground else { return }
        isInForeground = false
        // From here on, iOS ends the process as it likes: its end is none that counts.
        try? journal?.change(to: .background)
        environment?.lifecycle.send(.didEnterBackground)
        BackgroundRefresh.schedule()
    }

    /// A scene says where the person was, which it may do when a launch has begun. Nil changes nothing.
    func restore(place: String?) {
        if let place { restoredPlace = place }
    }

    private func comeBack() {
        switch state {
        case .notLaunched: break
        case .launching: startsAgain = screens.isTakenOver
        case .launched(.completed): resume()
        // It was stopped: by an update or by maintenance, which may be over, or by a failure.
        case .launched: launch()
        }
    }

    // MARK: Launches

    private func launch() {
        let directory = composition.directory()
        let journal = composition.journal(in: directory, kind: .foreground)
        let environment = composition.environment(in: directory, journal: journal, presenters: StartupPresenters(all: screens))
        startsAgain = false
        failure?.cancel()
        self.journal = journal
        self.environment = environment
        inbox.open(environment.mailbox)
        screens.startAgain()

        var facts = environment.facts()
        facts[WayIn.self] = WayIn(environment.mailbox.waiting())
        facts[RestoredPlace.self] = RestoredPlace(name: restoredPlace)
        var graph = environment.graph(Scenario(for: facts))
        // Whatever crashed may be just there.
        if facts.mayRestorePlace, !journal.recovery.isSafeMode {
            graph.add("restore-place", after: "main-app", on: .main) { [self] in goBack() }
        }
        journal.prepare(&graph)
        var options = LaunchOptions(
            deadline: .seconds(20),
            deadlineCountsInteractiveTime: false,
            version: environment.app.version.description,
            // Maintenance may have taken over a main screen, and be over.
            admission: .oneAtATime
        )
        // How it was started, and what by: cold or prewarmed, by a push, a link or an intent.
        options.attributes = facts.attributes.merging(facts.ownAttributes) { $1 }
        state = .launching
        do {
            let launch = try graph.start(budget: .seconds(3), options: journal.recording(options).withSignposts())
            progress.follow(launch)
            Task {
                let report = await launch.end().report
                journal.ended(report)
                ended(report)
            }
        } catch {
            failed("\(error)")
        }
    }

    /// Goes where the person was, once.
    private func goBack() {
        guard let place = restoredPlace else { return }
        restoredPlace = nil
        screens.goTo(place: place)
    }

    private func ended(_ report: LaunchReport) {
        let outcome = report.outcomeForScreens
        state = .launched(outcome)
        switch outcome {
        case .completed:
            stayHealthy()
            deliver()
        case .failed(let operation, let message): failed("\(operation): \(message)")
        case .aborted, .cancelled:
            if startsAgain { launch() }
        }
    }

    private func failed(_ message: String) {
        state = .launched(.failed(operation: "launch", message: message))
        failure = Task {
            await screens.explainFailure(message)
            if !Task.isCancelled { launch() }
        }
    }

    /// Whatever would crash after the launch has had half a minute to do so.
    private func stayHealthy() {
        guard let journal else { return }
        Task {
            try await Task.sleep(for: .seconds(30))
            if isInForeground { journal.stayedHealthy() }
        }
    }

    private func resume() {
        guard let environment else { return }
        state = .launching
        let running = try? environment.graph(Scenario(for: environment.facts(isRunning: true))).start(
            budget: .seconds(1),
            options: LaunchOptions().withSignposts()
        )
        Task {
            let outcome = await running?.end().report.outcomeForScreens
            // An update that is required now has taken over the screen. Any other failure is none of the person's concern: the app is there.
            if let outcome, case .aborted = outcome {
                state = .launched(outcome)
                if startsAgain { launch() }
            } else {
                state = .launched(.completed)
                deliver()
            }
        }
    }

    // MARK: What started the app, or came in since

    /// Delivers what waits, if the app is there; while a launch runs, that does it.
    func deliver() {
        guard case .launched(.completed) = state, let environment, !environment.mailbox.waiting().isEmpty else { return }
        let steps = StartupSteps(environment)
        var graph = OperationGraph("entry-points")
        graph.add("deliver", .interactive, on: .main) { try await steps[.entryPoints]($0) }
        Task { [graph] in try? await graph.run() }
    }

    // MARK: In the background

    /// Fetches what the next launch will need, without a screen and without a person.
    ///
    /// - Returns: whether all of it was fetched.
    func refresh() async -> Bool {
        guard !isInForeground, refreshing == nil else { return false }
        let directory = composition.directory()
        let journal = composition.journal(in: directory, kind: .background)
        let environment = environment ?? composition.environment(in: directory, journal: journal, presenters: StartupPresenters())
        // Nothing can be kept: the device was restarted, and has not been unlocked since. Or the person has never got to the main screen.
        guard environment.storageProblems.isEmpty, !environment.state.isFirstLaunch, !journal.recovery.isSafeMode else {
            journal.withdraw()
            return false
        }
        let options = journal.recording(LaunchOptions(deadline: .seconds(20), qualityOfService: .utility)).withSignposts()
        var facts = environment.facts()
        facts.isInBackground = true
        guard let launch = try? environment.graph(Scenario(for: facts)).start(budget: .seconds(15), options: options) else { return false }
        refreshing = launch
        defer { refreshing = nil }
        // The time that iOS gives may be over before the launch is.
        let report = await withTaskCancellationHandler {
            await launch.end().report
        } onCancel: {
            launch.cancel()
        }
        journal.ended(report)
        return report.operations.allSatisfy { $0.outcome == .succeeded }
    }
}

extension LaunchReport {
    /// How the launch ended, for what is on the screen: an update that is required, or maintenance, takes it over also when the main screen is there already.
    fileprivate var outcomeForScreens: Outcome {
        if let later = afterMilestone?.outcome, case .aborted = later { later } else { outcome }
    }
}
