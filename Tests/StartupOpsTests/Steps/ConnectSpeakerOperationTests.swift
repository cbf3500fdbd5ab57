import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("Connecting the speaker", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConnectSpeakerOperationTests {
    /// Chooses by name, one after the other; nil goes on without.
    @MainActor
    private final class Chooser: SpeakerPresenter {
        nonisolated let asked = Locked<[String]>([])
        private var choices: [String?]

        nonisolated init(_ choices: [String?]) { self.choices = choices }

        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
            let names = speakers.map(\.name).joined(separator: ", ")
            asked.withLock { $0.append("\(names); \(problem ?? "-")") }
            let choice = choices.isEmpty ? nil : choices.removeFirst()
            return speakers.first { $0.name == choice }
        }
    }

    private let kitchen: LoopbackSpeaker
    private let hall: LoopbackSpeaker
    private let state = LaunchState(MemoryStore())
    private let devices = ConnectedDevices()

    init() throws {
        kitchen = try LoopbackSpeaker(name: "Kitchen")
        hall = try LoopbackSpeaker(name: "Hall")
    }

    /// The real connector, told of both speakers; where it is not about being late, there is all the time.
    private struct House: DeviceConnector {
        let speakers: [Speaker]
        let connector = TCPSpeakerConnector(probeTime: .seconds(120))

        func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
            try await connector.connect(to: speaker, by: .after(patience))
        }

        func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
            try await connector.scan(speakers.map { AppConfiguration.Endpoint(host: $0.host, port: $0.port) }, by: .after(patience))
        }
    }

    private func run(_ chooser: Chooser?) async throws -> (report: OperationReport, value: Speaker??) {
        let devices = devices
        let operation = ConnectSpeakerOperation(
            connector: House(speakers: [kitchen.speaker, hall.speaker]),
            state: state,
            presenter: chooser,
            devices: devices
        )
        return try await runAlone("connect-speaker") { launch in try await operation.run(nil, in: launch) }
    }

    @Test("A26, A29: who has connected to none chooses among those that were found; the choice is remembered")
    func assistant() async throws {
        let chooser = Chooser(["Hall"])
        let (report, speaker) = try await run(chooser)
        #expect(speaker??.name == "Hall" && report.isInteractive)
        #expect(chooser.asked.withLock { $0 } == ["Kitchen, Hall; -"])
        #expect(state.lastSpeaker.value?.port == hall.speaker.port)
        #expect(devices.all.map(\.speaker.name) == ["Hall"])
    }

    @Test("A26: a choice that cannot be connected is explained, and another one can be made; five are tried")
    func again() async throws {
        // Each answers to the scan, and has gone when it is chosen.
        let (kitchen, hall) = (kitchen, hall)
        let goneKitchen = Leaving(chooser: Chooser(["Kitchen", "Hall"]), leave: { kitchen.setFault(.closes) })
        let devices = devices
        let operation = ConnectSpeakerOperation(
            connector: House(speakers: [kitchen.speaker, hall.speaker]),
            state: state,
            presenter: goneKitchen,
            devices: devices
        )
        let (report, speaker) = try await runAlone("connect-speaker") { launch in try await operation.run(nil, in: launch) }
        #expect(speaker??.name == "Hall")
        #expect(goneKitchen.chooser.asked.withLock { $0 } == ["Kitchen, Hall; -", "Kitchen, Hall; Kitchen does not answer"])
        #expect(report.notes == ["speaker 127.0.0.1:\(kitchen.speaker.port): it closed the connection instead of answering HELLO"])

        let state = LaunchState(MemoryStore())
        kitchen.setFault(nil)
        let stubborn = Leaving(chooser: Chooser(Array(repeating: "Kitchen", count: 9)), leave: { kitchen.setFault(.closes) })
        let second = ConnectSpeakerOperation(
            connector: House(speakers: [kitchen.speaker]),
            state: state,
            presenter: stubborn,
            devices: devices
        )
        let (tooMany, nobody) = try await runAlone("connect-speaker") { launch in try await second.run(nil, in: launch) }
        #expect(nobody == .some(nil) && stubborn.chooser.asked.withLock { $0.count } == 5)
        #expect(tooMany.notes.last == "no speaker could be connected in 5 tries" && state.lastSpeaker == .absent)
    }

    /// A screen that goes away with its launch, and says then that nothing was chosen.
    private struct Vanishing: SpeakerPresenter {
        let box: LaunchBox

        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
            try? await box.launch().cancel()
            return nil
        }
    }

    @Test("A26, fault O16: a launch that is cancelled while the assistant asks declines no speaker")
    func interrupted() async throws {
        let (devices, box) = (devices, LaunchBox())
        let operation = ConnectSpeakerOperation(
            connector: House(speakers: [kitchen.speaker]),
            state: state,
            presenter: Vanishing(box: box),
            devices: devices
        )
        var graph = OperationGraph("interrupted")
        graph.add("connect-speaker", .interactive, .saysWhenItAsks) { launch in _ = try await operation.run(nil, in: launch) }
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
        #expect(try await box.run(graph, options: options).report.outcome == .cancelled)
        #expect(!state.hasDeclinedSpeaker)
    }

    @Test("A25: a known speaker that does not answer is not asked about: the operation fails by name, and the speaker stays known")
    func silent() async throws {
        try state.rememberSpeaker(kitchen.speaker)
        kitchen.setFault(.wrongGreeting)
        let chooser = Chooser(["Hall"])
        let (report, _) = try await run(chooser)
        #expect(report.outcome == .failed && report.message?.hasPrefix("speaker 127.0.0.1:\(kitchen.speaker.port): ") == true)
        #expect(chooser.asked.withLock { $0 }.isEmpty && state.lastSpeaker.value == kitchen.speaker)
    }

    /// A person in whose house a speaker breaks down while they look at the list.
    private struct Leaving: SpeakerPresenter {
        let chooser: Chooser
        let leave: @Sendable () -> Void

        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
            leave()
            return await chooser.chooseSpeaker(from: speakers, problem: problem)
        }
    }
}
