import TestSupport

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// The service it is given, with all the time it needs: an answer that takes a busy machine longer than a launch allows would be a fault that no case is about.
struct PatientService: UpdatePolicyService, ConfigurationService, AccountService, EntitlementService {
    let service: AppService

    private var patience: Deadline { .after(TestSupport.patience) }

    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        try await service.updatePolicy(for: version, by: patience)
    }

    func countries(by deadline: Deadline) async throws -> [Country] { try await service.countries(by: patience) }

    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
        try await service.configuration(for: region, by: patience)
    }

    func storedSession() -> StoredAnswer<StoredSession> { service.storedSession() }
    func logOut(because reason: String) async { await service.logOut(because: reason) }
    func sessionKeeper() -> (@Sendable () async -> Void)? { service.sessionKeeper() }

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
