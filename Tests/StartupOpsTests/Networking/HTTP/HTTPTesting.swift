import Foundation
import Sequencer
import Testing

@testable import StartupOps

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Longer than anything takes; where a deadline has to come, tests say so.
let httpPatience = Deadline.after(.seconds(240))

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

/// A client whose pauses are noted and not made, and whose chances are all the same.
func quickClient(
    _ pauses: Locked<[Duration]> = Locked([]),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    change(&configuration)
    var options = URLSessionTransport.Options()
    options.maximumBodySize = configuration.maximumBodySize
    return HTTPClient(
        configuration,
        transport: URLSessionTransport(options),
        pause: { duration in pauses.withLock { $0.append(duration) } },
        chance: { 1 }
    )
}

/// Collects events.
final class HTTPEventLog: Sendable {
    private let events = Locked<[HTTPEvent]>([])

    func note(_ event: HTTPEvent) { events.withLock { $0.append(event) } }

    var all: [HTTPEvent] { events.withLock { $0 } }
    var lines: [String] { all.map(\.description) }
}

/// An address that is one.
func webAddress(_ text: String) throws -> URL { try #require(URL(string: text)) }
