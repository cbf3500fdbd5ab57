import Foundation
import Sequencer
import SequencerAnalysis
import StartupOps

/// `run`: runs a scenario for real and compares it with its budget.
struct RunCommand: LaunchingCommand {
    static let name = "run"
    static let summary = "Run a launch for real and compare it with its budget."
    static let arguments: [CommandArgument<Self>] = combined(
        [
            .positional("SCENARIO", isRequired: false, help: "A built-in scenario, a scenario file, or '-' (default: by the state).") {
                $0.arguments.scenario = $1
            }
        ],
        part(RunArguments.howToRun, \.arguments),
        [
            .history { $0.arguments.history = $1 },
            .flag("from-process-start", help: "Count the budget from the start of the process.") { $0.arguments.fromProcessStart = true },
            .text("state", "DIR", help: "Keep what the app remembers in DIR (default: the user's state folder).") {
                $0.arguments.state = $1
            },
        ],
        part([RunArguments.backendOption], \.arguments),
        [
            .flag(
                "strict",
                help: "Exit with 1 also when an operation, the milestone included, failed, fell back or was skipped for another."
            ) {
                $0.isStrict = true
            },
            .flag("interactive", help: "Answer yourself what the app asks, on the terminal.") { $0.arguments.isInteractive = true },
            .text("push", "FILE|TEXT", help: "Start the app from a push with this JSON payload, a file or '{...}'.") {
                $0.arguments.push = $1
            },
            .text("link", "URL", help: "Start the app from a link, such as app://open/speakers/7.") { $0.arguments.link = $1 },
            .text("shortcut", "NAME", help: "Start the app from a shortcut of its icon.") { $0.arguments.shortcut = $1 },
        ],
        part(RunArguments.device, \.arguments),
        part([CommonArguments.linesOption] + CommonArguments.workingOptions, \.arguments.common)
    )
    static let examples: KeyValuePairs = [
        "run": "Run the first launch.",
        "run regular --budget 2s --clock virtual": "Try a tighter budget, at once.",
        "run first-launch --inject force-update=required": "See the update take over.",
        "run launch.json --json -o report.json": "Save the report of a scenario file.",
        "run launch.json --json-lines >> launches.jsonl": "Add the report to those that 'stats' sums up.",
        "run --state device --interactive": "Be the app's user; the next launch remembers you.",
        "run --state device --inject tutorial=crash": "Crash; after three of these, the tutorial is left out.",
        "run --push message.json --link app://open/speakers/7": "Start from a push and a link at once.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "The launch completed within its budget.",
        "1": "It failed or was cancelled; with --strict, also if an operation did, fell back or was skipped for another.",
        "3": "It completed over its budget, or without its milestone.",
        "5": "With --strict, in virtual time: nobody knows how long anything takes that it waits for.",
        "6": "It was aborted by a required update, or completed before it was told of one.",
    ]
    static let signals: KeyValuePairs = [
        "SIGHUP, SIGINT, SIGQUIT, SIGTERM": "Cancel the launch and print the report so far; the second time, end at once.",
        "SIGUSR1": "Say what each operation waits for, and since when; so does a launch that stalls.",
    ]

    var arguments = RunArguments()
    /// Whether each operation has to do its work.
    var isStrict = false

    var clock: ClockMode { arguments.clock }

    func launch() async throws -> ExitCode {
        // Before anything is opened: without a terminal every question would be dismissed, and the launch would go on
        // as a guest.
        if arguments.isInteractive, !Terminal(descriptor: STDIN_FILENO).isTerminal {
            throw Self.failure("--interactive needs a terminal to ask on")
        }
        let page = try ResultPage(arguments.common)
        let opening = DeviceOpening(arguments)
        // Before the journal is opened. Until the launch begins, a signal simply ends the tool (P42).
        SignalThread.shared.onEnd { opening.withdraw() }
        do {
            return try await launch(on: opening, page)
        } catch {
            // Without a launch, the journal must not look like that of a crash.
            opening.withdraw()
            throw error
        }
    }

