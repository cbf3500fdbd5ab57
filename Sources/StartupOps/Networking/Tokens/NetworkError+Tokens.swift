/// The errors of asking for a token. They get the request's own name when the request is known.
extension NetworkError {
    private static let accessToken = "access token"

    static let nobodyLoggedIn = NetworkError(.missingAccessToken, request: accessToken, "a token is required, and nobody is logged in")

    static let sessionReplaced = NetworkError(
        .cancelled,
        request: accessToken,
        "the session it was asked for has ended, or is another user's now"
    )

    static func sessionUnavailable(_ error: StorageError?) -> NetworkError {
        NetworkError(
            .sessionUnavailable,
            request: accessToken,
            "whether somebody is logged in cannot be told now (\(error?.description ?? "the store has not been asked"))",
            underlying: error
        )
    }

    static let tokenTimedOut = NetworkError(.timedOut, request: accessToken, "no token before the deadline; the refresh goes on")

    static let tokenCancelled = NetworkError(.cancelled, request: accessToken, "cancelled while waiting for a token")

    static func refreshFailed(_ reason: String, _ underlying: (any Error)?) -> NetworkError {
        NetworkError(.refreshTokenFailed, request: accessToken, "the token could not be refreshed: \(reason)", underlying: underlying)
    }

    /// Errors that are not ours are named by their type only: what they print may hold tokens.
    static func refreshFailed(_ error: any Error) -> NetworkError {
        if let error = error as? NetworkError { return refreshFailed("\(error)", error) }
        return refreshFailed("\(type(of: error))", nil)
    }

    /// This error, about `request`.
    func about(_ request: String) -> NetworkError {
        NetworkError(code, request: request, reason, status: status, retryAfter: retryAfter, underlying: underlying)
    }
}
