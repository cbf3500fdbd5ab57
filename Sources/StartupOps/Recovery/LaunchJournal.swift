import Foundation
import Sequencer
import StartupStorage

/// Writes down what a launch does, so that the next one knows how it ended, and leaves out what keeps the app from
/// starting.
///
/// Open it before anything else, with the version of the app: it reads how the launches before this one ended, and
/// notes that this one has begun.
///
/// ```swift
/// let directory = StateDirectory.openDefault()
/// let journal = LaunchJournal.open(in: directory, version: "1.4.0")
/// let environment = StartupEnvironment(app: app, services: services, presenters: presenters, directory: directory, journal: journal)
/// var graph = environment.graph(Scenario(for: environment.facts()))
/// journal.prepare(&graph)
/// let report = try await journal.run(graph).report
/// // Later, when the app has worked for a while:
/// journal.stayedHealthy()
/// ```
///
/// After three launches that died or failed in the same operation, the next one leaves it out; `RecoveryLevel` lists
/// the levels after that. Opening never fails: where nothing can be written, nothing is, and ``problem`` says why.
///
/// Each event is one line of a file and one system call; it is there when the process is killed right after. A power
/// cut may take the last lines: then the launch seems to have ended earlier. The file is readable by its owner only,
/// and holds names, times and outcomes, no secrets and no data of the user. The journals of the last fifty launches are
/// kept.
///
/// Every method can be called from any thread. Keep the journal for as long as the app runs: other processes see by it
/// that this one is there.
public final class LaunchJournal: Sendable {
    struct State {
        var recovery: Recovery
        /// The first problem of each kind.
        var problems: [StorageError] = []
        var kind: LaunchKind
        /// Whether the recovery of this launch has been decided.
        var isDecided = false
        /// The recovery that the app has declined.
        var declined: Recovery?
        /// Whether a launch has begun with it, which counts however it ends.
        var isUsed = false
        var wasStopped = false
        /// The steps that wait for events. They are not suspects when the process dies.
        var eventSteps: Set<String> = []
        /// The steps that ask the user from start to end.
        var personSteps: Set<String> = []
    }

    /// The launch before this one; nil for the first recorded launch. A launch that still runs in another process does
    /// not count.
    let lastLaunch: JournaledLaunch?
    private let file: JournalFile?
    private let directory: StateDirectory
    /// The folder of the app's journals; nil where nothing is written down.
    let place: String?
    private let start: ContinuousClock.Instant
    private let onProblem: @Sendable (StorageError) -> Void
    let state: Locked<State>

    /// How many launches are kept.
    static let keptLaunches = 50
    /// How many bytes they may have together.
    static let keptBytes = 8 << 20

    /// Opens the journal of a new launch.
    ///
    /// - Parameters:
    ///   - directory: the folder of the journal; ``recover()`` also deletes from it what the recovery names; opening
    ///     deletes nothing. In memory, nothing is written down.
    ///   - name: tells the journals of an app and of its extensions apart; each counts its own launches.
    ///   - version: the version of the app; another one ends the count.
    ///   - limits: how many deaths make a safe launch.
    ///   - now: when the launch began, by the wall clock; for people only.
    ///   - onProblem: told what could not be written or dropped, on the thread that tried: the first thing of each
    ///       kind.
    public static func open(
        in directory: StateDirectory,
        named name: String = "journal",
        version: String?,
        kind: LaunchKind = .foreground,
        limits: RecoveryLimits = RecoveryLimits(),
        now: Date = Date(),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) -> LaunchJournal {
        LaunchJournal(directory, name, version, kind, RecoveryLadder(limits: limits), now, onProblem)
    }

    private init(
        _ directory: StateDirectory,
        _ name: String,
        _ version: String?,
        _ kind: LaunchKind,
        _ ladder: RecoveryLadder,
        _ now: Date,
        _ onProblem: @escaping @Sendable (StorageError) -> Void
    ) {
        start = ContinuousClock.now
        (self.directory, self.onProblem) = (directory, onProblem)
        guard let location = directory.location else {
            (file, lastLaunch, place) = (nil, nil, nil)
            state = Locked(State(recovery: .none, problems: [directory.problem].compactMap(\.self), kind: kind))
            return
        }
        let journals = Self.journals(in: location, named: name)
        var last: JournaledLaunch?
        let launches = journals.launches.lazy.map { launch in
            if last == nil, !launch.isRunning { last = launch }
            return launch
        }
        let recovery = ladder.recovery(after: RecoveryLadder.relevant(launches, for: version))
        // The ladder looks no further than a launch of another version, which may continue.
        lastLaunch = last ?? journals.launches.first { !$0.isRunning }
        place = directory.place + "/" + URL(fileURLWithPath: journals.directory.path).lastPathComponent
        var line = JournalLine(.began, of: recovery)
        line.schema = JournalLine.schema
        line.ms = 0
        line.at = JournalTime.text(now)
        line.process = Int(getpid())
        line.version = version
        line.kind = kind
        do throws(StorageError) {
            let begun = try journals.begin(line, keeping: Self.keptLaunches, size: Self.keptBytes)
            file = begun
            state = Locked(State(recovery: recovery, kind: kind))
            UnusedJournals.add(begun.path)
        } catch {
            file = nil
            state = Locked(State(recovery: recovery, problems: [error], kind: kind))
            onProblem(error)
        }
    }

