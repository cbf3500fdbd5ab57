import Foundation

/// Sending a call: with which token, and what to do when the service turns it down.
extension APIClient {
    /// An answer, and what it was asked with.
    struct Exchange: Sendable {
        var response: HTTPResponse
        let token: AccessToken?
        /// What the answer is kept under; nil when it must not be kept.
        let key: CacheKey?
        /// Whether the answer is the one in the cache, which the service said is still good.
        var isRevalidated = false
    }

    /// Sends a call, and sends it again with a new token when the service turns down the token it had.
    func exchange(_ call: APICall, revalidating: Bool = true, deadline: Deadline) async throws(NetworkError) -> Exchange {
        do throws(NetworkError) {
            if let explicit = call.options.token { return try await exchange(call, explicit: explicit, deadline) }
            let tokens = dataSource?.tokens
            let requirement = requirement(of: call)
            var token = try await tokens?.token(for: requirement, deadline: deadline)
            if token == nil, requirement == .required { throw NetworkError.nobodyLoggedIn }
            var exchange = try await send(call, token, revalidating: revalidating, deadline)
            if let tokens, let rejected = token, isRejection(exchange.response, call) {
                token = try await better(tokens, requirement, than: rejected, deadline)
                exchange = try await send(call, token, revalidating: revalidating, deadline)
                if token != nil, isRejection(exchange.response, call) {
                    throw unauthorized(call, exchange.response, ", also after a refresh")
                }
            }
            if let tokens, let token, !tokens.isCurrent(token) { throw NetworkError.sessionReplaced }
            return exchange
        } catch {
            // What token managers throw does not know the request.
            throw error.about(call.name)
        }
    }

    /// Whether a call needs a token. Where nobody says, it does: nothing leaves that should not.
    private func requirement(of call: APICall) -> TokenRequirement {
        if let requirement = call.options.requirement { return requirement }
        guard let dataSource else { return .required }
        return dataSource.requiresToken(operation: call.operation) ? .required : .optional
    }

    /// A token in place of one that was turned down; nil when the call can do without, and there is none.
    private func better(
        _ tokens: TokenManager,
        _ requirement: TokenRequirement,
        than rejected: AccessToken,
        _ deadline: Deadline
    ) async throws(NetworkError) -> AccessToken? {
        do throws(NetworkError) {
            return try await tokens.token(for: requirement, replacing: rejected, deadline: deadline)
        } catch  where requirement == .optional && error.code == .refreshTokenFailed {
            return nil
        }
    }

    private func exchange(_ call: APICall, explicit: Secret, _ deadline: Deadline) async throws(NetworkError) -> Exchange {
        if case .at(let expiry) = JSONWebToken(explicit.value)?.expiry, expiry <= now() {
            throw NetworkError.refreshFailed("it was given for this request only, and has expired", nil)
        }
        let response = try await http.send(headed(call, APIHeaders.Identity(bearer: explicit)), deadline: deadline)
        if isRejection(response, call) { throw unauthorized(call, response) }
        return Exchange(response: response, token: nil, key: nil)
    }

    private func send(
        _ call: APICall,
        _ token: AccessToken?,
        revalidating: Bool,
        _ deadline: Deadline
    ) async throws(NetworkError) -> Exchange {
        var request = headed(call, APIHeaders.Identity(bearer: token?.value, userID: token?.userID))
        let key = call.isCacheable ? scope(of: token).map { CacheKey(call.request, scope: $0) } : nil
        var cached: HTTPResponse?
        if revalidating, call.request.method == .get, let stored = key.flatMap({ cache.response(for: $0) }) {
            if let tag = stored.headers["ETag"] {
                request.headers["If-None-Match"] = tag
                cached = stored
            }
        }
        let response = try await http.send(request, deadline: deadline)
        if response.status == 304, let cached { return Exchange(response: cached, token: token, key: key, isRevalidated: true) }
        return Exchange(response: response, token: token, key: key)
    }

    private func headed(_ call: APICall, _ identity: APIHeaders.Identity) -> HTTPRequest {
        var request = call.request
        request.headers =
            switch call.transport {
            case .graphQL: APIHeaders.graphQL(identity, info)
            case .rest: APIHeaders.rest(identity, info, additional: dataSource?.userInfoHeaders ?? [:])
            }
        return request
    }

    private func isRejection(_ response: HTTPResponse, _ call: APICall) -> Bool {
        response.status == 401 || call.transport == .graphQL && GraphQLResponse.rejectsToken(response)
    }

    private func unauthorized(_ call: APICall, _ response: HTTPResponse, _ circumstances: String = "") -> NetworkError {
        NetworkError(.unauthorized, request: call.name, "the service does not accept the token\(circumstances)", status: response.status)
    }

    /// Whose answer it is; nil when that cannot be told, and the answer must not be kept.
    func scope(of token: AccessToken?) -> String? {
        guard let token else { return Self.guestScope }
        return token.userID.map { "user:\($0)" }
    }

    static let guestScope = "guest"
}
