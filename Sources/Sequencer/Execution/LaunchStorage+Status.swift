extension LaunchStorage {
    /// Keeps the wait that an operation has announced.
    ///
    /// - Returns: the wait that it told of before, to be given back to ``waitEnded(_:_:)``.
    func waitBegan(_ assignment: Assignment, _ what: @escaping @Sendable () -> String) -> ToldWait? {
        let now = timekeeper.now
        return state.withLock { state in
            guard state.machine.isCurrent(assignment) else { return nil }
            let wait = ToldWait(attempt: assignment.attempt, since: now, what: what)
            return state.waits.updateValue(wait, forKey: assignment.node)
        }
    }

    func waitEnded(_ assignment: Assignment, _ outer: ToldWait?) {
        let former = state.withLock { state -> ToldWait? in
            guard state.machine.isCurrent(assignment) else { return nil }
            defer { state.waits[assignment.node] = outer }
            return state.waits[assignment.node]
        }
        // Released without the lock: its closure may hold objects of the app, whose `deinit` may block.
        withExtendedLifetime(former) {}
    }

    /// The waits of operations at one moment, before they are put into words: that asks code of the app.
    struct StatusSnapshot: Sendable {
        let time: Nanoseconds
        let pending: LaunchStateMachine.PendingOperations
        let waits: [Int: ToldWait]
        let told: [Bool]
        /// Identifiers of those that virtual time goes on without.
        let inRealTime: Set<String>
        /// The scopes that run, each at the same moment.
        var scopes: [(launch: LaunchStorage, snapshot: StatusSnapshot)] = []
    }

    /// The wait of every operation that has not ended.
    var status: LaunchStatus { status(statusSnapshot) }

    var statusSnapshot: StatusSnapshot {
        let now = timekeeper.now
        let (launch, scopes) = state.withLock { state -> (StatusSnapshot, [LaunchStorage]) in
            let snapshot = StatusSnapshot(
                // The operations of a launch may be over while its scopes go on.
                time: state.machine.phase == .over ? state.machine.endOfLaunch : now,
                pending: state.machine.pending(),
                waits: state.waits,
                told: state.machine.nodes.map(\.isToldToCancel),
                inRealTime: Set(state.anomalies.lazy.filter { $0.kind == .waitedInRealTime }.compactMap(\.operation))
            )
            return (snapshot, state.scopes.running)
        }
        var snapshot = launch
        // Without the lock: each scope takes its own.
        snapshot.scopes = scopes.map { ($0, $0.statusSnapshot) }
        return snapshot
    }

    func status(_ snapshot: StatusSnapshot) -> LaunchStatus {
        let pending = snapshot.pending
        // Thousands may wait for the same lanes: one list of names for all of them.
        let (laneHolders, blockers) = (pending.laneHolders.map(graph.id), pending.blockers.map(graph.id))
        func wait(_ wait: LaunchStateMachine.Wait, _ said: String?) -> LaunchStatus.Wait {
            switch wait {
            case .dependencies(let nodes): .dependencies(nodes.map(graph.id))
            case .lane: .lane(takenBy: laneHolders)
            case .thread: .thread(blockedBy: blockers)
            case .mainThread: .mainThread
            case .operationQueue: .operationQueue
            case .resource(let resource, let node): .resource(resource, heldBy: graph.id(node))
            case .milestone: .milestone
            case .condition: .condition
            case .retry: .retry
            case .person: .person
            case .code: .code(said)
            }
        }
        return LaunchStatus(
            scenario: graph.name,
            scope: scope,
            time: .nanoseconds(snapshot.time),
            operationCount: graph.count,
            operations: pending.operations.map { pending in
                // Any other wait is the engine's own, which knows it better than the operation.
                let said = pending.wait == .code ? snapshot.waits[pending.node] : nil
                return LaunchStatus.Operation(
                    id: graph.id(pending.node),
                    wait: wait(
                        pending.wait,
                        said?.what() ?? graph.eventName(pending.node).map { "the event '\(printable($0))'" }
                            ?? (snapshot.inRealTime.contains(graph.id(pending.node)) ? "something that is not on the virtual clock" : nil)
                    ),
                    since: .nanoseconds(said?.since ?? pending.since),
                    isToldToCancel: snapshot.told[pending.node]
                )
            },
            scopes: snapshot.scopes.map { $0.launch.status($0.snapshot) }
        )
    }
}
