#if canImport(Testing)
    import SequencerAnalysis
    public import Testing

    /// The budget of the launches that a test expects.
    ///
    /// ```swift
    /// @Test(.launchBudget(.milliseconds(500))) func launch() async throws { try await expectLaunch(appLaunch()) }
    /// ```
    ///
    /// A suite gives it to all of its tests. The trait of a test counts more than that of its suite.
    public struct LaunchBudgetTrait: TestTrait, SuiteTrait, TestScoping {
        let budget: Budget
        let isInRealTime: Bool

        /// The trait of the test in this task; tests that run beside one another have different ones.
        @TaskLocal static var current: LaunchBudgetTrait?

        /// Each test of a suite has it.
        public var isRecursive: Bool { true }

        /// Runs a test with the budget.
        public func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            try await Self.$current.withValue(self) { try await function() }
        }
    }

    extension Trait where Self == LaunchBudgetTrait {
        /// The most time that a launch of `expectLaunch` may take to its milestone.
        ///
        /// - Parameters:
        ///   - budget: the most time. Swift Testing's `.timeLimit` knows minutes, and stops a test that hangs; this one
        ///       is exact to the nanosecond, for it goes by virtual time.
        ///   - inRealTime: whether launches run in real time. Then other work of the machine counts, too.
        public static func launchBudget(_ budget: Budget, inRealTime: Bool = false) -> Self {
            LaunchBudgetTrait(budget: budget, isInRealTime: inRealTime)
        }
    }

    /// Runs a launch, and expects it to complete within its budget.
    ///
    /// If it does not, the test has an issue with the excess and the operations to blame, and the HTML report as an
    /// attachment (`swift test --attachments-path FOLDER` keeps it, in an existing folder). The test continues.
    ///
    /// - Parameters:
    ///   - graph: the graph to run.
    ///   - budget: the most time, in place of that of the trait `.launchBudget`. There must be one of the two.
    ///   - options: how to run it; nil for virtual time, unless the trait asks for real time.
    ///   - sourceLocation: where the issue is shown.
    /// - Returns: the launch.
    /// - Throws: a `GraphError` when the graph is not valid.
    @discardableResult
    nonisolated(nonsending) public func expectLaunch(
        _ graph: OperationGraph,
        budget: Budget? = nil,
        options: LaunchOptions? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> FinishedLaunch {
        let trait = LaunchBudgetTrait.current
        let limit = budget ?? trait?.budget
        if limit == nil {
            let complaint: Comment =
                "the launch has no budget: give the test the trait '.launchBudget(.seconds(3))', or 'expectLaunch' a 'budget'"
            Issue.record(complaint, sourceLocation: sourceLocation)
        }
        let launch = try await graph.run(budget: limit, options: options ?? (trait?.isInRealTime == true ? LaunchOptions() : .ofTests))
        recordShortfall(of: launch.report, within: limit, at: sourceLocation)
        return launch
    }

    /// Expects a launch that was run, or whose report was read, to have completed within its budget.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - budget: the most time; nil for that of the trait `.launchBudget`, and without one for the budget that the
    ///       launch was given.
    ///   - sourceLocation: where the issue is shown.
    public func expectLaunch(_ report: LaunchReport, budget: Budget? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        recordShortfall(of: report, within: budget ?? LaunchBudgetTrait.current?.budget, at: sourceLocation)
    }

    private func recordShortfall(of report: LaunchReport, within budget: Budget?, at location: SourceLocation) {
        guard let shortfall = LaunchShortfall(of: report, within: budget) else { return }
        // It becomes the name of a file.
        let name = printable(report.scenario, limit: 80).replacing("/", with: "-")
        Attachment.record(report.html(), named: "\(name.isEmpty ? "launch" : name).html", sourceLocation: location)
        Issue.record(Comment(rawValue: shortfall.description), sourceLocation: location)
    }
#endif
