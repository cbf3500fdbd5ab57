@testable import StartupOps

/// The accounts it is given, with all the time they need: what waits for a token gives up by its own clock, before a request is ever sent.
struct PatientAccounts: AccountService, EntitlementService {
    let service: AppService

    private var patience: Deadline { .after(.seconds(120)) }

    func storedSession() -> StoredAnswer<StoredSession> { service.storedSession() }
    func logOut(because reason: String) async { await service.logOut(because: reason) }

    func restore(by deadline: Deadline) async throws -> Account { try await service.restore(by: patience) }

    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        try await service.logIn(email: email, password: password, by: patience)
    }

    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        try await service.createAccount(email: email, password: password, by: patience)
    }

    func logInAnonymously(by deadline: Deadline) async throws -> Account { try await service.logInAnonymously(by: patience) }

    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account {
        try await service.verify(email: email, code: code, by: patience)
    }

    func entitlements(by deadline: Deadline) async throws -> Entitlements { try await service.entitlements(by: patience) }
}
