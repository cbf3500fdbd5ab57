import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

extension LoopbackSpeaker.Fault {
    static let silent = Self.says("")
    static let wrongGreeting = Self.says("220 mail.example ESMTP\r\n")
    static let endless = Self.says(String(repeating: "A", count: 65_536))
}

@Suite("Connecting to speakers", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTCPSpeakerConnectorTests {
    private let connector = TCPSpeakerConnector(clientName: "Test phone")
    private var soon: Deadline { .after(.milliseconds(200)) }
    private var later: Deadline { .after(patience) }

    /// A speaker, and what happens at it.
    private func loopback(
        name: String = "Kitchen",
        _ fault: LoopbackSpeaker.Fault? = nil
    ) throws -> (LoopbackSpeaker, AsyncStream<LoopbackSpeaker.Event>) {
        let (stream, continuation) = AsyncStream.makeStream(of: LoopbackSpeaker.Event.self)
        let speaker = try LoopbackSpeaker(name: name, fault: fault) { continuation.yield($0) }
        return (speaker, stream)
    }

    private func error(connectingTo speaker: Speaker, by deadline: Deadline) async -> DeviceError? {
        await #expect(throws: DeviceError.self) { try await connector.connect(to: speaker, by: deadline) }
    }

    @Test("A25: a known speaker is connected to over TCP: greeted, asked, and left")
    func connects() async throws {
        let (loopback, events) = try loopback(name: "Küche")
        var speaker = loopback.speaker
        #expect(speaker.host == "127.0.0.1" && speaker.port > 0)
        speaker = Speaker(id: "s1", name: "old name", host: speaker.host, port: speaker.port)
        let connection = try await connector.connect(to: speaker, by: later)
        #expect(connection.speaker == Speaker(id: "s1", name: "Küche", host: speaker.host, port: speaker.port))
        for _ in 0..<3 { try await connection.ping(by: later) }
        connection.close()
        connection.close()
        let closed = await #expect(throws: DeviceError.self) { try await connection.ping(by: later) }
        #expect(closed?.code == .closed)
        var seen: [LoopbackSpeaker.Event] = []
        for await event in events {
            seen.append(event)
            if event == .disconnected { break }
        }
        #expect(
            seen == [
                .connected, .received("HELLO Test phone"), .received("PING"), .received("PING"), .received("PING"), .received("BYE"),
                .disconnected,
            ]
        )
    }

    @Test("A25: a connection that is released is closed")
    func released() async throws {
        let (loopback, events) = try loopback()
        _ = try await connector.connect(to: loopback.speaker, by: later)
        #expect(await events.contains(.disconnected))
    }

    @Test("A25: where nobody listens, the connection is refused, and the error says by whom")
    func refused() async throws {
        let (loopback, _) = try loopback()
        let speaker = loopback.speaker
        loopback.stop()
        loopback.stop()
        let error = await error(connectingTo: speaker, by: later)
        #expect(error?.code == .unreachable)
        #expect(error?.description == "speaker 127.0.0.1:\(speaker.port): connection refused")
    }

    @Test("A25: a speaker that does not answer costs no more than the deadline")
    func deadlines() async throws {
        let (silent, events) = try loopback(.silent)
        let error = await error(connectingTo: silent.speaker, by: .after(.milliseconds(100)))
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "there was no answer to HELLO in time")
        #expect(await events.contains(.disconnected), "nothing is left open")
        let (loopback, _) = try loopback()
        #expect(await self.error(connectingTo: loopback.speaker, by: .after(.zero))?.code == .timedOut)
        #expect(await self.error(connectingTo: loopback.speaker, by: .after(.seconds(-Int64.max)))?.code == .timedOut)
    }

    @Test("A25: what does not answer as a speaker does is named, and its answer is bounded")
    func wrongAnswers() async throws {
        for (fault, code, reason) in [
            (
                LoopbackSpeaker.Fault.wrongGreeting, DeviceError.Code.unexpectedAnswer,
                "READY and a name were expected in answer to HELLO, and \"220 mail.example ESMTP\" came"
            ),
            (.endless, .unexpectedAnswer, "its answer to HELLO is longer than 256 bytes"),
            (.closes, .unreachable, "it closed the connection instead of answering HELLO"),
        ] {
            let (loopback, events) = try loopback(fault)
            let error = await error(connectingTo: loopback.speaker, by: later)
            #expect(error?.code == code)
            #expect(error?.reason == reason)
            #expect(await events.contains(.disconnected))
        }
        let (loopback, _) = try loopback()
        let connection = try await connector.connect(to: loopback.speaker, by: later)
        loopback.setFault(.wrongGreeting)
        let wrong = await #expect(throws: DeviceError.self) { try await connection.ping(by: later) }
        #expect(wrong?.reason == "PONG was expected in answer to PING, and \"220 mail.example ESMTP\" came")
        let closed = await #expect(throws: DeviceError.self) { try await connection.ping(by: later) }
        #expect(closed?.code == .closed, "after a wrong answer nobody knows what the next one answers")
    }

    @Test("A25: a task that is cancelled while it connects, or asks, closes the connection")
    func cancellation() async throws {
        let (silent, events) = try loopback(.silent)
        let connecting = Task { [connector] in try await connector.connect(to: silent.speaker, by: .never) }
        #expect(await events.contains(.received("HELLO Test phone")))
        connecting.cancel()
        let error = await #expect(throws: DeviceError.self) { try await connecting.value }
        #expect(error?.code == .cancelled)
        #expect(await events.contains(.disconnected))

        let (loopback, otherEvents) = try loopback()
        let connection = try await connector.connect(to: loopback.speaker, by: later)
        loopback.setFault(.silent)
        let asking = Task { try await connection.ping(by: .never) }
        #expect(await otherEvents.contains(.received("PING")))
        asking.cancel()
        #expect(await #expect(throws: DeviceError.self) { try await asking.value }?.code == .cancelled)
        #expect(await otherEvents.contains(.disconnected))
    }

    @Test("A25: a task that was cancelled before connects to nothing; closing ends what waits")
    func endings() async throws {
        let (loopback, events) = try loopback()
        let cancelled = Task { [connector] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await connector.connect(to: loopback.speaker, by: .never)
        }
        #expect(await #expect(throws: DeviceError.self) { try await cancelled.value }?.code == .cancelled)
        let connection = try await connector.connect(to: loopback.speaker, by: later)
        loopback.setFault(.silent)
        let asking = Task { try await connection.ping(by: .never) }
        #expect(await events.contains(.received("PING")))
        connection.close()
        #expect(await #expect(throws: DeviceError.self) { try await asking.value }?.code == .closed)
    }

    @Test(
        "A25: an address that can be none is named before anything is sent",
        arguments: [
            ("127.0.0.1", 0), ("127.0.0.1", 65_536), ("127.0.0.1", -1), ("127.0.0.1", Int.max), ("", 7_400),
            ("a\u{0}b", 7_400), ("a b", 7_400), ("user@evil.example", 7_400), ("evil:80", 7_400), ("[::1]", 7_400), ("0x7f.1", 7_400),
            ("::1\u{0}", 7_400),
            ("\u{212a}itchen.local", 7_400),
        ]
    )
    func invalidAddresses(host: String, port: Int) async {
        let error = await error(connectingTo: Speaker(id: "x", name: "x", host: host, port: port), by: later)
        #expect(error?.code == .invalidAddress)
    }

    @Test("A25: a host that is no address is named; localhost is this machine")
    func names() async throws {
        let error = await error(connectingTo: Speaker(id: "x", name: "x", host: "speaker.invalid", port: 7_400), by: later)
        #expect(error?.code == .unknownHost)
        let (loopback, _) = try loopback()
        let connection = try await connector.connect(
            to: Speaker(id: "x", name: "x", host: "localhost", port: loopback.speaker.port),
            by: later
        )
        #expect(connection.speaker.name == "Kitchen")
    }

    @Test("A26: a scan finds the speakers that answer, in order, and leaves the others out")
    func scan() async throws {
        let connector = TCPSpeakerConnector(clientName: "Scanner", probeTime: .milliseconds(500))
        var loopbacks: [LoopbackSpeaker] = []
        for number in 0..<12 { loopbacks.append(try loopback(name: "Room \(number)").0) }
        let (silent, _) = try loopback(.silent)
        let (wrong, _) = try loopback(.wrongGreeting)
        let gone = try loopback().0
        gone.stop()
        loopbacks[3].stop()
        let all = [silent, wrong, gone] + loopbacks
        let endpoints = all.map { AppConfiguration.Endpoint(host: $0.speaker.host, port: $0.speaker.port) }
        // A loaded machine may need longer than a silent speaker is worth waiting for.
        let patient = TCPSpeakerConnector(probeTime: .seconds(2))
        let found = try await patient.scan(endpoints, by: later)
        #expect(found.map(\.name) == (0..<12).filter { $0 != 3 }.map { "Room \($0)" })
        #expect(found.first?.id == "127.0.0.1:\(loopbacks[0].speaker.port)")
        #expect(try await connector.scan([], by: later) == [])
        #expect(try await connector.scan([endpoints[0]], by: soon) == [])
        #expect(try await connector.scan([AppConfiguration.Endpoint(host: "x y", port: -5)], by: later) == [])
    }

    @Test("A26: a scan that is cancelled says so")
    func cancelledScan() async throws {
        let (silent, events) = try loopback(.silent)
        let endpoint = AppConfiguration.Endpoint(host: "127.0.0.1", port: silent.speaker.port)
        let task = Task { try await TCPSpeakerConnector(probeTime: .seconds(600)).scan([endpoint], by: .never) }
        #expect(await events.contains(.connected))
        task.cancel()
        #expect(await #expect(throws: DeviceError.self) { try await task.value }?.code == .cancelled)
    }

    @Test("A25: 32 silent speakers block no thread that others need")
    func noPoolThreads() async throws {
        let (silent, _) = try loopback(.silent)
        let (good, _) = try loopback()
        let waiting = (0..<32).map { _ in Task { [connector] in try await connector.connect(to: silent.speaker, by: .never) } }
        let connection = try await connector.connect(to: good.speaker, by: later)
        try await connection.ping(by: later)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await #expect(throws: DeviceError.self) { try await task.value }?.code == .cancelled) }
    }

    @Test("A25: names cannot break out of their line, and a port in use is named")
    func lines() async throws {
        let (loopback, events) = try loopback(name: "Kit\nchen\r\n\u{1B}[31m")
        let connection = try await TCPSpeakerConnector(clientName: "a\nBYE\n\u{7}").connect(to: loopback.speaker, by: later)
        #expect(connection.speaker.name == "Kit chen  [31m")
        #expect(await events.contains(.received("HELLO a BYE ")))
        let error = #expect(throws: DeviceError.self) { try LoopbackSpeaker(port: UInt16(loopback.speaker.port)) }
        #expect(error?.description == "loopback speaker 127.0.0.1:\(loopback.speaker.port): listening: address already in use")
    }
}