    private func launch(on opening: DeviceOpening, _ page: ResultPage) async throws -> ExitCode {
        // The app's journal is opened before the launch is prepared: a death in its preparation counts, too (P3).
        // Preparing a file runs nothing.
        let early = arguments.launchesApp ? try opening.device() : nil
        let isReal = clock == .wall
        // Screens and reports of stalls pause the view: one of them has the terminal at a time.
        let view = isReal && !page.isJSON && page.output.isTerminal ? LiveView(on: .standardOutput) : nil
        let screens = arguments.isInteractive ? TerminalScreens(color: arguments.common.color, live: view) : nil
        let progress = ProgressBar("run", reading: arguments.scenario, inLines: arguments.common.showsProgress)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: arguments.scenario.map(inputName) ?? "")
        var launch = try PreparedLaunch(arguments, screens: screens, on: early)
        if let hint = launch.hint { message(hint) }
        var history = try arguments.history.map { try LaunchHistoryFile(named: $0) }
        // Locked once means locked at the end, too: the person would wait twice (J51).
        if let file = history, try !expect(file, of: &launch.scenario) { history = nil }
        // The progress would be drawn over the question.
        progress?.pause()
        try await launch.askWhetherToRun()
        progress?.resume()
        // After the question: a tool that is killed while it asks has not died in a launch.
        let journal = try opening.device()?.journal
        // After the faults are in: a step that is left out must not bring one about.
        journal?.prepare(&launch.scenario.graph)
        if let news = journal?.news { message(news) }
        let cancellable = CancellableLaunch()
        let reporter = StatusReporter(view) { cancellable.status }
        var options = launch.options()
        // In virtual time nothing stalls. The journal hears of a stall first, so that a launch that is killed while it
        // hangs is known for one (P5).
        if isReal { options.stallWatch = journal?.watching(reporter.stallWatch) ?? reporter.stallWatch }
        options.version = launch.app?.environment.app.version.description
        if let journal { options = journal.recording(options) }
        // In real time there is the live view, and what a stalled launch says.
        if isReal { progress?.end() }
        try SignalThread.shared.launchBegan { [app = launch.app] in
            // First: from here on the end is the person's wish, even if the process dies before the launch has ended
            // (P4).
            journal?.quit()
            cancellable.cancel()
            // Otherwise the tool would wait up to ten seconds for a check that nobody wants any more.
            app?.environment.lateUpdateCheck.cancel()
        }
        let graph = launch.scenario.graph
        let running = try cancellable.start(graph, launch.budget, options)
        let drawing = running.map { running in
            Task {
                if let view {
                    await view.show(running.events, of: graph, page.style)
                } else if arguments.common.showsProgress {
                    await running.events.tell(of: graph.identifiers.count)
                }
            }
        }
        // A launch that was cancelled before its start still has a report: with `--json` each end is one document (A9).
        let report = if let running { await running.end().report } else { try await cancelledReport(launch, options) }
        // At once: a tool that is killed while it draws the end leaves a complete journal.
        journal?.ended(report)
        // The tool is at its end with the launch: nothing else will happen to one that has completed.
        if report.outcome == .completed, [.completed, nil].contains(report.afterMilestone?.outcome) { journal?.stayedHealthy() }
        // The view has to be gone before anything else is written to the terminal.
        await drawing?.value
        let lateDecision = await launch.app?.lateUpdateDecision()
        // Only now: a signal is still a cancellation while the late check is waited for.
        let signal = SignalThread.shared.launchEnded()
        progress?.end()
        reporter.end()
        launch.app?.close()
        try page.write(
            json: report.json(pretty: !arguments.common.isInLines) + "\n",
            text: TimelineText(report, style: page.style, width: page.output.width).text
        )
        // A launch with a fault in it says nothing of the next.
        if arguments.injections.isEmpty { record(report, in: history) }
        // The signal wins over the outcome: a shell that started the tool has to know that it was interrupted.
        if let signal { return .interrupted(by: signal) }
        if let lateDecision {
            message("after the launch, the update check said: \(text(of: lateDecision))")
            return .aborted
        }
        return ExitCode(of: report, isStrict: isStrict)
    }

    private func text(of decision: UpdateDecision) -> String {
        switch decision {
        case .required(let minimum, _, _): "version \(minimum) or newer is required"
        case .maintenance: "the service is closed for maintenance"
        case .mayContinue, .recommended: "this version may be used"
        }
    }

    /// The report of a launch that was cancelled before its start: nothing has started.
    private func cancelledReport(_ launch: PreparedLaunch, _ options: LaunchOptions) async throws -> LaunchReport {
        try await Task { [graph = launch.scenario.graph, budget = launch.budget] in
            // Cancelled from within: nothing of it can start before.
            withUnsafeCurrentTask { $0?.cancel() }
            return try await graph.run(budget: budget, options: options).report
        }.value
    }

    /// Gives the graph the durations of its history. If another process keeps the history locked, the launch goes on
    /// without it.
    ///
    /// - Returns: false when it is locked, so that the end of the launch does not wait for it once more.
    private func expect(_ history: LaunchHistoryFile, of scenario: inout LoadedScenario) throws -> Bool {
        do throws(HistoryError) {
            scenario.graph.expect(try history.read())
            return true
        } catch {
            // A history that is damaged or of another version is a mistake of the command line; one that is locked is
            // an accident.
            if error.code != .locked { throw error }
            message("warning: the launch goes on without its history, and is not added to it: \(error)")
            return false
        }
    }

    /// Adds the launch to the history. The launch is over and reported, so a problem with the history is only a
    /// warning.
    private func record(_ report: LaunchReport, in history: LaunchHistoryFile?) {
        do {
            try history?.record(report)
        } catch {
            message("warning: the launch was not added to its history: \(error)")
        }
    }
}

