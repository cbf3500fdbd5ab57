/// A speaker and where it answers.
public struct Speaker: Sendable, Hashable, Codable, Identifiable, CustomStringConvertible {
    /// What the service knows it by; where nobody has asked the service, its host and port.
    public let id: String
    /// What the person calls it.
    public let name: String
    /// A name or an address.
    public let host: String
    /// From 1 to 65535.
    public let port: Int

    /// A speaker.
    public init(id: String, name: String, host: String, port: Int) {
        self.id = id
        self.name = name
        self.host = host
        self.port = port
    }

    /// Name, host and port.
    public var description: String { "\(name) (\(host):\(port))" }
}
