import Foundation
import Sequencer
import SequencerAnalysis
import StartupOps

/// `run`: runs a scenario for real and compares it with its budget.
struct RunCommand: LaunchingCommand {
    static let name = "run"
    static let summary = "Run a launch for real and compare it with its budget."
    static let ownArguments: [CommandArgument<Self>] = combined(
        [
            .positional("SCENARIO", isRequired: false) { $0.arguments.scenario = $1 }
                .help("A built-in scenario, a scenario file, or '-' (default: by the state).")
        ],
        part(RunArguments.howToRun, \.arguments),
        [
            .history(\.arguments.history),
            .flag("from-process-start", \.arguments.fromProcessStart)
                .help("Count the budget from the start of the process."),
            .text("state", "DIR", \.arguments.state)
                .help("Keep what the app remembers in DIR (default: the user's state folder)."),
            RunArguments.backendOption.of(\.arguments),
            .flag("strict", \.isStrict)
                .help("Exit with 1 also when an operation, the milestone included, failed, fell back or was skipped for another."),
            .flag("interactive", \.arguments.isInteractive).help("Answer yourself what the app asks, on the terminal."),
            .text("push", "FILE|TEXT", \.arguments.push)
                .help("Start the app from a push with this JSON payload, a file or '{...}'."),
            .text("link", "URL", \.arguments.link).help("Start the app from a link, such as app://open/speakers/7."),
            .text("shortcut", "NAME", \.arguments.shortcut).help("Start the app from a shortcut of its icon."),
        ],
        part(RunArguments.device, \.arguments)
    )
    static let resultOptions = [CommonArguments.linesOption] + CommonArguments.workingOptions
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

    /// After how long without an operation's end a launch counts as stalled.
    private static let stallLimit = Duration.seconds(5)

    var arguments = RunArguments()
    /// Whether each operation has to do its work.
    var isStrict = false
    var common = CommonArguments()

    var clock: ClockMode { arguments.clock }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        // Before anything is opened: without a terminal every question would be dismissed, and the launch would
        // continue as a guest.
        if arguments.isInteractive, !Terminal(descriptor: STDIN_FILENO).isTerminal {
            throw Self.failure("--interactive needs a terminal to ask on")
        }
        // Until the launch begins, a signal simply ends the tool: the journal must not look like that of a crash then
        // (P42). Opened under the lock: the signal must not miss one that is being opened.
        let opened = Locked(JournaledDevice?.none)
        SignalThread.shared.onEnd { opened.withLock { $0 }?.journal.withdraw() }
        // Before the launch is prepared: a death in its preparation counts, too (P3).
        let device = try opened.withLock { device throws(any Error) -> JournaledDevice? in
            device = try JournaledDevice(arguments)
            return device
        }
        let isReal = clock == .wall
        // Screens and reports of stalls pause the view: one of them has the terminal at a time.
        let isDrawn = isReal && !page.isJSON && page.output.isTerminal, isTold = common.showsProgress
        let view = isDrawn ? LiveView(on: .standardOutput) : isTold ? LiveView(on: .standardError, inLines: true) : nil
        let screens = arguments.isInteractive ? TerminalScreens(color: common.color, live: view) : nil
        ProgressLine.begin("run", reading: arguments.scenario, inLines: common.showsProgress)
        var launch = try PreparedLaunch(arguments, screens: screens, on: device)
        if let hint = launch.hint { message(hint) }
        let history = try history(of: &launch.scenario.graph)
        try await launch.askWhetherToRun()
        let journal = device?.journal
        // After the faults are in: a step that is left out must not bring one about.
        journal?.prepare(&launch.scenario.graph)
        if let news = journal?.news { message(news) }
        let stallWatch = StallWatch(after: Self.stallLimit) { status in
            message("no operation has ended for \(durationText(Self.stallLimit))\n\(status)")
        }
        var options = launch.options()
        // In virtual time nothing stalls. The journal hears of a stall first, so that a launch that is killed while it
        // hangs is known for one (P5).
        if isReal { options.stallWatch = journal?.watching(stallWatch) ?? stallWatch }
        options.version = launch.app?.environment.app.version.description
        if let journal { options = journal.recording(options) }
        LiveView.replace(by: view)
        try SignalThread.shared.launchBegan { [app = launch.app] in
            // First: from here on the end is the user's wish, even if the process dies before the launch has ended
            // (P4).
            journal?.quit()
            CommandLineTool.cancelWork()
            // Otherwise the tool would wait up to ten seconds for a check that nobody wants any more.
            app?.environment.lateUpdateCheck.cancel()
        }
        let graph = launch.scenario.graph
        let running = try graph.start(budget: launch.budget, options: options)
        SignalThread.shared.onStatusRequest { message("\(running.status)") }
        let drawing = Task { await view?.show(running.events, of: graph, page.style) }
        // Also one that was cancelled at its start has a report: with `--json` each end is one document (A9).
        let report = await withTaskCancellationHandler {
            await running.end().report
        } onCancel: {
            running.cancel()
        }
        // At once: a tool that is killed while it draws the end leaves a complete journal.
        journal?.ended(report)
        // The tool is at its end with the launch: nothing else will happen to one that has completed.
        if report.outcome == .completed, [.completed, nil].contains(report.afterMilestone?.outcome) { journal?.stayedHealthy() }
        // The view has to be gone before anything else is written to the terminal.
        await drawing.value
        let lateDecision = await launch.app?.lateUpdateDecision()
        // Only now: a signal is still a cancellation while the late check is waited for.
        let signal = SignalThread.shared.launchEnded()
        SignalThread.shared.onStatusRequest(nil)
        launch.app?.close()
        try page.write(
            json: report.json(pretty: !common.isInLines) + "\n",
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

    /// Opens the history, and gives the graph its durations.
    ///
    /// - Returns: nil without a history, and where another process keeps it locked: the launch continues without it,
    ///     and its end does not wait for it once more (J51).
    private func history(of graph: inout OperationGraph) throws -> LaunchHistoryFile? {
        guard let file = try arguments.history.map({ try LaunchHistoryFile(named: $0) }) else { return nil }
        do throws(HistoryError) {
            graph.expect(try file.read())
            return file
        } catch {
            // A history that is damaged or of another version is a mistake of the command line; one that is locked is
            // an accident.
            if error.code != .locked { throw error }
            message("warning: the launch goes on without its history, and is not added to it: \(error)")
            return nil
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
