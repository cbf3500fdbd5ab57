import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Longer than anything takes, from now on; where a deadline has to come, tests say so.
var httpPatience: Deadline { .after(patience) }

extension HTTPSending {
    /// The code and the reason of the error that has to come.
    func failure(_ request: HTTPRequest, deadline: Deadline = httpPatience) async -> NetworkError? {
        do {
            _ = try await send(request, deadline: deadline)
            return nil
        } catch {
            return error
        }
    }
}

typealias TransportOptions = HTTPClient.Configuration

/// The ways in which this system can send requests.
enum TransportKind: CaseIterable, Sendable {
    #if os(Linux)
        case curl
    #endif
    case session

    func make(_ options: TransportOptions = TransportOptions()) -> SystemTransport {
        self == .session ? SystemTransport(options, over: URLSessionEngine(options)) : SystemTransport(options)
    }
}

/// A client whose pauses are noted and not made, whose chances are all the same, and whose attempts have the time that a busy machine needs.
func quickClient(
    _ pauses: Locked<[Duration]> = Locked([]),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.attemptTimeout = patience
    change(&configuration)
    configuration.pause = { duration in pauses.withLock { $0.append(duration) } }
    configuration.chance = { 1 }
    return HTTPClient(configuration)
}

/// A client over a transport, whose pauses are made by a test, and as short as they can be.
func quickClient(
    over transport: any HTTPSending,
    pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.pause = pause
    configuration.chance = { 0 }
    return HTTPClient(configuration, over: transport)
}

/// An address that is one.
func webAddress(_ text: String) throws -> URL { try #require(URL(string: text)) }
