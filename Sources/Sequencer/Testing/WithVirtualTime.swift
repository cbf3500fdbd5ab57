#if canImport(Testing)
    public import Testing

    /// Runs code of an app in virtual time: debounces, retries, expiries, polls and timeouts take no real time.
    ///
    /// ```swift
    /// @Test func onlyTheLastTextIsSearched() async throws {
    ///     try await withVirtualTime { clock in
    ///         let search = Search(clock: clock)
    ///         await search.type("s")
    ///         try await clock.sleep(for: .milliseconds(100))
    ///         await search.type("se")
    ///         try await clock.sleep(for: .milliseconds(300))
    ///         #expect(await search.requests == ["se"])
    ///     }
    /// }
    /// ```
    ///
    /// The clock runs one thing at a time: `body`, its child tasks, and the tasks that it makes, on actors and, on Linux, on
    /// the main actor too. Time moves when none of them can run and one or more sleep on the clock. Launches on the clock
    /// may run within `body`. Make what has tasks of its own within `body`: tasks from before are not the clock's.
    ///
    /// A wait that nothing on the clock can end is an issue at this call, within a second of real time: a value that
    /// never comes, a sleep on another clock. `body` is cancelled then, and not waited for. So give code that waits for
    /// something real, such as a file, a clock with more patience.
    ///
    /// Elsewhere less is known of the main actor: beside other tests that use it, its tasks may come late.
    ///
    /// Tasks that `body` leaves run until they sleep, or wait. They do not go on after that: cancel, and do not wait for
    /// what repeats itself.
    ///
    /// - Parameters:
    ///   - clock: the clock; nil for one that stands at zero and has 0.4 seconds of patience.
    ///   - limit: the most virtual time that `body` may take; more is an issue.
    ///   - sourceLocation: where an issue is shown.
    ///   - body: the code. It is given the clock, and runs off the main thread, unless it is isolated to the main actor.
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`. After an issue an error that Swift Testing does not record again.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @discardableResult
    nonisolated(nonsending) public func withVirtualTime<Value: Sendable>(
        on clock: VirtualClock? = nil,
        limit: Duration = .seconds(86_400),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (VirtualClock) async throws -> Value
    ) async throws -> Value {
        let clock = clock ?? VirtualClock(ofInterleavings: .milliseconds(400))
        do {
            return try await clock.scheduler.run(limit: limit) { try await body(clock) }
        } catch let wait as EndlessWait {
            let value: Value? = nil
            return try #require(value, "the body of withVirtualTime has not ended: \(wait)", sourceLocation: sourceLocation)
        }
    }
#endif
