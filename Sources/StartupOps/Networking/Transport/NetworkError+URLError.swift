import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NetworkError {
    /// The error between a request and its answer, in words of our own: the system's say "(null)", or show the whole
    /// address.
    ///
    /// - Parameter progress: how much of the answer had been received; nil when nothing had.
    init(_ error: any Error, of request: HTTPRequest, progress: String?) {
        let code = (error as? URLError)?.code
        let (kind, reason) =
            if let progress {
                // Once something was received, the same code means something else: a connection that is lost is not one
                // that was refused.
                Self.whileReceiving(code, after: progress, from: request.placeText)
            } else if code == .unknown {
                Self.withoutCode(error, request)
            } else {
                Self.beforeReceiving(code, request)
            }
        self.init(kind, request: request.description, reason, underlying: error)
    }

    private static func whileReceiving(_ code: URLError.Code?, after progress: String, from place: String) -> (Code, String) {
        switch code {
        case .cancelled: (.cancelled, "it was cancelled")
        case .timedOut: (.timedOut, "the answer stopped after \(progress)")
        case .networkConnectionLost, .notConnectedToInternet: (.unreachable, "the connection to \(place) was lost after \(progress)")
        // A code for broken framing: libcurl has several, and all of them mean that the answer cannot be used.
        default: (.invalidResponse, "the answer was cut off, or makes no sense, after \(progress)")
        }
    }

    private static func beforeReceiving(_ code: URLError.Code?, _ request: HTTPRequest) -> (Code, String) {
        let place = request.placeText
        return switch code {
        case .cancelled: (.cancelled, "it was cancelled")
        case .timedOut: (.timedOut, "there was no answer from \(place)")
        case .cannotConnectToHost: (.unreachable, "connection refused by \(place)")
        case .cannotFindHost, .dnsLookupFailed:
            (.unreachable, "there is no host named \(ForeignText.withoutSecrets(request.url.host() ?? ""))")
        case .networkConnectionLost: (.unreachable, "the connection to \(place) was lost")
        case .badServerResponse: (.unreachable, "\(place) closed the connection without an answer")
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive: (.unreachable, "there is no network")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
            (.untrusted, untrusted(place))
        case .unsupportedURL, .cannotParseResponse: (.invalidResponse, "\(place) answered with what is no HTTP")
        case .badURL: (.invalidRequest, "the system cannot use this address")
        case let code?: (.unreachable, "the connection to \(place) failed (URLError \(code.rawValue))")
        case nil: (.unreachable, "the connection to \(place) failed")
        }
    }

    /// On Linux, most errors of libcurl come without a code, and only their text (in English, in any locale) tells.
    private static func withoutCode(_ error: any Error, _ request: HTTPRequest) -> (Code, String) {
        let place = request.placeText
        let text = ((error as NSError).userInfo[NSLocalizedDescriptionKey] as? String ?? "").lowercased()
        func says(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        // These go first: they name the host, which may be called anything.
        if text.hasPrefix("failed to connect") || text.hasPrefix("could not resolve") {
            return (.unreachable, "there is no way to \(place)")
        }
        if says("connection reset", "ssl_error_syscall", "timed out", "couldn't connect") {
            return (.unreachable, "the connection to \(place) was lost")
        }
        if says("ssl", "tls", "certificate") { return (.untrusted, untrusted(place)) }
        if request.url.scheme?.lowercased() == "https" { return (.unreachable, "the connection to \(place) failed") }
        return (.invalidResponse, "\(place) answered with what is no HTTP")
    }

    private static func untrusted(_ place: String) -> String { "\(place) could not prove who it is, or spoke no TLS" }
}

extension URLError {
    /// An error of libcurl as one of `URLSession`, so that it is judged as any other transport's.
    ///
    /// - Parameters:
    ///   - code: libcurl's, as `CURLcode` numbers them. Unclear ones have the code `unknown`, and only the text tells.
    ///   - systemError: the `errno` of the connection's last error; 0 without one.
    ///   - text: what libcurl wrote about it, in English.
    init(curl code: Int32, systemError: Int32, text: String) {
        let code: Code =
            switch (code, systemError) {
            case (7, ECONNREFUSED): .cannotConnectToHost
            case (28, _), (7, ETIMEDOUT): .timedOut
            // 1 is for HTTP/0.9, which is any byte at all.
            case (1, _): .unsupportedURL
            case (3, _): .badURL
            case (6, _): .cannotFindHost
            // A reply that makes no sense, and a line of a header without end (27 or 100).
            case (8, _), (27, _), (100, _): .cannotParseResponse
            case (52, _): .badServerResponse
            case (55, ECONNRESET), (55, EPIPE), (56, ECONNRESET), (65, _): .networkConnectionLost
            case (51, _), (60, _), (90, _), (91, _): .serverCertificateUntrusted
            case (53, _), (54, _), (58, _), (59, _), (64, _), (66, _), (77, _), (80, _), (82, _), (83, _): .secureConnectionFailed
            default: .unknown
            }
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
