/// What a running operation says it waits for.
struct ToldWait: Sendable {
    let attempt: Int
    let since: Nanoseconds
    let what: @Sendable () -> String
}

extension LaunchStorage {
    /// Keeps what an operation says it waits for.
    ///
    /// - Returns: what it said before, to be given back to ``waitEnded(_:_:)``.
    func waitBegan(_ assignment: Assignment, _ what: @escaping @Sendable () -> String) -> ToldWait? {
        let now = timekeeper.now
        return state.withLock { state in
            guard state.machine.isCurrent(assignment) else { return nil }
            let wait = ToldWait(attempt: assignment.attempt, since: now, what: what)
            return state.waits.updateValue(wait, forKey: assignment.node)
        }
    }

    func waitEnded(_ assignment: Assignment, _ outer: ToldWait?) {
        state.withLock { state in
            guard state.machine.isCurrent(assignment) else { return }
            state.waits[assignment.node] = outer
        }
    }

    /// What every operation that has not ended waits for.
    var status: LaunchStatus {
        let now = timekeeper.now
        let (pending, waits, told, end) = state.withLock { state in
            let end = state.machine.phase == .over ? state.machine.endOfLaunch : nil
            return (state.machine.pending(), state.waits, state.machine.nodes.map(\.isToldToCancel), end)
        }
        return LaunchStatus(
            scenario: graph.name,
            time: .nanoseconds(end ?? now),
            operationCount: graph.count,
            operations: pending.map { pending in
                let said = pending.wait == .code ? waits[pending.node] : nil
                return LaunchStatus.Operation(
                    id: graph.id(pending.node),
                    wait: wait(pending.wait, said),
                    since: .nanoseconds(said?.since ?? pending.since),
                    isToldToCancel: told[pending.node]
                )
            }
        )
    }

    private func wait(_ wait: LaunchStateMachine.Wait, _ said: ToldWait?) -> LaunchStatus.Wait {
        func names(_ nodes: [Int]) -> [String] { nodes.map { graph.id($0) } }
        return switch wait {
        case .dependencies(let nodes): .dependencies(names(nodes))
        case .lane(let nodes): .lane(takenBy: names(nodes))
        case .thread(let nodes): .thread(blockedBy: names(nodes))
        case .mainThread: .mainThread
        case .resource(let resource, let node): .resource(resource, heldBy: graph.id(node))
        case .condition: .condition
        case .retry: .retry
        case .person: .person
        case .code: .code(said?.what())
        }
    }
}
