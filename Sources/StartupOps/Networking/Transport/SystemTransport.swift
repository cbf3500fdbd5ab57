import Foundation
import Sequencer
import StartupStorage

/// The options of a transport.
struct TransportOptions: Sendable {
    var maximumBodySize = 16 << 20
    var connectionsPerHost = 6
    /// The variables that name proxies: for tests.
    var environment = ProcessInfo.processInfo.environment
}

/// Sends each request once.
///
/// It follows no redirect, keeps no cookie, credential or answer, and trusts the servers that the system trusts. Its deadline is a timer of
/// its own. Everything but the caller's own task goes on while every thread of the default pool is blocked.
protocol HTTPTransport: HTTPSending, CustomReflectable {
    var options: TransportOptions { get }
    /// How many transfers have not been let go of: for tests.
    var openTaskCount: Int { get }
    /// Sends the transfer's request, unless it is over. Returns at once; the transfer is told of every event.
    func perform(_ transfer: Transfer)
}

extension HTTPTransport {
    /// Nothing: requests that are under way hold secrets, and reflection crashes in Foundation's `URLSession` on Linux.
    var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let transfer = Transfer(request, maximumBodySize: options.maximumBodySize)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(transfer, deadline: deadline) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            transfer.handle { $0.cancel() }
        }
        return try result.get()
    }

    /// Sends a request, and answers on any thread.
    func start(_ transfer: Transfer, deadline: Deadline, completion: @escaping Transfer.Completion) {
        // First: a cancellation may have come before.
        transfer.begin(completion)
        // Nothing is sent for a caller that has gone.
        if transfer.isOver { return }
        if let remaining = deadline.remaining {
            // The time that was left, not the deadline: nobody knows when that was set.
            let reason = "there was no answer within \(durationText(remaining))"
            transfer.attach(DeadlineTimer(after: remaining) { transfer.handle { $0.passDeadline(reason) } })
        }
        perform(transfer)
    }
}

/// The transport of this system: on Linux libcurl, which `URLSession` is made of there, where that can be had; `URLSession` otherwise.
///
/// On Linux, `URLSession` traps on answers that a server, or a machine in between, can send (N42); on Apple platforms it does not.
func systemTransport(_ options: TransportOptions) -> any HTTPTransport {
    #if canImport(FoundationNetworking)
        if let transport = CurlTransport(options) { return transport }
    #endif
    return URLSessionTransport(options)
}

extension HTTPClient {
    /// A client with connections of its own.
    ///
    /// - Parameter reachability: while it knows that no link is up, an attempt waits for one, until the request's deadline; requests to this machine
    ///   do not wait. nil: without a network, a request fails at once.
    public convenience init(reachability: Reachability? = nil) { self.init(Configuration(), reachability: reachability) }

    /// A client that sends its requests by `transport`, such as a service in this process; redirections and repetitions stay the client's.
    public convenience init(over transport: some HTTPSending, reachability: Reachability? = nil) {
        self.init(Configuration(), reachability: reachability, over: transport)
    }

    /// - Parameter transport: nil for connections of its own.
    package convenience init(_ configuration: Configuration, reachability: Reachability? = nil, over transport: (any HTTPSending)? = nil) {
        let options = TransportOptions(
            maximumBodySize: configuration.maximumBodySize,
            connectionsPerHost: configuration.connectionsPerHost
        )
        self.init(
            configuration,
            reachability: reachability,
            transport: transport ?? systemTransport(options),
            pause: { try await DeadlineTimer.sleep(for: $0) },
            chance: { .random(in: 0...1) }
        )
    }
}
