import Foundation

/// Sending a call: with a token, and again when the service turns that down.
extension APIClient {
    /// An answer, with the token and the key of its request.
    struct Exchange: Sendable {
        var response: HTTPResponse
        let token: AccessToken?
        /// The key for keeping the answer; nil when it must not be kept.
        let key: CacheKey?
        /// Whether the answer is the one in the cache, which the service said is still good.
        var isRevalidated = false
        /// Whether the token was refreshed for this call.
        var didRefresh = false
    }

    /// Sends a call, and sends it again with a new token when the service turns down the token it had.
    ///
    /// Refreshing is done once: a service that turns down a token which it has just given would be asked for another
    /// one for ever.
    func exchange<Value>(
        _ call: APICall<Value>,
        revalidating: Bool = true,
        mayRefresh: Bool = true
    ) async throws(NetworkError) -> Exchange {
        do throws(NetworkError) {
            // Before the session is asked: a token that was given needs none.
            if let explicit = call.options.token { return try await exchange(call, explicit: explicit) }
            // Without the data source the call is a guest's, or fails: where nobody says, it needs a token, and nothing
            // leaves that should not.
            let tokens = hasLostDataSource ? nil : self.tokens
            let requirement = call.options.requirement ?? (requiresToken(call.operation) == false ? .optional : .required)
            let grant = try await tokens?.grant(for: requirement, deadline: call.deadline)
            var token = grant?.token
            // A token that was refreshed for this call has had its one refresh.
            var didRefresh = grant?.isNew == true || !mayRefresh
            if token == nil, requirement == .required { throw tokens == nil ? NetworkError.noDataSource : .nobodyLoggedIn }
            var exchange = try await send(call, token, revalidating: revalidating)
            // The token that was sent, not the one of now: another call may have refreshed it meanwhile.
            if let tokens, let rejected = token, !didRefresh, call.isTurnedDown(by: exchange.response) {
                didRefresh = true
                do throws(NetworkError) {
                    token = try await tokens.token(for: requirement, replacing: rejected, deadline: call.deadline)
                } catch  where requirement == .optional && error.code != .timedOut && !Task.isCancelled {
                    // It cannot be had, or the session has become another one.
                    token = nil
                }
                exchange = try await send(call, token, revalidating: revalidating)
            }
            if token != nil, call.isTurnedDown(by: exchange.response) {
                throw call.unauthorized(exchange.response, ", although it has just been refreshed")
            }
            exchange.didRefresh = didRefresh
            // Last, and also for a good answer: it is about a session that is over (T19, T20).
            if let tokens, let token, !tokens.isCurrent(token) {
                // A read that needs no token is sent again without one: an update check must not fail because somebody
                // logs in.
                guard requirement == .optional, call.request.method == .get else { throw NetworkError.sessionReplaced }
                exchange = try await send(call, nil, revalidating: revalidating)
            }
            return exchange
        } catch {
            // The token manager's errors do not know the request.
            throw error.about(call.name)
        }
    }

    private func exchange<Value>(_ call: APICall<Value>, explicit: Secret) async throws(NetworkError) -> Exchange {
        // Known before it is sent, as an answer may quote it (T26).
        KnownSecrets.add(explicit, from: .service)
        if let expiry = JSONWebToken(explicit.value)?.expiry, expiry <= now() {
            throw NetworkError.refreshFailed("it was given for this request only, and has expired", nil)
        }
        let token = AccessToken(value: explicit, userID: nil, generation: 0, revision: 0)
        let exchange = try await send(call, token, revalidating: false)
        if call.isTurnedDown(by: exchange.response) { throw call.unauthorized(exchange.response) }
        return exchange
    }

    private func send<Value>(
        _ call: APICall<Value>,
        _ token: AccessToken?,
        revalidating: Bool
    ) async throws(NetworkError) -> Exchange {
        var request = try headed(call, token)
        if let token { request.ticket.isRefused = { [tokens] in tokens.hasRefused(token) } }
        // Without a user an answer has no owner, and is not kept.
        let key = call.isCacheable ? scope(of: token).map { CacheKey(call.request, scope: $0) } : nil
        var cached: HTTPResponse?
        // Only GET: a condition on another method has another meaning (RFC 9110, section 13.1.2).
        if revalidating, call.request.method == .get, let stored = key.flatMap({ cache.response(for: $0) }) {
            // A tag that cannot be sent is ignored: the answer is got whole, and takes the place of this one.
            if let tag = stored.headers["ETag"], tag.isFieldValue {
                request.headers["If-None-Match"] = tag
                cached = stored
            }
        }
        let response = try await http.send(request, deadline: call.deadline)
        // A 304 without a condition is the service's mistake (N41), and is judged as any other status.
        guard response.status == 304, let cached else { return Exchange(response: response, token: token, key: key) }
        if response.confirms(cached) {
            return Exchange(response: cached, token: token, key: key, isRevalidated: true)
        }
        // It is about another answer than the one that is kept.
        request.headers["If-None-Match"] = nil
        return Exchange(response: try await http.send(request, deadline: call.deadline), token: token, key: key)
    }

    private func headed<Value>(_ call: APICall<Value>, _ token: AccessToken?) throws(NetworkError) -> HTTPRequest {
        var request = call.request
        // The token's, so that the two never disagree.
        let user = token?.userID
        switch call.transport {
        case .graphQL:
            request.headers = ["x-hasura-role": user == nil ? "guest" : "user", "device-id": info.deviceID]
            request.headers["x-hasura-user-id"] = user
        case .rest:
            // The app's first, so that those of the client replace them.
            request.headers = dataSource?.userInfoHeaders ?? [:]
            request.headers["\(info.headerPrefix)-Platform"] = info.platform
            request.headers["\(info.headerPrefix)-App-Version"] = info.appVersion
            request.headers["\(info.headerPrefix)-User-Id"] = user
        }
        request.headers["Accept-Language"] = call.request.headers["Accept-Language"]
        request.headers["Content-Type"] = call.contentType
        request.headers["Authorization"] = token.map { "Bearer \($0.value.value)" }
        // Checked here as well as in the client that sends it: an app may use another client.
        if let violation = request.headers.violation { throw NetworkError(.invalidRequest, request: call.name, violation) }
        return request
    }

    /// The owner of an answer; nil when it is not known, and the answer must not be kept.
    func scope(of token: AccessToken?) -> String? {
        guard let token else { return Self.guestScope }
        // Without the user's identifier two people would share a scope.
        return token.userID.map { "user:\($0)" }
    }

    static let guestScope = "guest"
}

extension APICall {
    /// Whether the service has turned down the token of the call.
    fileprivate func isTurnedDown(by response: HTTPResponse) -> Bool {
        // Some services turn a token down under status 200 (N28).
        response.status == 401 || transport == .graphQL && GraphQLResponse.rejectsToken(response, within: limits)
    }

    fileprivate func unauthorized(_ response: HTTPResponse, _ circumstances: String = "") -> NetworkError {
        let reason = "the service does not accept the token\(circumstances)"
        return NetworkError(.unauthorized, request: name, reason, status: response.status)
    }
}
