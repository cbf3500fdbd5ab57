import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import StartupSamples

/// Does to one connection what the sample service asks for.
///
/// What waits (`hang`, `slow`, `drip`) ends with the connection and with the server: neither leaves a task behind.
struct FaultPerformer {
    /// Thrown to end a connection: nothing more is sent over it.
    private struct ConnectionEnds: Error {}

    let request: Request
    let channel: any Channel

    func perform(_ answer: SampleAnswer) async throws -> Response {
        switch answer {
        case .response(let response, let delay):
            if delay > .zero { try await wait(delay) }
            // Hummingbird replaces the date of an answer with the real one.
            if response.headers["Date"] != nil { try await sendAndClose(Self.wholeMessage(response)) }
            return Response(response)
        case .hang:
            // Longer than any server runs.
            try await wait(.seconds(366 * 86_400))
            throw ConnectionEnds()
        case .drip(let byte, let pause):
            return Response(
                SampleResponse(status: 200, headers: ["Content-Type": "application/json"]),
                body: ResponseBody { writer in
                    while true {
                        try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
                        try await writer.write(ByteBuffer(bytes: [byte]))
                    }
                }
            )
        case .truncated(let response, let length):
            return Response(
                response,
                body: ResponseBody(contentLength: length) { writer in
                    try await writer.write(ByteBuffer(bytes: response.body))
                    throw ConnectionEnds()
                }
            )
        case .reset(let response):
            let channel = channel
            return Response(
                response,
                body: ResponseBody(contentLength: response.body.count) { writer in
                    try await writer.write(ByteBuffer(bytes: response.body.prefix(response.body.count / 2)))
                    // A reset takes away what the receiver has not read yet: this gives it a chance to see the head.
                    try await Task.sleep(for: .milliseconds(50))
                    try await Self.reset(channel)
                    throw ConnectionEnds()
                }
            )
        case .zeros(let count, let compressed): return compressed ? Self.compressedZeros(count) : Self.zeros(count)
        case .plaintext(let bytes): try await sendAndClose(bytes)
        }
    }

    /// Waits, unless the connection or the server ends first.
    private func wait(_ duration: Duration) async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await request.body.consumeWithCancellationOnInboundClose { _ in try await Task.sleep(for: duration) }
            }
        } catch {
            try? await channel.close()
            throw ConnectionEnds()
        }
    }

    /// Sends bytes past everything that knows HTTP, and closes the connection.
    private func sendAndClose(_ bytes: Data) async throws -> Never {
        let channel = channel
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute {
            do {
                let encoder = try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
                encoder.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: written)
            } catch {
                written.fail(error)
            }
        }
        try await written.futureResult.get()
        try? await channel.close()
        throw ConnectionEnds()
    }

    /// Closes with a reset: a socket that does not linger forgets what it has not sent.
    private static func reset(_ channel: any Channel) async throws {
        guard let options = channel as? any SocketOptionProvider else { throw ConnectionEnds() }
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    private static func wholeMessage(_ response: SampleResponse) -> Data {
        var head = "HTTP/1.1 \(response.status) Sample\r\nContent-Length: \(response.body.count)\r\nConnection: close\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        return Data("\(head)\r\n".utf8) + response.body
    }

    private static func zeros(_ count: Int) -> Response {
        Response(
            SampleResponse(status: 200, headers: ["Content-Type": "application/octet-stream"]),
            body: ResponseBody(contentLength: count) { writer in
                let piece = ByteBuffer(repeating: 0, count: 65_536)
                var left = count
                while left > 0 {
                    try await writer.write(piece.getSlice(at: 0, length: min(left, piece.readableBytes)) ?? piece)
                    left -= min(left, piece.readableBytes)
                }
                try await writer.finish(nil)
            }
        )
    }

    private static func compressedZeros(_ count: Int) -> Response {
        let headers: SampleHeaders = ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"]
        return Response(SampleResponse(status: 200, headers: headers, body: Data(CompressedZeros.bytes(count: count))))
    }
}
