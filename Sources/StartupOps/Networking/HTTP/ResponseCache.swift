import Foundation
import Sequencer

/// Keeps answers in a store, within limits: of too many, those go first that were not used for longest.
///
/// It never fails. An answer that cannot be written is kept in memory, within the same limits, until the end of the process; an answer that makes no
/// sense is put out of the way. The whole key is stored with each answer, so an answer never stands for another request, nor for another user. Keys
/// hold the body of a request: do not cache requests with passwords in them.
///
/// ```swift
/// let cache = ResponseCache(store: caches) { problem in log("the cache keeps answers in memory only: \(problem)") }
/// ```
public final class ResponseCache: ResponseCaching {
    /// How much is kept.
    public struct Limits: Sendable, Hashable {
        /// How many answers.
        public var maximumCount: Int
        /// In bytes, as stored; bodies take a third more than they have.
        public var maximumSize: Int

        /// Limits.
        public init(maximumCount: Int = 200, maximumSize: Int = 10 << 20) {
            self.maximumCount = maximumCount
            self.maximumSize = maximumSize
        }
    }

    private struct State {
        var isStoreGivenUp = false
        var didReport = false
    }

    private let stored: BoundedResponses
    private let inMemory: BoundedResponses
    private let state = Locked(State())
    private let onProblem: (@Sendable (StorageError) -> Void)?

    /// A cache over `store`, which is its own: `removeAll()` empties all of it.
    ///
    /// - Parameter onProblem: told, once, that the store does not work and the cache goes on in memory; on the thread that used the cache.
    public init(store: any DataStore, limits: Limits = Limits(), onProblem: (@Sendable (StorageError) -> Void)? = nil) {
        stored = BoundedResponses(store, limits)
        inMemory = BoundedResponses(MemoryStore(), limits)
        self.onProblem = onProblem
    }

    /// The answer kept under a key; nil when there is none.
    public func response(for key: CacheKey) -> HTTPResponse? {
        // What could not be written is newer than what is stored.
        if let response = try? inMemory.response(for: key) { return response }
        if isStoreGivenUp { return nil }
        do {
            return try stored.response(for: key)
        } catch {
            report(error)
            return nil
        }
    }

    /// Keeps an answer in place of an older one, and makes room for it.
    public func store(_ response: HTTPResponse, for key: CacheKey) {
        do {
            if isStoreGivenUp { throw StorageError(.inputOutput, "cache", "the store was given up") }
            _ = try stored.store(response, for: key)
            try inMemory.remove(key)
        } catch {
            report(error)
            _ = try? inMemory.store(response, for: key)
        }
    }

    /// Removes every answer. If the store cannot do that, it is not read again: what one user was told must not show up for the next.
    public func removeAll() {
        try? inMemory.removeAll()
        do {
            try stored.removeAll()
        } catch {
            state.withLock { $0.isStoreGivenUp = true }
            report(error)
        }
    }

    private var isStoreGivenUp: Bool { state.withLock { $0.isStoreGivenUp } }

    private func report(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer { state.didReport = true }
            return !state.didReport
        }
        if isFirst { onProblem?(error as? StorageError ?? StorageError(.inputOutput, "cache", "it could not be written")) }
    }
}