/// The device of a run, which is opened once, and whose journal is withdrawn where the tool ends before the launch has
/// begun.
private final class DeviceOpening: Sendable {
    private let arguments: RunArguments
    private let state = Locked((device: JournaledDevice?.none, isWithdrawn: false))

    init(_ arguments: RunArguments) { self.arguments = arguments }

    /// Opens it, unless it is open; nil for a run that launches no app and names no folder, and when the tool is about
    /// to end.
    func device() throws -> JournaledDevice? {
        // Under the lock, though it may warn: the end of the tool must not miss a journal that is being opened, and
        // nobody else waits for this lock.
        try state.withLock { state throws(any Error) -> JournaledDevice? in
            if state.device == nil, !state.isWithdrawn { state.device = try JournaledDevice(arguments) }
            return state.device
        }
    }

    /// Has no effect once the launch runs.
    func withdraw() {
        state.withLock { state in
            state.isWithdrawn = true
            state.device?.journal.withdraw()
        }
    }
}

/// Tells on standard error which operations a launch waits for: on SIGUSR1, and when no operation has ended for a
/// while.
final class StatusReporter: Sendable {
    /// After how long without an operation's end a launch counts as stalled.
    static let stallLimit = Duration.seconds(5)

    private let view: LiveView?

    /// - Parameters:
    ///   - view: makes room on the terminal meanwhile.
    ///   - status: the answer to SIGUSR1; nil while there is no launch.
    init(_ view: LiveView?, status: @escaping @Sendable () -> LaunchStatus?) {
        self.view = view
        // Weak: the thread for signals lives as long as the process, and this object only as long as its launch.
        SignalThread.shared.onStatusRequest { [weak self] in
            if let self, let status = status() { show(status) }
        }
    }

    /// Tells of a launch that makes no progress.
    var stallWatch: StallWatch {
        StallWatch(after: Self.stallLimit) { [weak self] status in
            self?.show(status, headline: "no operation has ended for \(durationText(Self.stallLimit))")
        }
    }

    /// Lets SIGUSR1 end the process again.
    func end() { SignalThread.shared.onStatusRequest(nil) }

    private func show(_ status: LaunchStatus, headline: String? = nil) {
        let text = [headline, status.description].compactMap(\.self).joined(separator: "\n")
        guard let view else { return message(text) }
        // A task: a terminal that takes nothing must not hold up what called.
        Task { view.erase { message(text) } }
    }
}
