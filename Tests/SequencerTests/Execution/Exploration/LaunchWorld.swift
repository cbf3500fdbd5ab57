@testable import Sequencer

/// A state machine with everything around it that could go on next: threads, code that runs, time, and people.
///
/// ``moves`` says what could happen next; ``make(_:)`` has it happen, and notes each promise that it breaks.
struct LaunchWorld {
    /// Something that could happen next.
    enum Move: Hashable {
        case workerBegins
        case mainTurn
        /// The code that was handed out as number `task` ends; one on a worker asks for the next.
        case end(task: Int, LaunchStateMachine.Result)
        /// The code goes on elsewhere, and its worker asks for the next.
        case suspend(task: Int)
        case answer(task: Int, Bool?)
        case abort(task: Int)
        case takeoverEnds
        case time
        case cancel
        case cancelStep
    }

    private struct Task: Equatable {
        enum Place: UInt8 {
            case worker, suspended, main
        }

        var assignment: LaunchStateMachine.Assignment
        var place: Place
        var hasAborted = false
    }

    let launch: ExploredLaunch
    private var machine: LaunchStateMachine
    /// Workers that have been asked for and have not begun.
    private var waitingWorkers = 0
    private var mainTurns = 0
    private var tasks: [Task] = []
    private var isTakeoverUp = false
    private var isCancelled = false
    private var isStepCancelled = false
    private var now: Nanoseconds = 0
    /// By operation: the outcome of its end, once there was one.
    private var ends: [Outcome?]
    private var isStopped = false
    private var overCount = 0
    private(set) var violations: [String] = []

    init(_ launch: ExploredLaunch) throws {
        self.launch = launch
        machine = try launch.machine()
        ends = Array(repeating: nil, count: launch.steps.count)
        machine.input(at: 0) { $0.begin() }
        act()
    }

    /// The launch has said that it is over.
    var isOver: Bool { overCount > 0 }

    // MARK: What could happen

    var moves: [Move] {
        var moves: [Move] = []
        if waitingWorkers > 0 { moves.append(.workerBegins) }
        if mainTurns > 0 { moves.append(.mainTurn) }
        for (number, task) in tasks.enumerated() {
            let step = launch.steps[task.assignment.node]
            switch task.assignment.kind {
            case .checkCondition:
                moves += [true, false, nil].map { .answer(task: number, $0) }
            case .computeFallback:
                moves.append(.end(task: number, .succeeded))
            case .run:
                let isTold = machine.nodes[task.assignment.node].isToldToCancel || machine.nodes[task.assignment.node].state == .ended
                if step.body == .suspending, task.place == .worker { moves.append(.suspend(task: number)) }
                if !step.hangs || isTold { moves.append(.end(task: number, .succeeded)) }
                if step.mayFail { moves.append(.end(task: number, .failed)) }
                if isTold { moves.append(.end(task: number, .cancelled)) }
                if step.mayAbort, !task.hasAborted { moves.append(.abort(task: number)) }
            }
        }
        if isTakeoverUp { moves.append(.takeoverEnds) }
        guard !isOver else { return moves }
        if nextWake != nil { moves.append(.time) }
        if launch.mayCancel, !isCancelled { moves.append(.cancel) }
        if launch.cancelledStep != nil, !isStepCancelled { moves.append(.cancelStep) }
        return moves
    }

    private var nextWake: Nanoseconds? {
        var machine = machine
        return machine.nextWake
    }

    // MARK: Having it happen

