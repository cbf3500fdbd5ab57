import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Where the two implementations of URLSession differ.

/// Where a session calls its delegate: one event after the other, never on a thread of the default pool.
///
/// On Linux it calls the delegate at once, on its own serial queue. It would otherwise unpack and hand over what it receives as fast as it can, and a
/// small packed answer would fill the memory with events that wait; and while data comes in faster than it is handed over, it would not come to
/// cancelling anything. So the delegate must never wait for the session, and must leave cancelling to another queue.
final class SessionEvents: OperationQueue, @unchecked Sendable {
    // @unchecked: restates what `OperationQueue` is; the property is never changed.
    /// Kept here because on Linux an operation queue does not keep its underlying queue.
    private let queue = DispatchQueue(label: "StartupOps.URLSessionTransport.events", qos: .userInitiated)

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
        underlyingQueue = queue
    }

    #if canImport(FoundationNetworking)
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}

extension URLAuthenticationChallenge {
    /// Whether the answer has been received, and is held back for credentials: what Linux does with a 401 that asks for Basic or Digest.
    ///
    /// Apple platforms ask first, and give the answer when the challenge is handled as usual.
    var isAskedAfterTheAnswer: Bool {
        #if canImport(FoundationNetworking)
            true
        #else
            false
        #endif
    }
}
