import Foundation
import Sequencer
import StartupStorage

/// Sends each request once.
///
/// It follows no redirect, keeps no cookie, credential or answer, and trusts the servers that the system trusts. A
/// private timer keeps its deadline. Everything but the caller's own task continues while every thread of the default
/// pool is blocked.
protocol HTTPTransport: HTTPSending, CustomReflectable {
    var options: HTTPClient.Configuration { get }
    /// Where transfers wait for those before them.
    var line: HostLine { get }
    /// The number of transfers that are not yet released: for tests.
    var openTaskCount: Int { get }
    /// Sends the transfer's request, unless it is over. Returns at once; the transfer is told of every event.
    func perform(_ transfer: Transfer)
}

extension HTTPTransport {
    /// Nothing: requests that are under way hold secrets, and reflection crashes in Foundation's `URLSession` on Linux.
    var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let transfer = Transfer(request, maximumBodySize: options.maximumBodySize)
        let timer = deadline.remaining.map { remaining in
            // The time that was left, not the deadline: nobody knows when that was set.
            let reason = "there was no answer within \(durationText(remaining))"
            return DeadlineTimer(after: remaining) { transfer.handle { $0.fail(.timedOut, reason) } }
        }
        defer { timer?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                // Nothing is sent for a caller that has gone.
                if !transfer.isOver { line.enter(transfer) { [self] in perform(transfer) } }
                return try await transfer.answer.value
            } onCancel: {
                transfer.handle { $0.fail(.cancelled, "it was cancelled") }
            }
        } catch {
            throw error as? NetworkError ?? request.error(.cancelled, "it was cancelled")
        }
    }
}

/// The transport of this system: on Linux libcurl, which `URLSession` is made of there, where that can be had;
/// `URLSession` otherwise.
///
/// On Linux, `URLSession` traps on answers that a server, or a machine in between, can send (N42); on Apple platforms
/// it does not.
func systemTransport(_ options: HTTPClient.Configuration) -> any HTTPTransport {
    #if canImport(FoundationNetworking)
        if let transport = CurlTransport(options) { return transport }
    #endif
    return URLSessionTransport(options)
}