    mutating func make(_ move: Move) {
        switch move {
        case .workerBegins:
            waitingWorkers -= 1
            hand(machine.take(.worker, at: now), to: .worker)
        case .mainTurn:
            mainTurns -= 1
            hand(machine.take(.main, at: now), to: .main)
        case .end(let number, let result):
            let task = tasks.remove(at: number)
            let wasEnded = ends[task.assignment.node] != nil
            let taker: LaunchStateMachine.Taker? = task.place == .worker ? .worker : nil
            let (counted, next) = machine.attemptEnded(task.assignment, result, thenTakeFor: taker, at: now)
            hand(next, to: .worker)
            if counted, wasEnded { violations.append("an end of op\(task.assignment.node) counted after its end") }
        case .suspend(let number):
            tasks[number].place = .suspended
            hand(machine.take(.worker, after: tasks[number].assignment, at: now), to: .worker)
        case .answer(let number, let answer):
            let task = tasks.remove(at: number)
            let node = task.assignment.node
            if machine.conditionAnswered(node, answer, at: now) {
                hand(LaunchStateMachine.Assignment(node: node, attempt: task.assignment.attempt, kind: .run), to: task.place)
            } else if task.place == .worker {
                hand(machine.take(.worker, after: task.assignment, at: now), to: .worker)
            }
        case .abort(let number):
            tasks[number].hasAborted = true
            let node = tasks[number].assignment.node
            let isAccepted = machine.input(at: now) { $0.abort(by: node, "test", hasTakeover: launch.hasTakeover) }
            if isAccepted, isStopped { violations.append("op\(node) aborted a launch that had stopped") }
            if isAccepted, launch.hasTakeover { isTakeoverUp = true }
        case .takeoverEnds:
            isTakeoverUp = false
            machine.input(at: now) { $0.takeoverEnded() }
        case .time:
            now = max(now, nextWake ?? now)
            machine.timePassed(to: now)
            if let next = nextWake, next <= now { violations.append("what was due did not take effect") }
        case .cancel:
            isCancelled = true
            machine.input(at: now) { $0.cancelLaunch() }
        case .cancelStep:
            isStepCancelled = true
            machine.cancelOperation(launch.cancelledStep ?? 0, at: now)
        }
        act()
    }

    private mutating func hand(_ assignment: LaunchStateMachine.Assignment?, to place: Task.Place) {
        guard let assignment else { return }
        let isMain = launch.steps[assignment.node].body == .main && assignment.kind != .computeFallback
        if isMain != (place == .main) { violations.append("op\(assignment.node) runs on the wrong thread") }
        if isStopped { violations.append("op\(assignment.node) was handed out after the stop") }
        if tasks.contains(where: { $0.assignment == assignment }) { violations.append("op\(assignment.node) was handed out twice") }
        tasks.append(Task(assignment: assignment, place: place))
    }

    // MARK: Promises

    /// Whether the milestone has ended in a launch that went on then.
    private var isMilestoneReached: Bool {
        guard let milestone = launch.milestone, let outcome = ends[milestone] else { return false }
        return machine.stop != .failed(milestone) && outcome != .skipped
    }

    private mutating func act() {
        let actions = exchange(&machine.actions, with: LaunchStateMachine.Actions())
        // On threads that are no workers, as what has suspended.
        for fallback in actions.fallbacks { hand(fallback, to: .suspended) }
        waitingWorkers += actions.workers
        mainTurns += actions.mainTurns
        if actions.isOver { overCount += 1 }
        if overCount > 1 { violations.append("the launch ended twice") }
        for node in actions.cancel where ends[node] != nil && machine.nodes[node].state != .ended {
            violations.append("op\(node) was told to cancel after its end")
        }
        for event in machine.takeEvents() { check(event) }
        for (node, outcome) in ends.enumerated() {
            guard let outcome else { continue }
            let isAsEnded = machine.nodes[node].state == .ended && machine.nodes[node].outcome == outcome
            if !isAsEnded { violations.append("op\(node) had ended, and did not stay so") }
        }
        let held = machine.nodes.count { $0.holdsLane }
        if let lanes = launch.lanes, held > lanes { violations.append("\(held) operations on \(lanes) lanes") }
        let holders = machine.nodes.indices.filter { node in
            let state = machine.nodes[node].state
            return launch.steps[node].resource != nil && (state == .checking || state == .running)
        }
        if holders.count > 1 { violations.append("\(holders) held one resource") }
        if machine.activeWorkers > launch.workers { violations.append("\(machine.activeWorkers) workers, and \(launch.workers) at most") }
        if isOver {
            if ends.contains(nil) { violations.append("the launch ended before its operations") }
            if machine.nodes.contains(where: \.holdsLane) { violations.append("a lane was taken when the launch ended") }
        }
    }

