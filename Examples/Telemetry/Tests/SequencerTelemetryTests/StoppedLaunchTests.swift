import Sequencer
import SequencerTelemetry
import Testing

@Suite("Telemetry of a launch that does not complete", .serialized, .timeLimit(.minutes(10)))
struct StoppedLaunchTests {
    /// running ── waiting
    /// (runs until it is told to cancel)
    static func graph(_ name: String, running body: @escaping @Sendable (StepContext) async throws -> Void) -> OperationGraph {
        var graph = OperationGraph(name)
        let running = graph.add("running", body: body)
        graph.add("waiting", .milestone, after: running) {}
        return graph
    }

    @Test("cancelled with its task: what ran and what waited end as cancelled, and every span ends once")
    func cancelled() async throws {
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let graph = Self.graph("cancelled") { launch in
            started.yield()
            try await launch.sleep(for: .seconds(3600))
        }
        let task = Task { try await WatchedLaunch.run(graph, options: LaunchOptions()) }
        for await _ in starts { break }
        task.cancel()
        let watched = try await task.value

        #expect(watched.report.outcome == .cancelled)
        #expect(
            watched.log.map { String($0.prefix { $0 != "=" }) } == [
                "info launch started launch", "trace operation ready launch", "debug operation started attempt",
                "notice launch stopped launch",
                "notice operation ended launch", "notice operation ended launch", "notice launch ended budget",
            ]
        )
        #expect(
            watched.counters == [
                #"sequencer.launch.ended ["cancelled", "cancelled"] 1"#,
                #"sequencer.operation.ended ["cancelled", "running", "cancelled"] 1"#,
                #"sequencer.operation.ended ["cancelled", "waiting", "cancelled"] 1"#,
            ]
        )
        // What never started was not timed.
        #expect(watched.metrics.timers.map(\.label).sorted() == ["sequencer.launch.duration", "sequencer.operation.duration"])
        expectEachEndsOnce(watched)
        #expect(watched.tracer.spans["cancelled"]?.events.count == 1)
    }

    @Test("aborted: the log, the metrics and the launch's span say by whom and why")
    func aborted() async throws {
        var graph = Self.graph("aborted") { launch in try await launch.sleep(for: .seconds(8)) }
        graph.add("force-update") { launch in
            try await launch.sleep(for: .milliseconds(300))
            launch.abort(.forceUpdate)
        }
        let watched = try await WatchedLaunch.run(graph)

        #expect(
            watched.log.suffix(5) == [
                "notice launch stopped launch=aborted time_ms=300.0",
                "notice operation ended launch=aborted operation=waiting outcome=cancelled time_ms=300.0",
                "info operation ended launch=aborted operation=force-update outcome=succeeded time_ms=300.0",
                "notice operation ended launch=aborted operation=running outcome=cancelled time_ms=300.0",
                "notice launch ended budget=met launch=aborted operation=force-update outcome=aborted reason=force-update time_ms=300.0",
            ]
        )
        #expect(watched.counters.contains(#"sequencer.launch.ended ["aborted", "aborted"] 1"#))
        expectEachEndsOnce(watched)
        #expect(watched.tracer.spans["aborted"]?.events == ["stopped 300"])
        #expect(watched.tracer.spans["waiting"]?.start == 300)
        #expect(watched.tracer.spans["waiting"]?.ends == [300])
        #expect(watched.tracer.spans["aborted"]?.isError == false)
    }

    @Test("failed: an error that names the operation, and spans with an error's status")
    func failed() async throws {
        let graph = Self.graph("failed") { launch in
            try await launch.sleep(for: .milliseconds(200))
            throw Failure()
        }
        let watched = try await WatchedLaunch.run(graph)

        #expect(
            watched.log.suffix(4) == [
                "warning operation ended launch=failed operation=running outcome=failed time_ms=200.0",
                "notice launch stopped launch=failed time_ms=200.0",
                "notice operation ended launch=failed operation=waiting outcome=cancelled time_ms=200.0",
                "error launch ended budget=missed launch=failed operation=running outcome=failed reason=no disk time_ms=200.0",
            ]
        )
        expectEachEndsOnce(watched)
        #expect(watched.tracer.spans["running"]?.isError == true)
        #expect(watched.tracer.spans["waiting"]?.isError == false)
        #expect(watched.tracer.spans["failed"]?.isError == true)
    }

    @Test("an operation that fails alone is a warning; what it leaves out is skipped, and the launch goes on")
    func skipped() async throws {
        var graph = OperationGraph("partly")
        let speaker = graph.add("speaker", .onFailure(.skipDependents)) { throw Failure() }
        graph.add("play", after: speaker) {}
        graph.add("main", .milestone) {}
        let watched = try await WatchedLaunch.run(graph)

        #expect(watched.log.contains("warning operation ended launch=partly operation=speaker outcome=failed time_ms=0.0"))
        #expect(watched.log.contains("info operation ended launch=partly operation=play outcome=skipped time_ms=0.0"))
        #expect(watched.log.last == "info launch ended budget=met launch=partly outcome=completed time_ms=0.0")
        expectEachEndsOnce(watched)
    }

    @Test("an operation that goes on after the deadline: its span ends once, at the deadline, and not again when it comes to its end")
    func straggler() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (lates, late) = AsyncStream.makeStream(of: Void.self)
        let graph = Self.graph("late") { _ in
            // A task of its own, which hears of no cancellation.
            await Task { for await _ in ends { break } }.value
            late.yield()
        }
        let watched = try await WatchedLaunch.run(graph, deadline: .seconds(1))
        #expect(watched.log.last?.hasPrefix("error launch ended budget=missed launch=late operation=running outcome=failed") == true)
        expectEachEndsOnce(watched)
        #expect(watched.tracer.spans["running"]?.outcome == "timedOut")

        end.yield()
        for await _ in lates { break }
        expectEachEndsOnce(watched)
    }

    private func expectEachEndsOnce(_ watched: WatchedLaunch) {
        let spans = watched.tracer.spans
        let expected = Set(watched.report.operations.map(\.id) + [watched.report.scenario])
        #expect(Set(spans.keys) == expected)
        for span in spans.values {
            #expect(span.ends.count == 1, "\(span.name)")
            #expect(span.parent == (span.name == watched.report.scenario ? nil : "span-1"), "\(span.name)")
        }
        for operation in watched.report.operations {
            #expect(spans[operation.id]?.outcome == operation.outcome.rawValue)
        }
    }
}
