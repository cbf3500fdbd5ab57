import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A sample answer as a URL protocol gives it: when, what, and how it ends.
struct EmbeddedReply: Sendable, Hashable {
    enum End: Sendable, Hashable {
        /// The answer is whole.
        case finished
        /// It fails.
        case failed(URLError.Code)
        /// It never ends.
        case open
    }

    /// When it begins; nil when it never does.
    var delay: Duration?
    /// Its head; nil when it fails without one.
    var head: HTTPResponse?
    /// Its body.
    var chunks: [Data] = []
    /// How it ends.
    var end = End.finished

    /// The size of the pieces in which a long body is given.
    static let chunkSize = 1_000_000

    init(_ answer: SampleAnswer, latency: Duration) {
        delay = latency
        switch answer {
        case .response(let response, let more):
            delay = latency + more
            give(response)
        case .hang:
            delay = nil
            end = .open
        case .drip:
            head = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"])
            end = .open
        case .truncated(let response, let length):
            give(response)
            head?.headers["Content-Length"] = "\(length)"
            end = .failed(.networkConnectionLost)
        case .reset(let response):
            give(response)
            chunks = [response.body.prefix(response.body.count / 2)]
            end = .failed(.networkConnectionLost)
        case .zeros(let count, _):
            head = HTTPResponse(status: 200, headers: ["Content-Type": "application/octet-stream", "Content-Length": "\(count)"])
            let (whole, rest) = count.quotientAndRemainder(dividingBy: Self.chunkSize)
            chunks = Array(repeating: Data(count: Self.chunkSize), count: whole) + [Data(count: rest)]
        case .plaintext:
            end = .failed(.badServerResponse)
        }
        chunks.removeAll(where: \.isEmpty)
    }

    private mutating func give(_ response: HTTPResponse) {
        head = response
        if !response.body.isEmpty || response.status != 204 && response.status != 304 {
            head?.headers["Content-Length"] = "\(response.body.count)"
        }
        chunks = [response.body]
    }
}
