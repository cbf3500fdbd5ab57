/// What is expected where an answer has no body, as with status 204. What the server adds is ignored, unless it is a web page:
/// that is somebody else's.
public struct EmptyResponse: Decodable, Sendable, Hashable {
    /// The only value.
    public init() {}
}
