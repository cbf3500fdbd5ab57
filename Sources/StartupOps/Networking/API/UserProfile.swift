/// A user, as the service knows them.
public struct UserProfile: Sendable, Hashable, Codable {
    /// The user's identifier.
    public let id: String
    /// What the user is called.
    public let name: String
    /// The user's address, where the service knows one.
    public let email: String?
    /// Whether the address was shown to be the user's.
    public let emailVerified: Bool
    /// Whether the user is a guest, made without asking anything.
    public let isAnonymous: Bool

    /// A user.
    public init(id: String, name: String, email: String? = nil, emailVerified: Bool = true, isAnonymous: Bool = false) {
        self.id = id
        self.name = name
        self.email = email
        self.emailVerified = emailVerified
        self.isAnonymous = isAnonymous
    }
}
