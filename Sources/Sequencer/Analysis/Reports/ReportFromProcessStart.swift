import Sequencer

extension LaunchReport {
    /// The launch as seen by the user who started the process: its times count from there, and the time before the
    /// launch is the first operation, which is not work of the launch. A report whose budget does not count from there
    /// is unchanged. For drawings and tables.
    package var fromProcessStart: LaunchReport {
        guard let before = beforeRun, before > .zero else { return self }
        var report = self
        // A step may be called so.
        var id = "(before the launch)"
        while operations.contains(where: { $0.id == id }) { id = "(\(id))" }
        // Critical: nothing of the launch could begin before it.
        var first = OperationReport(id: id, outcome: .succeeded, start: .zero, end: before)
        (first.isMain, first.isCritical) = (true, true)
        report.operations = [first] + operations.map { $0.later(by: before) }
        report.criticalPath = [id] + criticalPath
        report.criticalPathDuration += before
        report.makespan += before
        report.afterMilestone?.start += before
        // The times in their reports count from their own starts.
        for place in report.scopes.indices { report.scopes[place].start += before }
        report.budget.budget = budget.budget?.fromLaunch
        report.budget.questions = budget.questions.map { $0.lowerBound + before..<$0.upperBound + before }
        report.startedAt = startedAt.map { $0.addingTimeInterval(-(before / .seconds(1))) }
        // It is an operation now, and would be added a second time.
        report.beforeRun = nil
        return report
    }
}

extension LaunchReport {
    /// The scopes and those within them, each after the one that it is in, with its path, as `window/sync`, and its
    /// start in this launch.
    var allScopes: [Scope] {
        // Recursion has an end: scopes are within one another 16 deep at most.
        scopes.flatMap { scope in
            [scope]
                + scope.report.allScopes.map { inner in
                    var inner = inner
                    (inner.name, inner.start) = ("\(scope.name)/\(inner.name)", scope.start + inner.start)
                    return inner
                }
        }
    }
}

extension OperationReport {
    /// The same operation, with times that count from so much earlier.
    func later(by time: Duration) -> OperationReport {
        var operation = self
        operation.ready = ready.map { $0 + time }
        operation.start = start.map { $0 + time }
        operation.end += time
        return operation
    }
}
