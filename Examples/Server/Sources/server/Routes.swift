import Foundation
import Hummingbird

/// What is answered for a product.
struct ProductAnswer: Sendable, Encodable {
    var id: Int64
    var name: String
    var cents: Int
    var currency: String
}

/// The routes of the server.
struct Routes: Sendable {
    let readiness: Readiness

    private struct Message: Encodable {
        var status: String
    }

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        // Alive is who answers; whether that is of any use is for /ready to say.
        router.get("live") { _, _ in try Self.json(Message(status: "live")) }
        router.get("ready") { _, _ in
            let answer = readiness.answer
            return try Self.json(answer, answer.status == .ready ? .ok : .serviceUnavailable)
        }
        router.get("products/:id") { _, context in
            guard let cache = readiness.cache else { return try Self.json(Message(status: "not ready, see /ready"), .serviceUnavailable) }
            guard let product = context.parameters.get("id", as: Int64.self).flatMap({ cache.product($0) }) else {
                return try Self.json(Message(status: "no such product"), .notFound)
            }
            return try Self.json(product)
        }
        return router
    }

    private static func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try encoder.encode(value)
        var headers: HTTPFields = [.contentType: "application/json", .contentLength: "\(body.count)"]
        if status == .serviceUnavailable { headers[.retryAfter] = "1" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
