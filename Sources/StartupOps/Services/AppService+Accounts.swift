import Foundation

extension AppService: AccountService {
    /// What the secure store says, without asking the service.
    public func storedSession() -> StoredAnswer<StoredSession> {
        switch tokens.session {
        case .absent: .absent
        case .unavailable(let error): .unavailable(error)
        case .value(let session):
            .value(
                StoredSession(
                    userID: session.userID,
                    isAnonymous: session.isAnonymous,
                    account: secure.value(Account.self, for: Self.account).value
                )
            )
        }
    }

    /// Asks the service for the profile of the stored session; refreshes its token first where that has expired.
    public func restore(by deadline: Deadline) async throws -> Account {
        switch tokens.session {
        case .absent: throw AccountError(.noSession, "nobody is logged in")
        case .unavailable(let error): throw AccountError(.unavailable, "the stored session cannot be read now: \(error)")
        case .value: break
        }
        do {
            return try await loadAccount(by: deadline)
        } catch let error as NetworkError {
            // The service has turned the session down; every other failure may pass.
            if case .absent = tokens.session { throw AccountError(.sessionEnded, "the service has ended the session") }
            if error.status == 401 { throw AccountError(.sessionEnded, "the service does not accept the session") }
            throw error
        }
    }

    /// Asks for tokens with a password, keeps them, and asks for the profile.
    public func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        do {
            tokens.begin(try await endpoint.session(username: email, password: password, deadline: deadline))
        } catch is SessionRejected {
            throw AccountError(.invalidCredentials, "the address or the password is wrong")
        }
        return try await loadAccount(by: deadline)
    }

    /// Creates the account, then logs in with it.
    public func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        do {
            try await client.post(
                "v1/accounts",
                body: Credentials(email: email, password: password.value),
                options: RequestOptions(requirement: .optional),
                deadline: deadline
            )
        } catch let error where error.status == 409 {
            throw AccountError(.accountExists, "there is an account with this address already")
        }
        return try await logIn(email: email, password: password, by: deadline)
    }

    /// Asks for tokens with this device's identifier, and keeps them.
    public func logInAnonymously(by deadline: Deadline) async throws -> Account {
        let session = try await endpoint.anonymousSession(deviceID: deviceID, deadline: deadline)
        tokens.begin(session)
        return keep(Account(id: session.userID ?? Account.guest.id, name: Account.guest.name, isAnonymous: true))
    }

    /// Sends the code, and asks for the profile again.
    public func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account {
        do {
            try await client.post("v1/accounts/verify", body: Verification(email: email, code: code.value), deadline: deadline)
        } catch let error where error.status == 422 {
            throw AccountError(.invalidCode, "the code is wrong")
        }
        return try await loadAccount(by: deadline)
    }

    /// Forgets tokens, the account and everything that was cached for it; the reason is told to whoever listens.
    public func logOut(because reason: String) async {
        client.clearAppCache(because: LogoutReason(reason))
    }

    private func loadAccount(by deadline: Deadline) async throws -> Account {
        let profile = try await user.getProfile(by: deadline)
        return keep(
            Account(
                id: profile.id,
                name: profile.name,
                email: profile.email,
                isEmailVerified: profile.emailVerified,
                isAnonymous: profile.isAnonymous
            )
        )
    }

    /// Keeps an account for a launch without a network. One that cannot be kept is asked for again.
    private func keep(_ account: Account) -> Account {
        try? secure.save(account, for: Self.account)
        return account
    }

    private struct Credentials: Encodable {
        let email: String
        let password: String
    }

    private struct Verification: Encodable {
        let email: String
        let code: String
    }
}
