import Sequencer
import StartupNetworking

/// The account of the user who uses the app.
public struct Account: Sendable, Hashable, Codable {
    /// The service's identifier.
    public let id: String
    /// The user's name.
    public let name: String
    /// The address it was made with; nil for a guest.
    public let email: String?
    /// Whether the user has shown that the address is theirs.
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

    /// To the byte in the identifier, the name and the address.
    public static func == (one: Account, other: Account) -> Bool {
        areSame(one.id, other.id) && areSame(one.name, other.name) && areSame(one.email, other.email)
            && (one.isEmailVerified, one.isAnonymous) == (other.isEmailVerified, other.isAnonymous)
    }

    /// A person without an account: used when the service cannot even open an anonymous one.
    public static let guest = Account(id: "guest", name: "Guest", isAnonymous: true)
}

/// A stored session, without its secrets.
public struct StoredSession: Sendable, Hashable {
    /// The user's identifier; nil when the token does not have it.
    public let userID: String?
    /// Whether it was opened without an account.
    public let isAnonymous: Bool
    /// The account as it was when it was last asked for.
    public let account: Account?

    /// Whether this installation of the app has opened it, rather than an earlier one, or one that was not written
    /// down.
    var isOfThisInstallation = false

    /// The account's identifier; nil for a guest, and when it is not known.
    var accountID: String? { isAnonymous ? nil : account?.id ?? userID }

    /// A stored session.
    public init(userID: String?, isAnonymous: Bool, account: Account? = nil) {
        self.userID = userID
        self.isAnonymous = isAnonymous
        self.account = account
    }

    /// To the byte in the identifier.
    public static func == (one: StoredSession, other: StoredSession) -> Bool {
        areSame(one.userID, other.userID) && one.account == other.account
            && (one.isAnonymous, one.isOfThisInstallation) == (other.isAnonymous, other.isOfThisInstallation)
    }
}

/// The reason why no session could be opened.
public struct AccountError: DescribedError, Sendable, Hashable {
    /// The kinds of error.
    public enum Code: Sendable, Hashable {
        /// Nothing is stored.
        case noSession
        /// The stored session cannot be read now.
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

    /// The kind of error.
    public let code: Code
    /// The reason in a few words, without secrets.
    public let description: String

    /// An error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// Opens and ends sessions.
///
/// A session outlives a launch. Every method returns or throws by its deadline; a launch does not wait for one that
/// does not, and cancels it: after that, a method must neither open nor end a session. Only an ``AccountError`` other
/// than ``AccountError/Code/unavailable`` says something of the session: after any other error it is kept, and used as
/// it was.
public protocol AccountService: Sendable {
    /// The stored session, without asking the service.
    func storedSession() -> StoredAnswer<StoredSession>
    /// Opens the stored session, refreshing its token where that is needed, and asks whose it is.
    ///
    /// - Throws: ``AccountError`` without a stored session, or when it has ended.
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
    /// Keeps the session that is open now, for a login that the user may leave half-way.
    ///
    /// - Returns: puts it back in the place of one that has been opened since, with its account; changes nothing when
    ///   the session has been ended meanwhile. Nil without a session, and of a service that cannot do this, which is
    ///   the default: such a login then costs the guest their session.
    func sessionKeeper() -> (@Sendable () async -> Void)?
    /// Why nobody is logged in, in a few words, where somebody was and has not logged out: the login's report says so.
    /// Nil otherwise, which is the default.
    var lossOfSession: String? { get }
}

extension AccountService {
    /// Keeps none.
    public func sessionKeeper() -> (@Sendable () async -> Void)? { nil }
    /// None.
    public var lossOfSession: String? { nil }
}

/// The user's entitlements, such as a subscription.
public struct Entitlements: Sendable, Hashable, Codable {
    /// Their names, such as `premium`.
    public let entitlements: Set<String>

    /// Entitlements, by their names.
    public init(_ entitlements: Set<String> = []) {
        // A blank name does not count: it would make the user a subscriber.
        self.entitlements = entitlements.filter { $0.unlessBlank != nil }
    }

    /// Reads entitlements.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(Set<String>.self, forKey: .entitlements))
    }

    /// Whether there is a subscription.
    var isSubscribed: Bool { !entitlements.isEmpty }
}

/// Where entitlements come from.
public protocol EntitlementService: Sendable {
    /// The entitlements of the user whose session is open.
    func entitlements(by deadline: Deadline) async throws -> Entitlements
}