    private mutating func check(_ event: LaunchEvent) {
        func position(_ id: String) -> Int { machine.graph.position(of: id) ?? 0 }
        switch event.kind {
        case .ready(let id), .started(let id, _):
            let node = position(id)
            if isStopped, case .started = event.kind { violations.append("op\(node) started after the stop") }
            if ends[node] != nil { violations.append("op\(node) started after its end") }
            for dependency in launch.steps[node].dependencies where ends[dependency] == nil {
                violations.append("op\(node) began before op\(dependency) had ended")
            }
        case .ended(let id, let outcome):
            if ends[position(id)] != nil { violations.append("\(id) ended twice") }
            ends[position(id)] = outcome
        case .stopped:
            if isStopped { violations.append("the launch stopped twice") }
            isStopped = true
            if isMilestoneReached, case .failed(let node)? = machine.stop {
                violations.append("op\(node) failed after the milestone, and stopped the launch")
            }
        case .launchStarted, .retrying, .launchEnded, .dropped: break
        }
    }

    /// Nothing can happen any more: is everything as it has to be?
    mutating func checkRest() {
        if !isOver { violations.append("nothing can happen any more, and the launch has not ended") }
        if machine.activeWorkers != 0 { violations.append("\(machine.activeWorkers) workers never came back") }
    }

    // MARK: Telling states apart

    /// What decides what can happen from here.
    var key: [Int32] {
        var key: [Int32] = []
        for node in machine.nodes {
            var flags: Int32 = 0
            for flag in [
                node.holdsLane, node.thread != .none, node.isToldToCancel, node.isSkippedAlone, node.hasFallenBack,
                node.isStraggler,
                node.isDeferred, node.cause >= 0,
            ] { flags = flags << 1 | (flag ? 1 : 0) }
            key += [Int32(node.state.rawValue), Int32(node.outcome.number), node.waiting, Int32(node.attempts), flags]
        }
        var flags: Int32 = 0
        for flag in [isTakeoverUp, isCancelled, isStepCancelled, isStopped, isOver, machine.isTakeoverRunning] {
            flags = flags << 1 | (flag ? 1 : 0)
        }
        key += [flags, Int32(waitingWorkers), Int32(mainTurns), Int32(machine.activeWorkers), Int32(machine.pendingMainTurns)]
        key += [Int32(machine.readyForWorkers.count), Int32(machine.readyForMain.count)]
        // Time only moves to what is due, so there are few different ones.
        key.append(Int32(clamping: now))
        var timers = machine.timers
        while let timer = timers.pop() {
            if machine.isDue(timer) { key += [timer.node, timer.kind == .pause ? 1 : 2, Int32(clamping: timer.time)] }
        }
        key += [-2, Int32(clamping: machine.graceEnd ?? -1)]
        // In which order the code that runs was handed out changes nothing.
        let running = tasks.map { task in
            [
                Int32(task.assignment.node), Int32(task.assignment.attempt), task.assignment.kind.number, Int32(task.place.rawValue),
                task.hasAborted ? 1 : 0,
            ]
        }
        for task in running.sorted(by: { $0.lexicographicallyPrecedes($1) }) { key += task }
        for (code, _) in machine.replacedWorkers { key += [-4, Int32(code.node), Int32(code.attempt)] }
        return key
    }
}

extension Outcome {
    fileprivate var number: Int { [.succeeded, .fellBack, .failed, .timedOut, .cancelled, .skipped].firstIndex(of: self) ?? 6 }
}

extension LaunchStateMachine.Assignment.Kind {
    fileprivate var number: Int32 {
        switch self {
        case .checkCondition: 0
        case .run: 1
        case .computeFallback: 2
        }
    }
}
