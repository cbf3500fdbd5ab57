import Foundation
import StartupStorage

/// How calls use the cache.
extension APIClient {
    typealias Decode<Value> = @Sendable (HTTPResponse) throws(NetworkError) -> Value

    /// Gives each answer to a call that its policy provides for, and returns the last.
    func answer<Value: Sendable>(
        _ call: APICall,
        deadline: Deadline,
        decode: Decode<Value>,
        each deliver: (Value) -> Void = { _ in }
    ) async throws(NetworkError) -> Value {
        // A call whose answers may not be kept has no default policy but to fetch; one that was asked for by name still
        // counts, and misses.
        let policy = call.isCacheable ? call.options.cachePolicy ?? cachePolicy : call.options.cachePolicy ?? .fetchIgnoringCache
        if policy != .fetchIgnoringCache, let value = cachedAnswer(call, decode) {
            deliver(value)
            if policy != .returnCacheDataAndFetch { return value }
        }
        if policy == .returnCacheDataDontFetch {
            throw NetworkError(.notCached, request: call.name, "nothing is cached, and the cache policy forbids to ask the service")
        }
        let value = try await fetch(call, deadline: deadline, decode: decode)
        deliver(value)
        return value
    }

    /// The answers to a call, as they come. Ending the iteration cancels the call.
    func answers<Value: Sendable>(
        to call: @escaping @autoclosure @Sendable () throws -> APICall,
        deadline: Deadline,
        decoder: @escaping @Sendable (APICall) -> Decode<Value>
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    let call = try call()
                    _ = try await answer(call, deadline: deadline, decode: decoder(call)) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func fetch<Value>(_ call: APICall, deadline: Deadline, decode: Decode<Value>) async throws(NetworkError) -> Value {
        var exchange = try await exchange(call, deadline: deadline)
        let value: Value
        do {
            value = try self.decoded(exchange, of: call, deadline, decode)
        } catch {
            // A 304 has no body: a second try can only help if the cached one was the bad part.
            guard exchange.isRevalidated, !deadline.isOver else { throw error }
            // The cached answer is still good, says the service, but it cannot be decoded: get it whole.
            exchange = try await self.exchange(call, revalidating: false, mayRefresh: !exchange.didRefresh, deadline: deadline)
            value = try self.decoded(exchange, of: call, deadline, decode)
        }
        // A secret in a kept answer would lie on the disk beyond its session (T35).
        if !exchange.isRevalidated, let key = exchange.key, exchange.response.isStorable, !exchange.response.quotesSecret {
            cache.store(exchange.response, for: key)
            // A logout in this very moment has cleared the cache before this answer got there.
            if let token = exchange.token, !tokens.isCurrent(token) { cache.removeAll() }
        }
        return value
    }

    /// The value of a call that is sent once, and not cached.
    func decoded<Value>(_ call: APICall, _ deadline: Deadline, _ decode: Decode<Value>) async throws(NetworkError) -> Value {
        try decoded(try await exchange(call, revalidating: false, deadline: deadline), of: call, deadline, decode)
    }

    /// The decoded value, if the deadline is not over: decoding takes time, too.
    private func decoded<Value>(
        _ exchange: Exchange,
        of call: APICall,
        _ deadline: Deadline,
        _ decode: Decode<Value>
    ) throws(NetworkError) -> Value {
        // The caller is promised an answer by its deadline: a value that is decoded later counts as none.
        if deadline.isOver { throw NetworkError(.timedOut, request: call.name, "the deadline was over before its answer was decoded") }
        do {
            return try decode(exchange.response)
        } catch {
            throw error.about(call.name)
        }
    }

    /// The cached value, without sending anything; nil also when it cannot be decoded.
    private func cachedAnswer<Value>(_ call: APICall, _ decode: Decode<Value>) -> Value? {
        guard call.isCacheable else { return nil }
        for scope in scopesToRead {
            // An entry that cannot be decoded, as after an update of the app, is a miss: the fetch replaces it.
            if let response = cache.response(for: CacheKey(call.request, scope: scope)), let value = try? decode(response) { return value }
        }
        return nil
    }

    /// The user's own answers first, then a guest's: those are for every user.
    private var scopesToRead: [String] {
        guard !hasLostDataSource, let user = tokens.session.value?.userID else { return [Self.guestScope] }
        return ["user:\(user)", Self.guestScope]
    }
}
