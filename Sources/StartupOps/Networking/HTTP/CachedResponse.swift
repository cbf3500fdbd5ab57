import Foundation

/// An answer as it is stored: with the whole key it was stored under, as the names of entries are too short to tell all keys apart.
struct CachedResponse: Codable, Sendable {
    private var method: String
    private var url: String
    private var requestBody: Data?
    private var scope: String
    private var status: Int
    /// Name, value, name, value.
    private var headers: [String]
    private var body: Data

    init(_ response: HTTPResponse, for key: CacheKey) {
        method = key.method.rawValue
        url = key.url.absoluteString
        requestBody = key.body
        scope = key.scope
        status = response.status
        // What is meant for one connection, or for one browser, is not kept.
        let dropped: Set = ["set-cookie", "set-cookie2", "connection", "keep-alive", "proxy-authenticate", "transfer-encoding", "upgrade"]
        headers = response.headers.filter { !dropped.contains($0.name.lowercased()) }.flatMap { [$0.name, $0.value] }
        body = response.body
    }

    /// The answer; nil when this is the answer to something else.
    func response(for key: CacheKey) -> HTTPResponse? {
        guard method == key.method.rawValue, url == key.url.absoluteString, requestBody == key.body, scope == key.scope else { return nil }
        var fields = HTTPHeaders()
        for index in stride(from: 0, to: headers.count - 1, by: 2) { fields[headers[index]] = headers[index + 1] }
        return HTTPResponse(status: status, headers: fields, body: body)
    }
}

extension CacheKey {
    /// A short name for an entry, which others may have too: FNV-1a over all parts, each ended by a byte that is no UTF-8.
    ///
    /// The algorithm is that of draft-eastlake-fnv, with 64 bits.
    var name: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        add(method.rawValue.utf8)
        add(url.absoluteString.utf8)
        add(scope.utf8)
        if let body { add(body) }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