    /// The kind of launch that it is now. Only ``admit(_:)`` changes it: other launches may have to be asked.
    var kind: LaunchKind { state.withLock { $0.kind } }

    /// The number of this launch; nil when it is not written down.
    var number: Int? { file?.number }

    /// The recovery of this launch. It may change once more, in ``decide(_:)`` and in ``prepare(_:)``.
    public var recovery: Recovery { state.withLock { $0.recovery } }

    /// Why something could not be written down, or dropped: the first thing.
    public var problem: StorageError? { state.withLock { $0.problems.first } }

    /// A sentence for the user before the launch: that it is in safe mode and why, that safe mode was declined, or
    /// that the one before it died and where; nil when all is as it should be. Reports have it as a note of the
    /// milestone.
    public var news: String? {
        if let sentence = recovery.sentence { return sentence }
        if let declined = state.withLock({ $0.declined?.sentence }) { return "declined: \(declined)" }
        guard let lastLaunch, lastLaunch.ending.isDeath else { return nil }
        return "the launch before this one \(lastLaunch.ending)"
    }

    // MARK: Safe mode

    /// Lets the app decide whether a launch in safe mode leaves out and deletes what its recovery says: it asks the
    /// user, say, or writes a line to a log.
    ///
    /// ```swift
    /// await journal.decide { recovery in
    ///     logger.warning("\(recovery.sentence ?? "")")
    ///     return recovery.deletesData ? await screen.ask(recovery) : .recover
    /// }
    /// ```
    ///
    /// Call it after the journal is opened and before the environment is made, which begins with ``recover()``: from
    /// then on, and outside of safe mode, nothing is asked. If such a launch runs anyway, it leaves nothing out; when
    /// it dies, the next one is asked again.
    ///
    /// Where the graph needs the operations that are left out, ``prepare(_:)`` also drops the configuration on trial,
    /// and does not ask once more.
    nonisolated(nonsending) public func decide(
        _ body: nonisolated(nonsending) (Recovery) async -> RecoveryChoice
    ) async {
        guard let proposed = state.withLock({ $0.isDecided || !$0.recovery.isSafeMode ? nil : $0.recovery }) else { return }
        if await body(proposed) == .goOn {
            let isDeclined = state.withLock { state -> Bool in
                if state.isDecided { return false }
                state.isDecided = true
                state.declined = proposed
                state.recovery = .none
                return true
            }
            guard isDeclined else { return }
            // Now: a death before the graph is prepared would count at the level that was declined.
            write(JournalLine(.planned, of: .none))
        } else {
            recover()
        }
    }

    /// Deletes the stored data that the recovery of this launch goes without, unless that has been done or declined:
    /// the configuration on trial, caches; never the user's own.
    ///
    /// An environment with this journal does so before it reads anything, and so does ``prepare(_:)``. Call it where
    /// something else reads stored data before.
    public func recover() {
        let recovery = state.withLock { state -> Recovery? in
            if state.isDecided { return nil }
            state.isDecided = true
            return state.recovery
        }
        if let recovery { drop(recovery) }
    }

    // MARK: Launching

    /// Takes the operations that this launch leaves out of the graph, and has it write down the operations in progress.
    ///
    /// Where the graph needs all of the operations in which launches died, the next level counts at once. Steps of the
    /// main thread are written down by ``run(_:budget:options:)``, or where the options come from ``recording(_:)``:
    /// never on the main thread. Steps of the prologue are written down there, one line before each step's work: nobody
    /// else could in time. So are questions to the user, on the thread that asks.
    public func prepare(_ graph: inout OperationGraph) {
        recover()
        // Where it cannot be left out, it is the check.
        if !graph.skippable().contains(RecoveryStep.updateCheck) { graph.makeEssential(RecoveryStep.updateCheck) }
        let skippable = graph.skippable()
        var recovery = recovery
        // A scenario without these operations has nothing to leave out.
        let culprits = Set(graph.identifiers).intersection(recovery.skipped)
        if recovery.level == .skipping, !culprits.isEmpty, skippable.isDisjoint(with: culprits) {
            recovery = .withoutSkipping(recovery.skipped, because: recovery.reason)
            drop(recovery)
        }
        recovery.tellExceptions(in: graph)
        let (avoidable, eventSteps, personSteps) = (graph.avoidable, graph.eventSteps, graph.personSteps)
        state.withLock { [recovery] in
            $0.recovery = recovery
            ($0.eventSteps, $0.personSteps) = (eventSteps, personSteps)
        }
        recovery.apply(to: &graph, skippable: skippable)
        if let milestone = graph.milestone, let news { try? graph.note(news, on: milestone) }
        guard file != nil else { return }
        var line = JournalLine(.planned, of: recovery)
        line.scenario = graph.name
        line.required = graph.identifiers.filter { !skippable.contains($0) }
        line.avoidable = avoidable
        write(line)
        graph.beforeEachAttempt { [self] launch in
            if launch.isOfRunningLaunch { started(launch.operation, launch.attempt) }
        }
    }

