import Observation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerObservation

/// What a screen sees of a launch. Steps that wait for a gate hold virtual time still.
@Suite("A launch for a screen", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct LaunchModelTests {
    private static var options: LaunchOptions { LaunchOptions(deadline: .never, clock: VirtualClock(patience: patience)) }

    @Test("it is told how far the launch is, what runs, for whom it waits, and how it ended")
    func follows() async throws {
        let (answered, granted) = (Gate(), Gate())
        let permission = ExternalEvent<Void>("permission")
        var graph = OperationGraph("launch")
        let config = graph.add("config") { launch in try await launch.sleep(for: .milliseconds(200)) }
        let login = graph.add("login", after: config) { launch in try await launch.waitForPerson { await answered.wait() } }
        graph.add("dialog", .fulfills(permission), after: login) { await granted.wait() }
        let allowed = graph.wait(for: permission, after: login)
        let main = graph.add("main", .milestone, after: allowed, on: .main) {}
        graph.add("sync", after: main) {}

        let (model, changed) = (LaunchModel(), Gate())
        let fraction = withObservationTracking {
            model.fraction
        } onChange: {
            changed.open()
        }
        #expect(fraction == 0 && model.outcome == nil)
        let launch = try graph.start(options: Self.options)
        model.follow(launch)
        await changed.wait()
        await eventually { model.waits == [.person(operation: "login")] && model.running == ["login"] }
        // Of the four operations that the milestone needs.
        #expect(model.fraction == 0.25 && model.outcome == nil)
        answered.open()
        await eventually {
            model.waits == [.event("permission", operation: "permission")] && Set(model.running) == ["dialog", "permission"]
        }
        #expect(model.fraction == 0.5)
        granted.open()
        _ = await launch.end()
        await eventually { model.outcome == .completed && model.fraction == 1 && model.running.isEmpty }
        #expect(model.waits.isEmpty && model.remaining == nil)
    }

    @Test("the time that is left is that of the longest expected way to the milestone, at the last event")
    func remaining() async throws {
        let goOn = Gate()
        var graph = OperationGraph("expected")
        let config = graph.add("config", .expected(.milliseconds(200))) { launch in
            try await launch.sleep(for: .milliseconds(50))
            await goOn.wait()
        }
        graph.add("tick") { launch in try await launch.sleep(for: .milliseconds(40)) }
        let main = graph.add("main", .milestone, .expected(.milliseconds(100)), after: config) {}
        graph.add("sync", .expected(.seconds(9)), after: main) {}
        let model = LaunchModel()
        let launch = try graph.start(options: Self.options)
        model.follow(launch)
        await eventually { model.remaining == .milliseconds(260) }
        goOn.open()
        _ = await launch.end()
        await eventually { model.outcome == .completed }
        #expect(model.remaining == nil)
    }

    @Test("a model that follows another launch is told nothing more of the one before")
    func another() async throws {
        let (answered, goOn) = (Gate(), Gate())
        var (graph, other) = (OperationGraph("first"), OperationGraph("second"))
        graph.add("asks", .milestone) { launch in try await launch.waitForPerson { await answered.wait() } }
        other.add("waits", .milestone) { await goOn.wait() }
        let model = LaunchModel()
        let first = try graph.start(options: Self.options)
        model.follow(first)
        await eventually { model.waits == [.person(operation: "asks")] }
        let second = try other.start(options: Self.options)
        model.follow(second)
        #expect(model.waits.isEmpty && model.running.isEmpty)
        await eventually { model.running == ["waits"] }
        answered.open()
        _ = await first.end()
        // Within these turns, an event of the first launch would arrive.
        for _ in 0..<20 { await Task.yield() }
        #expect(model.running == ["waits"] && model.fraction == 0 && model.outcome == nil)
        goOn.open()
        _ = await second.end()
        await eventually { model.outcome == .completed && model.fraction == 1 && model.running.isEmpty }
    }

    @Test("a reader who came too late for events knows at the end that all has ended, and that nobody is asked")
    func dropped() throws {
        var graph = OperationGraph("large")
        graph.add("a", .expected(.seconds(1))) {}
        graph.add("b", .milestone, .expected(.seconds(1)), after: "a") {}
        var followed = FollowedLaunch(try graph.validated())
        for kind in [.dropped(2), .started("a", attempt: 1), .dropped(3), .launchEnded] as [LaunchEvent.Kind] {
            followed.apply(LaunchEvent(kind: kind, time: .zero))
        }
        followed.ask("b", isAsking: true)
        #expect(followed.fraction == 1 && followed.remaining == nil && followed.running.isEmpty && followed.waits.isEmpty)
    }

    @Test("for a preview, a report stands for its launch at any time; a model that follows a launch then forgets it")
    func previews() async throws {
        var graph = OperationGraph("preview")
        let config = graph.add("config") { launch in try await launch.sleep(for: .milliseconds(200)) }
        let login = graph.add("login", .interactive, after: config) { launch in try await launch.sleep(for: .milliseconds(300)) }
        graph.add("main", .milestone, after: login) { launch in try await launch.sleep(for: .milliseconds(100)) }
        let report = try await graph.run(options: Self.options).report
        let asking = LaunchModel(report, at: .milliseconds(250))
        #expect(asking.fraction == 1.0 / 3 && asking.running == ["login"] && asking.waits == [.person(operation: "login")])
        #expect(asking.remaining == nil && asking.outcome == nil)
        #expect(LaunchModel(report, at: .milliseconds(100)).remaining == .milliseconds(200), "without the person's time that is to come")
        let model = LaunchModel(report, at: .milliseconds(550))
        #expect(model.running == ["main"] && model.waits.isEmpty && model.remaining == .milliseconds(50))
        #expect(LaunchModel(report).fraction == 1 && LaunchModel(report).outcome == .completed)

        let goOn = Gate()
        var other = OperationGraph("other")
        other.add("waits") { await goOn.wait() }
        let launch = try other.start(options: Self.options)
        model.follow(launch)
        #expect(model.fraction == 0 && model.running.isEmpty && model.remaining == nil)
        await eventually { model.running == ["waits"] }
        goOn.open()
        _ = await launch.end()
        await eventually { model.outcome == .completed && model.fraction == 1 }
    }
}
