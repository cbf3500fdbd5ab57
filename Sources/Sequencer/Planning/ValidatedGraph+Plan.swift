extension OperationGraph {
    /// Predicts a launch of this graph from expected durations. See ``ValidatedGraph/plan(_:)``.
    ///
    /// - Throws: a ``GraphError`` when the graph or the options are not valid.
    public func plan(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        try validated().plan(options)
    }

    /// The fewest lanes that make a launch of this graph as short as any number of lanes can. See ``ValidatedGraph/planWithFewestLanes(_:)``.
    ///
    /// - Throws: a ``GraphError`` when the graph or the options are not valid.
    public func planWithFewestLanes(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        try validated().planWithFewestLanes(options)
    }
}

extension ValidatedGraph {
    /// Predicts a launch of this graph from expected durations: as short a schedule as can be found.
    ///
    /// The search begins with the operation with the longest remaining path first, tries other rules, then changes the best schedule here and there; it ends
    /// when the makespan is as short as the lower bound, or after a number of schedules that ``PlanOptions/effort`` multiplies. The same graph and
    /// options always give the same plan. Operations of which no duration is known take no time; see
    /// ``LaunchPlan/operationsWithoutExpectation``.
    ///
    /// - Throws: a ``GraphError`` when an option is out of range, or names an operation that is not in the graph.
    /// - Complexity: a few milliseconds for a hundred operations; O(dependencies + operations · log operations) for one of very many.
    public func plan(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        let problem = try planningProblem(options)
        return plan(options, problem)
    }

    /// The fewest lanes that make the launch as short as any number of lanes can, as far as the search finds: the plan for them.
    ///
    /// With fewer, operations would wait for lanes longer than the longest path allows; more would idle. `lanes` of `options` is not used.
    ///
    /// - Throws: a ``GraphError`` when an option is out of range, or names an operation that is not in the graph.
    public func planWithFewestLanes(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        var options = options
        options.lanes = nil
        let problem = try planningProblem(options)
        let widest = plan(options, problem)
        let target = widest.makespan.nanoseconds
        options.lanes = max(widest.lanes, 1)
        let bound = problem.provenBound(lanes: options.lanes)
        var best = LaunchPlan(self, options, problem, widest.schedule, provenBound: bound, evaluations: widest.evaluations)
        // Fewer than `low` are too few; `best` is enough. From below, in steps that double, then halfway in between.
        var low = target > 0 ? Int(clamping: LowerBound(problem, lanes: 1).lanes.dividedRoundingUp(by: target)) : 1
        low = max(low, 1)
        var step = 1
        var next = low
        while low < best.lanes {
            options.lanes = min(next, best.lanes - 1)
            let candidate = plan(options, problem, enough: target)
            if candidate.makespan.nanoseconds <= target {
                best = candidate
                step = 0
            } else {
                low = candidate.lanes + 1
            }
            next = step > 0 ? low + step - 1 : low + (best.lanes - low) / 2
            step *= 2
        }
        return best
    }

    private func planningProblem(_ options: PlanOptions) throws(GraphError) -> PlanningProblem {
        let problems = options.problems(for: self)
        guard problems.isEmpty else { throw GraphError(graph: name, problems: problems) }
        return PlanningProblem(self, durations: options.durations(in: self))
    }

    /// - Parameter enough: the makespan at which the search is content, even if there may be a shorter one.
    private func plan(_ options: PlanOptions, _ problem: PlanningProblem, enough: Nanoseconds = 0) -> LaunchPlan {
        let bound = problem.provenBound(lanes: options.lanes)
        var search = PlanSearch(
            problem,
            lanes: options.lanes ?? max(count, 1),
            target: max(bound, enough),
            limit: PlanSearch.limit(count: count, effort: options.effort),
            seed: options.seed
        )
        search.run()
        return LaunchPlan(self, options, problem, search.best, provenBound: bound, evaluations: search.evaluations)
    }
}

extension LaunchPlan {
    fileprivate var schedule: PlanSearch.Schedule {
        PlanSearch.Schedule(makespan: makespan.nanoseconds, starts: starts, sequence: sequence)
    }
}