    /// Has the prologue of a graph that runs before the launch written down: a process that dies in one of its steps
    /// has died in that step.
    ///
    /// Nothing is left out of that graph, and nothing is decided: ``decide(_:)`` may ask when it has run. Start it
    /// without ``recording(_:)``, for it is not the launch. The journal is still removed when the process exits before
    /// its launch.
    public func preparePrologue(_ graph: inout OperationGraph) {
        guard file != nil else { return }
        var line = JournalLine(.planned, of: recovery)
        (line.scenario, line.required, line.avoidable) = (graph.name, graph.identifiers, [])
        write(line)
        graph.aroundPrologue { [self] step, hasSucceeded in
            let outcome: Outcome? = hasSucceeded.map { $0 ? .succeeded : .failed }
            var line = JournalLine(outcome == nil ? .started : .ended, operation: step.operation, outcome: outcome?.rawValue)
            if outcome == nil { line.attempt = step.attempt }
            write(line, isOfLaunch: false)
        }
    }

    /// Options that let a launch write down its events, before any observer hears of them. Give the report of that
    /// launch to ``ended(_:)``.
    ///
    /// Nothing of the launch's scopes (`RunningLaunch.addScope`) is written down: neither their steps, nor their
    /// questions and stalls. A process that dies while a scope runs has died in the steps of the launch that were in
    /// progress, or outside of them; when only scopes ran on, the launch had completed.
    ///
    /// A launch with these options is refused while another one runs with this journal, and while one runs in this
    /// process with a journal of the same name and folder, unless one of the two is a ``LaunchKind/background`` launch:
    /// the error, a `GraphError` of the code `alreadyRunning`, names that one. It is refused as well when such a launch
    /// of another journal has completed (`alreadyLaunched`), unless `LaunchOptions.admission` says otherwise. The
    /// journal of the launch that was refused is withdrawn, if it has another one: open a new one to start again.
    public func recording(_ options: LaunchOptions) -> LaunchOptions {
        var options = options
        options.recorder = self
        return options
    }

    /// Writes down the events of the launch that has just begun; nil where nothing is written down.
    package func makeObserver() -> (@Sendable (LaunchEvent) -> Void)? {
        guard let file else { return nil }
        let launch = file.launch
        return { [self] in record($0, of: launch) }
    }

    /// - Parameter launch: the number of the launch among those of this journal. An event that comes when another one
    ///     has begun is not about that.
    private func record(_ event: LaunchEvent, of launch: Int) {
        guard file?.launch == launch else { return }
        switch event.kind {
        case .started(let operation, let attempt):
            if !state.withLock({ $0.eventSteps.contains(operation) }) { started(operation, attempt, of: launch) }
        case .retrying(let operation, let attempt): write(JournalLine(.retrying, operation: operation, attempt: attempt), of: launch)
        case .ended(let operation, let outcome): write(JournalLine(.ended, operation: operation, outcome: outcome.rawValue), of: launch)
        case .stopped: state.withLock { $0.wasStopped = true }
        case .launchEnded:
            var line = JournalLine(.over)
            line.stopped = state.withLock { $0.wasStopped }
            write(line, of: launch)
        case .launchStarted: state.withLock { $0.wasStopped = false }
        case .ready, .dropped: break
        }
    }

    /// Writes down the outcome of the launch.
    public func ended(_ report: LaunchReport) {
        var line = JournalLine(.outcome, outcome: report.outcome.name)
        switch report.outcome {
        case .aborted(let operation, let reason): (line.operation, line.reason) = (operation, printable(reason.description, limit: 80))
        case .failed(let operation, let message):
            line.operation = operation
            // A report keeps an error's text only.
            if message == DismissedByPerson(operation: operation).description { line.reason = DismissedByPerson.journalReason }
            if file != nil, ConfigurationStore(directory.state).onTrial != nil { line.trial = true }
        case .completed, .cancelled: break
        }
        conclude(line)
    }

