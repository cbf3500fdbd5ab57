import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a client may be called: the one difference between the platforms.
extension EmbeddedURLProtocol {
    /// Whether the client still waits for an answer.
    var mayDeliver: Bool {
        #if canImport(FoundationNetworking)
            task?.state == .running
        #else
            true
        #endif
    }

    /// Has `startLoading` called once more, where the client may be called.
    func startToDeliver() {
        #if canImport(FoundationNetworking)
            // Foundation on Linux keeps its tasks in a dictionary that only a session's own queue may touch, and each call of a client touches it.
            // A task that is suspended and resumed has its protocol started again, on that queue. A task that was cancelled has not.
            task?.suspend()
            task?.resume()
        #else
            startLoading()
        #endif
    }
}
