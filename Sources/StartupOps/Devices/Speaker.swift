/// A speaker that answers on the network.
public struct Speaker: Sendable, Hashable, Codable {
    public let id: String
    public let name: String
    public let host: String
    public let port: Int

    /// A speaker.
    public init(id: String, name: String, host: String, port: Int) {
        self.id = id
        self.name = name
        self.host = host
        self.port = port
    }
}
