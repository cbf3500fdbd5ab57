import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("The update check", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ForceUpdateOperationTests {
    private struct Policies: UpdatePolicyService {
        let asked = Locked<[SemanticVersion]>([])
        var answer: Result<UpdatePolicy, NetworkError>

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            asked.withLock { $0.append(version) }
            return try answer.get()
        }
    }

    private static let version = SemanticVersion(1, 2)
    private static let required = UpdatePolicy(minimumVersion: SemanticVersion(2), message: "Please update.")

    /// Runs the check beside a step that would take longer, and the main screen that waits for both.
    private func launch(
        _ answer: Result<UpdatePolicy, NetworkError>,
        state: LaunchState = LaunchState(MemoryStore()),
        _ person: AgreeablePerson = AgreeablePerson()
    ) async throws -> LaunchReport {
        let stage = Stage()
        let operation = ForceUpdateOperation(
            service: Policies(answer: answer),
            state: state,
            version: Self.version,
            presenter: person,
            stage: stage
        ) { $0.now = { Date(timeIntervalSince1970: 1_795_000_000) } }
        var graph = OperationGraph("check")
        let check = graph.add("force-update", .onFailure(.continue)) { launch in try await operation.run(in: launch) }
        let other = graph.add("other") { launch in try await launch.sleep(for: .seconds(1)) }
        graph.add("main-app", .milestone, after: check, other, on: .main) { launch in
            try await stage.present(by: launch.operation) {
                await person.showMain(
                    MainContent(configuration: LoadedConfiguration(.bundled, from: .bundled), account: .guest, speaker: nil)
                )
            }
        }
        return try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
    }

    @Test("A11: maintenance takes over as well, by a reason of its own; where nothing can be shown the launch is aborted all the same")
    func maintenance() async throws {
        let person = AgreeablePerson()
        let closed = UpdatePolicy(minimumVersion: SemanticVersion(1), maintenance: .init(message: "Back soon"))
        let report = try await launch(.success(closed), person)
        #expect(report.outcome == .aborted(by: "force-update", reason: .maintenance) && person.shown == ["maintenance"])
        let operation = ForceUpdateOperation(
            service: Policies(answer: .success(Self.required)),
            state: LaunchState(MemoryStore()),
            version: Self.version,
            presenter: nil,
            stage: Stage()
        )
        var graph = OperationGraph("nobody")
        graph.add("force-update") { launch in try await operation.run(in: launch) }
        let alone = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
        #expect(alone.outcome == .aborted(by: "force-update", reason: .forceUpdate))
    }

    @Test("A12: a version that may be used, or should only be replaced, leaves the launch as it is; the latter is mentioned and noted")
    func mayContinue() async throws {
        let silent = AgreeablePerson()
        let report = try await launch(.success(UpdatePolicy(minimumVersion: SemanticVersion(1))), silent)
        #expect(report.outcome == .completed && silent.shown == ["main"] && report.remarks.isEmpty)
        let told = AgreeablePerson()
        let recommended = try await launch(
            .success(UpdatePolicy(minimumVersion: SemanticVersion(1), recommendedVersion: SemanticVersion(1, 4))),
            told
        )
        #expect(recommended.outcome == .completed && told.shown == ["recommended 1.4.0", "main"])
        #expect(recommended["force-update"]?.notes == ["version 1.4.0 is recommended"])
    }

    @Test("A41, fault N20: a required update that is known from an earlier launch still counts without an answer, and is lifted by one")
    func lastKnown() async throws {
        let state = LaunchState(MemoryStore())
        _ = try await launch(.success(Self.required), state: state)
        let person = AgreeablePerson()
        let offline = try await launch(.failure(unreachable), state: state, person)
        #expect(offline.outcome == .aborted(by: "force-update", reason: .forceUpdate) && person.shown == ["update"])
        #expect(offline["force-update"]?.notes.last == "the last known update policy was used")
        #expect(try await launch(.success(UpdatePolicy(minimumVersion: SemanticVersion(1))), state: state).outcome == .completed)
        #expect(try await launch(.failure(unreachable), state: state).outcome == .completed)
    }

    @Test("a policy that was kept and makes no sense any more is as good as none", arguments: ["", "{", "[]", "\"2\""])
    func corrupt(_ text: String) async throws {
        let state = LaunchState(MemoryStore())
        try state.recordUpdatePolicy(Data(text.utf8))
        let report = try await launch(.failure(unreachable), state: state)
        #expect(report.outcome == .completed)
        #expect(report["force-update"]?.notes.last?.hasSuffix("it makes no sense") == true)
    }

    @Test("fault S31: a policy that cannot be kept is noted, and counts in this launch")
    func notStored() async throws {
        let folder = try TemporaryFolder()
        let state = LaunchState(try FileStore(directory: folder("state"), maximumSize: 4))
        let problems = Locked<[String]>([])
        let operation = ForceUpdateOperation(
            service: Policies(answer: .success(UpdatePolicy(minimumVersion: SemanticVersion(1)))),
            state: state,
            version: Self.version
        ) { $0.updatePolicyProblem = { error in problems.withLock { $0.append("\(error)") } } }
        var graph = OperationGraph("not-stored")
        graph.add("force-update") { launch in try await operation.run(in: launch) }
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
        #expect(report.outcome == .completed)
        #expect(problems.withLock { $0.count } == 1)
        #expect(operation.environment.memory.update.withLock { $0.policy }?.minimumVersion == SemanticVersion(1))
        let notes = report["force-update"]?.notes ?? []
        #expect(notes.count == 1 && notes[0].hasPrefix("the update policy could not be kept for the next launch: "), "\(notes)")
    }

    @Test("fault S31: a policy that was kept and cannot be read is noted, once, where no answer takes its place")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let state = LaunchState(try FileStore(directory: folder("state")))
        _ = try await launch(.success(Self.required), state: state)
        #expect(truncate(folder("state/update-policy").path, 20) == 0)
        let operation = ForceUpdateOperation(
            service: Policies(answer: .failure(unreachable)),
            state: state,
            version: Self.version,
            presenter: nil,
            stage: Stage()
        )
        var graph = OperationGraph("damaged")
        let check = graph.add("force-update") { launch in try await operation.run(in: launch) }
        graph.add("main-app", after: check) { launch in try await operation.enforceKnownPolicy(in: launch) }
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
        #expect(report.outcome == .completed)
        let note = "the update policy that was kept cannot be read, so it was not used: what was stored was damaged"
        #expect(report["force-update"]?.notes.last == note && report["main-app"]?.notes == [])

        let locked = try await launch(.failure(unreachable), state: LaunchState(LockableStore()))
        #expect(locked["force-update"]?.notes.last?.hasSuffix("it is locked until the device is unlocked") == true)
    }

    @Test("fault O22: a decision that comes when the launch was stopped already is told, and has the screen all the same")
    func late() async throws {
        let events = Locked<[String]>([])
        let person = AgreeablePerson()
        let operation = ForceUpdateOperation(
            service: Policies(answer: .success(Self.required)),
            state: LaunchState(MemoryStore()),
            version: Self.version,
            presenter: person,
            stage: Stage()
        ) {
            $0.lateUpdateDecision = { decision in
                #expect(decision == .required(minimum: SemanticVersion(2), message: "Please update."))
                events.withLock { $0.append("told") }
            }
        }
        operation.environment.stage.takenOver.whenSettled(.atOnce) { _ in events.withLock { $0.append("taken over") } }
        var graph = OperationGraph("over")
        graph.add("force-update") { launch in
            launch.abort("something else")
            try await operation.run(in: launch)
        }
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
        #expect(report.outcome == .aborted(by: "force-update", reason: "something else"))
        #expect(events.withLock { $0 } == ["told", "taken over"] && person.shown == ["update"])
    }

    @Test("fault O61: the abort and the update's screen do not wait for the store of what is kept, and the report says that it is kept")
    func slowStore() async throws {
        let (isTakenOver, isSlow) = (Gate(), Locked(false))
        let mailbox = EntryPointMailbox(
            MemoryStore(),
            now: {
                if isSlow.withLock({ $0 }) { isTakenOver.block() }
                return Date()
            }
        )
        mailbox.receive(.shortcut(ShortcutItem("favourites")))
        isSlow.withLock { $0 = true }
        let operation = ForceUpdateOperation(
            service: Policies(answer: .success(Self.required)),
            version: Self.version,
            presenter: AgreeablePerson(),
            stage: Stage()
        ) { $0.mailbox = mailbox }
        operation.environment.stage.takenOver.whenSettled(.atOnce) { _ in isTakenOver.open() }
        var graph = OperationGraph("slow")
        graph.add("force-update") { launch in try await operation.run(in: launch) }
        let options = LaunchOptions(grace: .patience, clock: VirtualClock(patience: .seconds(300)))
        let report = try await graph.run(budget: .seconds(3), options: options).report
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(report["force-update"]?.notes == ["a push, link or shortcut is kept for a later launch"])
    }
}
