/// Who uses the app.
public struct Account: Sendable, Hashable, Codable {
    /// The service's identifier.
    public let id: String
    /// What to call the person.
    public let name: String
    /// The address it was made with; nil for a guest.
    public let email: String?
    /// Whether the person has shown that the address is theirs.
    public let isEmailVerified: Bool
    /// Whether it is a guest's, made without asking anything.
    public let isAnonymous: Bool

    /// An account.
    public init(id: String, name: String, email: String? = nil, isEmailVerified: Bool = true, isAnonymous: Bool = false) {
        self.id = id
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isAnonymous = isAnonymous
    }

    /// Someone the service knows nothing of: what is left when not even an anonymous account can be had.
    public static let guest = Account(id: "guest", name: "Guest", isAnonymous: true)
}

/// Opens and ends sessions.
///
/// A session outlives a launch. Every method returns or throws by its deadline. Errors of the network are transient: the session is kept.
public protocol AccountService: Sendable {
    /// What is known without asking anyone: whether a session is stored.
    func storedSession() -> StoredAnswer<StoredSession>
    /// Opens the stored session, refreshing its token where that is needed, and asks whose it is.
    ///
    /// - Throws: ``AccountError`` when there is none, or when it has ended.
    func restore(by deadline: Deadline) async throws -> Account
    /// Opens a session with an account that exists.
    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account
    /// Creates an account and opens a session with it.
    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account
    /// Opens a session without an account.
    func logInAnonymously(by deadline: Deadline) async throws -> Account
    /// Verifies the address of the account whose session is open.
    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account
    /// Ends the session, and removes all that is kept of it.
    func logOut(because reason: String) async
}

/// What is stored of a session, without its secrets.
public struct StoredSession: Sendable, Hashable {
    /// Whose session it is; nil when the token does not say.
    public let userID: String?
    /// Whether it was opened without an account.
    public let isAnonymous: Bool
    /// The account as it was when it was last asked for.
    public let account: Account?

    /// A stored session.
    public init(userID: String?, isAnonymous: Bool, account: Account? = nil) {
        self.userID = userID
        self.isAnonymous = isAnonymous
        self.account = account
    }
}

/// Why there is no session.
public struct AccountError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Sendable, Hashable {
        /// Nothing is stored.
        case noSession
        /// What is stored cannot be read now.
        case unavailable
        /// The session was ended by the service.
        case sessionEnded
        /// The address or the password is wrong.
        case invalidCredentials
        /// There is an account with this address already.
        case accountExists
        /// The code is wrong.
        case invalidCode
    }

    /// What kind of error it is.
    public let code: Code
    /// What happened, in a few words, without secrets.
    public let description: String

    /// An error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