    /// A stall watch that writes down each stall before it calls `watch`: so that a launch that is ended while it hangs
    /// is known for one.
    package func watching(_ watch: StallWatch) -> StallWatch {
        watch.preceded { [self] status in
            if status.scope == nil { write(JournalLine(.stalled)) }
        }
    }

    // MARK: Events that the app tells

    /// The launch is of another kind from now on: as when an app that was prewarmed comes to the front, or one goes to
    /// the background.
    ///
    /// A background launch that comes to the front is a cold one from then on. While another one runs it is refused, as
    /// a second cold launch is, and stays in the background: wait for the end of one of the two, or cancel it. Going to
    /// the background is never refused, nor is anything when this journal's launch does not run.
    ///
    /// - Throws: a `GraphError` of the code `alreadyRunning`, which names the launch that runs.
    public func change(to kind: LaunchKind) throws(GraphError) {
        try admit(kind)
        var line = JournalLine(.kind)
        line.kind = kind
        write(line)
    }

    /// The user ends the app: from now on, its end does not count as a death.
    public func quit() { conclude(JournalLine(.quit)) }

    /// The app has worked for a while after the launch: the next launch leaves nothing out.
    ///
    /// Call it when a crash after the launch has become unlikely: after half a minute, say, or at the app's orderly
    /// end.
    public func stayedHealthy() { write(JournalLine(.healthy)) }

    /// Removes the journal of a launch that does not happen after all, as when a command line is wrong. Has no effect
    /// once the launch runs.
    ///
    /// A process that exits before its launch does so by itself. A process that a signal ends looks crashed, unless its
    /// handler calls this, or ``quit()``.
    public func withdraw() {
        if !state.withLock({ $0.isUsed }) { file?.remove() }
    }

    // MARK: Writing

    /// A launch begins with the journal: the lines of one that ran with it before are not about this one.
    package func launchBegins() {
        guard let file else { return }
        UnusedJournals.forget(file.path)
        if file.beginLaunch() { write(JournalLine(.relaunched)) }
    }

    func started(_ operation: String, _ attempt: Int, of launch: Int? = nil) {
        write(JournalLine(.started, operation: operation, attempt: attempt), once: "\(attempt) \(operation)", of: launch)
        guard state.withLock({ $0.personSteps.contains(operation) }) else { return }
        write(JournalLine(.asked, operation: operation), once: "asked \(attempt) \(operation)", of: launch)
    }

    /// Writes down how the launch ended. A journal that cannot say so is removed: the launch would be taken for one
    /// that died.
    private func conclude(_ line: JournalLine) {
        if !write(line) { file?.remove() }
    }

    /// - Parameters:
    ///   - launch: the launch that it is about, if it must be the one that has the journal now.
    ///   - isOfLaunch: whether the launch has begun: the journal of a process that exits before that is removed.
    /// - Returns: whether it was written, where anything is.
    @discardableResult
    func write(_ line: JournalLine, once attempt: String? = nil, of launch: Int? = nil, isOfLaunch: Bool = true) -> Bool {
        guard let file else { return true }
        // Here too: of a launch that runs without `recording(_:)`, nobody hears that it begins.
        if isOfLaunch, line.event != .planned, line.event != .kind { UnusedJournals.forget(file.path) }
        var line = line
        line.ms = ((ContinuousClock.now - start).milliseconds * 1000).rounded() / 1000
        do throws(StorageError) {
            try file.append(line, once: attempt, of: launch)
            return true
        } catch {
            report(error)
            return false
        }
    }

    private func drop(_ recovery: Recovery) {
        for problem in recovery.drop(from: directory) { report(problem) }
    }

    private func report(_ problem: StorageError) {
        let isNew = state.withLock { state in
            if state.problems.contains(where: { $0.code == problem.code }) { return false }
            state.problems.append(problem)
            return true
        }
        if isNew { onProblem(problem) }
    }

    // MARK: Past launches

    /// The launches whose journals are kept, the newest first, this one included.
    ///
    /// - Parameter location: of a `StateDirectory`; nothing is created there.
    public static func launches(in location: URL, named name: String = "journal") -> [JournaledLaunch] {
        Array(journals(in: location, named: name).launches)
    }

    /// The recovery of a launch of this version, if it began now.
    package static func nextRecovery(
        after launches: [JournaledLaunch],
        version: String?,
        limits: RecoveryLimits = RecoveryLimits()
    ) -> Recovery {
        RecoveryLadder(limits: limits).recovery(after: RecoveryLadder.relevant(launches, for: version))
    }

    /// The folder of the journals of that name.
    static func journals(in location: URL, named name: String) -> JournalDirectory {
        let folder = location.appendingPathComponent(StoreFileName(StoreKey(name)).description)
        return JournalDirectory(directory: PosixDirectory(path: folder.path))
    }
}
