import Foundation
import Sequencer

/// Sends each request once.
///
/// It follows no redirect, keeps no cookie, credential or answer, and trusts the servers that the system trusts. A
/// private timer keeps its deadline. Everything but the caller's own task continues while every thread of the default
/// pool is blocked.
///
/// Opaque: requests that are under way hold secrets, and reflection crashes in Foundation's `URLSession` on Linux.
final class SystemTransport: HTTPSending, Opaque {
    let engine: any TransferEngine
    private let maximumBodySize: Int
    /// Where transfers wait for those before them.
    private let line: HostLine
    /// Requests for tokens have a line of their own: the others wait for them.
    private let tokenLine: HostLine

    init(_ options: HTTPClient.Configuration, over engine: any TransferEngine) {
        self.engine = engine
        maximumBodySize = options.maximumBodySize
        #if canImport(FoundationNetworking)
            let limit = options.connectionsPerHost
        #else
            // The system's own line loses none, and many requests share a connection of HTTP/2.
            let limit = Int.max
        #endif
        line = HostLine(limit: limit, slowAfter: options.slowAfter)
        tokenLine = HostLine(limit: limit, slowAfter: options.slowAfter)
    }

    /// Over libcurl on Linux, which `URLSession` is made of there, where that can be had; over `URLSession` otherwise.
    ///
    /// On Linux, `URLSession` traps on answers that a server, or a machine in between, can send (N42); on Apple
    /// platforms it does not.
    convenience init(_ options: HTTPClient.Configuration) {
        #if canImport(FoundationNetworking)
            if let curl = LibCurl.system {
                self.init(options, over: CurlLoop(curl))
                return
            }
        #endif
        self.init(options, over: URLSessionEngine(options))
    }

    deinit { engine.close() }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let transfer = Transfer(request, maximumBodySize: maximumBodySize)
        let line = request.ticket.isForTokens ? tokenLine : line
        let timer = deadline.remaining.map { remaining in
            DeadlineTimer(after: remaining) {
                // The time that was left, not the deadline: nobody knows when that was set.
                let time = durationText(remaining)
                let others = line.othersUnderWay(before: transfer)
                let reason = others.map { "it was not sent within \(time): \($0) others to the host were under way" }
                transfer.handle { $0.fail(.timedOut, reason ?? "there was no answer within \(time)") }
            }
        }
        defer { timer?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                // Nothing is sent for a caller that has gone.
                if !transfer.isOver { line.enter(transfer) { [engine] in engine.perform(transfer) } }
                return try await transfer.answer.value
            } onCancel: {
                transfer.handle { $0.fail(.cancelled, "it was cancelled") }
            }
        } catch {
            throw error as? NetworkError ?? request.error(.cancelled, "it was cancelled")
        }
    }
}

/// Carries out transfers.
protocol TransferEngine: Sendable {
    /// Sends the transfer's request, unless it is over. Returns at once; the transfer is told of every event.
    func perform(_ transfer: Transfer)
    /// Nothing is performed after that.
    func close()
}
