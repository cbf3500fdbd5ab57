import Foundation
import Sequencer
import TestSupport

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Sends requests, and lets some of them come to grief in ways that a service cannot bring about itself.
///
/// Where the connection is refused, the request really goes to a port on which nothing listens. A service that never answers is given up soon, and
/// one that does has all the time it needs: how busy the machine is decides nothing.
final class Outages: HTTPSending {
    private struct State {
        var refused: Set<String> = []
        var hanging: Set<String> = []
        var failures: [String: @Sendable (HTTPRequest) -> NetworkError?] = [:]
        var asked: Set<String> = []
    }

    private let client: any HTTPSending
    private let network: any HTTPSending
    private let closedPort: ClosedPort
    private let state = Locked(State())

    init(_ client: any HTTPSending, network: any HTTPSending, closedPort: ClosedPort) {
        self.client = client
        self.network = network
        self.closedPort = closedPort
    }

    /// From now on connections for this path are refused.
    func refuse(_ path: String) { state.withLock { _ = $0.refused.insert(path) } }

    /// From now on requests for this path are given up soon.
    func giveUpSoon(_ path: String) { state.withLock { _ = $0.hanging.insert(path) } }

    /// From now on requests for this path fail with an error; those are sent for which there is none.
    func fail(_ path: String, with error: @escaping @Sendable (HTTPRequest) -> NetworkError?) {
        state.withLock { $0.failures[path] = error }
    }

    /// Whether this path was asked for.
    func wasAsked(_ path: String) -> Bool { state.withLock { $0.asked.contains(path) } }

    /// Counts from now on.
    func forgetWhatWasAsked() { state.withLock { $0.asked = [] } }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let path = request.url.path()
        let (isRefused, isHanging, failure) = state.withLock { state in
            state.asked.insert(path)
            return (state.refused.contains(path), state.hanging.contains(path), state.failures[path])
        }
        if let error = failure?(request) { throw error }
        guard isRefused else { return try await client.send(request, deadline: .after(isHanging ? .milliseconds(100) : patience)) }
        var request = request
        request.url = closedPort.url(for: request.url)
        return try await network.send(request, deadline: .after(patience))
    }
}

/// A port of this machine on which nothing listens, and nothing can as long as this lives.
final class ClosedPort: Sendable {
    let number: Int
    private let socket: Int32

    init() throws { (socket, number) = try LoopbackSocket.bound() }

    deinit { close(socket) }

    /// The same resource, where nobody answers.
    func url(for url: URL) -> URL {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.scheme = "http"
        parts?.host = "127.0.0.1"
        parts?.port = number
        return parts?.url ?? url
    }
}

/// Connects as the connector it is given does, with all the time it needs, or little of it where no answer is expected.
struct PatientConnector: DeviceConnector {
    let connector: any DeviceConnector
    let isGivenUpSoon: @Sendable () -> Bool

    private var deadline: Deadline { .after(isGivenUpSoon() ? .milliseconds(100) : patience) }

    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        try await connector.connect(to: speaker, by: self.deadline)
    }

    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
        try await connector.scan(endpoints, by: self.deadline)
    }
}
