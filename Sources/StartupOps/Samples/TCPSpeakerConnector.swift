import Foundation
import Sequencer
import StartupOps

/// Connects to speakers over TCP, with a protocol of lines: `HELLO <client>` is answered by `READY <speaker>`, `PING`
/// by `PONG`, and `BYE` closes.
///
/// ```swift
/// let connector = TCPSpeakerConnector(clientName: "Living room phone")
/// let connection = try await connector.connect(to: speaker, by: launch.deadline)
/// ```
public struct TCPSpeakerConnector: DeviceConnector {
    /// How many speakers are tried at the same time while scanning.
    private static let scanWidth = 8

    private let clientName: String
    private let probeTime: Duration

    /// A connector that says who it is, and waits for an answer for a while.
    ///
    /// - Parameters:
    ///   - clientName: what speakers know this app by; control characters in it are left out, and of more than 64
    ///     characters, the first are used.
    ///   - probeTime: how long a scan waits for one speaker.
    public init(clientName: String = "Sequencer", probeTime: Duration = .seconds(2)) {
        self.clientName = plainText(clientName, limit: 64)
        self.probeTime = probeTime
    }

    /// Connects to a speaker and greets it.
    ///
    /// - Throws: ``DeviceError``, which names host and port; a host that quotes a secret is not shown:
    ///     `speaker 127.0.0.1:7400: connection refused`.
    public func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        // A service may have named it.
        let device = "speaker \(printable(ForeignText.withoutSecrets(speaker.host), limit: 100)):\(speaker.port)"
        let socket = SpeakerSocket(device)
        let name = try await socket.perform { [clientName] socket throws(DeviceError) in
            try socket.connect(host: speaker.host, port: speaker.port, by: deadline)
            let answer = try socket.ask("HELLO \(clientName)", by: deadline)
            // Plain text: the name comes from a device, and goes to a screen.
            let name = plainText(String(answer.dropFirst("READY ".count)), limit: 64).trimmingCharacters(in: .whitespaces)
            guard answer.hasPrefix("READY "), !name.isEmpty else {
                throw socket.unexpected(answer, to: "HELLO", expected: "READY and a name were")
            }
            return name
        }
        return SpeakerConnection(socket, to: Speaker(id: speaker.id, name: name, host: speaker.host, port: speaker.port))
    }

    /// Greets the speakers that answer at the endpoints, up to eight at a time, and takes leave again.
    ///
    /// - Returns: the speakers, in the order of their endpoints.
    public func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
        let found = await withTaskGroup(of: (Int, Speaker?).self) { group in
            var found: [Int: Speaker] = [:]
            for (index, endpoint) in endpoints.enumerated() {
                // At most `scanWidth` scans run at a time.
                if index >= Self.scanWidth, let (index, speaker) = await group.next() { found[index] = speaker }
                group.addTask { (index, await self.probe(endpoint, by: deadline)) }
            }
            for await (index, speaker) in group { found[index] = speaker }
            return found
        }
        // A scan that was cut off has found some, and not all.
        if Task.isCancelled { throw DeviceError(.cancelled, "speakers", "the scan was cancelled") }
        // By place, not by arrival.
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    private func probe(_ endpoint: AppConfiguration.Endpoint, by deadline: Deadline) async -> Speaker? {
        let id = "\(endpoint.host):\(endpoint.port)"
        let candidate = Speaker(id: id, name: id, host: endpoint.host, port: endpoint.port)
        // A speaker that does not answer is left out.
        guard let connection = try? await connect(to: candidate, by: deadline.limited(to: probeTime)) else { return nil }
        connection.close()
        return connection.speaker
    }
}

/// An open connection to a speaker over TCP.
final class SpeakerConnection: DeviceConnection {
    let speaker: Speaker
    private let socket: SpeakerSocket

    init(_ socket: SpeakerSocket, to speaker: Speaker) {
        self.socket = socket
        self.speaker = speaker
    }

    deinit { close() }

    func ping(by deadline: Deadline) async throws(DeviceError) {
        try await socket.perform { socket throws(DeviceError) in
            let answer = try socket.ask("PING", by: deadline)
            guard answer == "PONG" else { throw socket.unexpected(answer, to: "PING", expected: "PONG was") }
        }
    }

    func close() { socket.end(with: "BYE") }
}

extension SpeakerSocket {
    fileprivate func unexpected(_ answer: String, to question: String, expected: String) -> DeviceError {
        let words = "\(expected) expected in answer to \(question), and \"\(ForeignText.shown(answer, limit: 40))\" came"
        return DeviceError(.unexpectedAnswer, device, words)
    }
}
