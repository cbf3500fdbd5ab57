/// What one request does differently from its client's other requests.
public struct RequestOptions: Sendable, Hashable {
    /// What the operation is called when the data source is asked about it; nil: its GraphQL name, or method and path.
    public var operation: String?
    /// Whether it needs a token; nil: the data source says.
    public var requirement: TokenRequirement?
    /// A token to send in place of the session's. Nobody is asked whether one is needed, and it is not refreshed; it must not have expired.
    public var token: Secret?
    /// How to use the cache; nil: as the client does.
    public var cachePolicy: CachePolicy?
    /// The language to ask for; nil: the client's.
    public var language: String?

    /// Options.
    public init(
        operation: String? = nil,
        requirement: TokenRequirement? = nil,
        token: Secret? = nil,
        cachePolicy: CachePolicy? = nil,
        language: String? = nil
    ) {
        self.operation = operation
        self.requirement = requirement
        self.token = token
        self.cachePolicy = cachePolicy
        self.language = language
    }

    /// Nothing.
    public static let standard = RequestOptions()
}
