import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import StartupNetworking
import StartupSamples

// Hummingbird has types of the same names.
typealias SampleRequest = StartupNetworking.HTTPRequest
typealias SampleResponse = StartupNetworking.HTTPResponse
typealias SampleHeaders = StartupNetworking.HTTPHeaders

/// A request's context with its connection: some faults are done to that.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Hands requests to the sample service and sends what it says.
struct SampleResponder: HTTPResponder {
    /// No body of the wire contract is longer.
    private static let maximumBodySize = 1 << 20

    let service: SampleService

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        var request = request
        guard let body = try? await request.collectBody(upTo: Self.maximumBodySize) else { return Response(status: .contentTooLarge) }
        guard let method = HTTPMethod(rawValue: request.method.rawValue) else { return Response(status: .methodNotAllowed) }
        guard let sample = Self.sample(method, request, body) else { return Response(status: .badRequest) }
        return try await FaultPerformer(request: request, channel: context.channel).perform(service.answer(sample))
    }

    private static func sample(_ method: HTTPMethod, _ request: Request, _ body: ByteBuffer) -> SampleRequest? {
        // The service looks at the path and the query; whichever name the client used for this server is nothing to it.
        guard request.uri.string.hasPrefix("/"), let url = URL(string: "http://backend\(request.uri.string)") else { return nil }
        var headers: SampleHeaders = [:]
        for field in request.headers { headers[field.name.rawName] = field.value }
        return SampleRequest(method, url, headers: headers, body: body.readableBytes == 0 ? nil : Data(body.readableBytesView))
    }
}

extension Response {
    /// An answer of the sample service.
    init(_ response: SampleResponse, body: ResponseBody? = nil) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(
            status: .init(code: response.status),
            headers: fields,
            body: body ?? ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        )
    }
}
