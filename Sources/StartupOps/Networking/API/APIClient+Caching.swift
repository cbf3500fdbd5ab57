import Foundation

/// How calls use the cache.
extension APIClient {
    /// Gives each answer to a call that its policy provides for, and returns the last.
    func answer<Value>(
        _ call: APICall<Value>,
        each deliver: (Value) -> Void = { _ in }
    ) async throws(NetworkError) -> Value {
        // A call whose answers may not be kept has no default policy but to fetch; one that was asked for by name still
        // counts, and misses.
        let policy = call.options.cachePolicy ?? (call.isCacheable ? cachePolicy : .fetchIgnoringCache)
        if policy != .fetchIgnoringCache, let value = cachedAnswer(call) {
            deliver(value)
            if policy != .returnCacheDataAndFetch { return value }
        }
        if policy == .returnCacheDataDontFetch {
            throw NetworkError(.notCached, request: call.name, "nothing is cached, and the cache policy forbids to ask the service")
        }
        let value = try await fetch(call)
        deliver(value)
        return value
    }

    /// The answers to a call, as they come. Ending the iteration cancels the call.
    func answers<Value>(
        to call: @escaping @autoclosure @Sendable () throws -> APICall<Value>
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    _ = try await answer(try call()) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The value of a call that is sent once, and not cached.
    func sendOnce<Value>(_ call: APICall<Value>) async throws(NetworkError) -> Value {
        try decoded(try await exchange(call, revalidating: false), of: call)
    }

    private func fetch<Value>(_ call: APICall<Value>) async throws(NetworkError) -> Value {
        var exchange = try await exchange(call)
        let value: Value
        do {
            value = try self.decoded(exchange, of: call)
        } catch {
            // A 304 has no body: a second try can only help if the cached one was the bad part.
            guard exchange.isRevalidated, !call.deadline.isOver else { throw error }
            // The cached answer is still good, says the service, but it cannot be decoded: get it whole.
            exchange = try await self.exchange(call, revalidating: false, mayRefresh: !exchange.didRefresh)
            value = try self.decoded(exchange, of: call)
        }
        // A secret in a kept answer would lie on the disk beyond its session (T35).
        if !exchange.isRevalidated, let key = exchange.key, exchange.response.isStorable, !exchange.response.quotesSecret {
            cache.store(exchange.response, for: key)
            // A logout in this very moment has cleared the cache before this answer got there.
            if let token = exchange.token, !tokens.isCurrent(token) { cache.removeAll() }
        }
        return value
    }

    /// The decoded value, if the deadline is not over: decoding takes time, too.
    private func decoded<Value>(_ exchange: Exchange, of call: APICall<Value>) throws(NetworkError) -> Value {
        // The caller is promised an answer by its deadline: a value that is decoded later counts as none.
        if call.deadline.isOver {
            throw NetworkError(.timedOut, request: call.name, "the deadline was over before its answer was decoded")
        }
        do {
            return try call.decode(exchange.response, call)
        } catch {
            throw error.about(call.name)
        }
    }

    /// The cached value, without sending anything; nil also when it cannot be decoded.
    private func cachedAnswer<Value>(_ call: APICall<Value>) -> Value? {
        guard call.isCacheable else { return nil }
        for scope in scopesToRead {
            guard let response = cache.response(for: CacheKey(call.request, scope: scope)) else { continue }
            // An entry that cannot be decoded, as after an update of the app, is a miss: the fetch replaces it.
            if let value = try? call.decode(response, call) { return value }
        }
        return nil
    }

    /// The user's own answers first, then a guest's: those are for every user.
    private var scopesToRead: [String] {
        guard !hasLostDataSource, let user = tokens.session.value?.userID else { return [Self.guestScope] }
        return ["user:\(user)", Self.guestScope]
    }
}
