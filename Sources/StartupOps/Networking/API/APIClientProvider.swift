import Sequencer

/// Where an app keeps its client: created once, while the app starts, and used from everywhere after.
///
/// ```swift
/// let clients = APIClientProvider()
/// try clients.create { try APIClient(APIEnvironment(graphQL: text), ...) }
/// let countries = try await clients.client.get("v1/countries", as: [Country].self, deadline: deadline)
/// ```
public final class APIClientProvider: Sendable {
    private enum State {
        case empty
        case creating
        case ready(APIClient)
    }

    private let state = Locked(State.empty)

    /// Nothing yet.
    public init() {}

    /// The client.
    ///
    /// - Throws: ``APIConfigurationError`` when it has not been created.
    public var client: APIClient {
        get throws(APIConfigurationError) {
            if case .ready(let client) = state.withLock({ $0 }) { return client }
            throw APIConfigurationError(field: "client", "it was used before it was created; call create(_:) first, while the app starts")
        }
    }

    /// Creates the client. When `make` throws there is none, and it may be tried again.
    ///
    /// - Throws: ``APIConfigurationError`` when there is one already; whatever `make` throws.
    public func create(_ make: () throws -> APIClient) throws {
        try state.withLock { state throws(APIConfigurationError) in
            guard case .empty = state else {
                throw APIConfigurationError(field: "client", "it was created already; there is one for the whole life of the app")
            }
            state = .creating
        }
        do {
            let client = try make()
            state.withLock { $0 = .ready(client) }
        } catch {
            state.withLock { $0 = .empty }
            throw error
        }
    }
}
