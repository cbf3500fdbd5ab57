import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Entitlements", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntitlementsOperationTests {
    private struct Service: EntitlementService {
        let answer: Result<Entitlements, NetworkError>
        func entitlements(by deadline: Deadline) async throws -> Entitlements { try answer.get() }
    }

    private func run(_ answer: Result<Entitlements, NetworkError>, _ store: any DataStore, of account: String? = "a") async throws
        -> (report: OperationReport, value: Entitlements?)
    {
        let operation = EntitlementsOperation(service: Service(answer: answer), cache: store, of: account)
        return try await runAlone("entitlements", .onFailure(.continue)) { launch in try await operation.run(in: launch) }
    }

    @Test("B16: what the service says is what counts, and it replaces what was known")
    func fetched() async throws {
        let store = MemoryStore()
        #expect(try await run(.success(Entitlements(["premium"])), store).value == Entitlements(["premium"]))
        #expect(try await run(.success(Entitlements()), store).value?.isSubscribed == false)
        #expect(try await run(.failure(unreachable), store).value == Entitlements())
    }

    @Test("B16: without an answer what was known last counts, and the report says so")
    func known() async throws {
        let store = MemoryStore()
        _ = try await run(.success(Entitlements(["premium"])), store)
        let (report, value) = try await run(.failure(unreachable), store)
        #expect(value?.isSubscribed == true)
        #expect(report.notes == ["the last known entitlements were used: GET example.invalid/v1: connection refused"])
    }

    @Test("B16: what is known of another account says nothing: nobody is asked to buy who may have paid")
    func another() async throws {
        let store = MemoryStore()
        _ = try await run(.success(Entitlements()), store)
        let (report, value) = try await run(.failure(unreachable), store, of: "b")
        #expect(report.outcome == .failed && value == nil)
    }

    @Test("B16: where nothing is known nothing is claimed; who is not logged in is entitled to nothing")
    func unknown() async throws {
        let (report, value) = try await run(.failure(unreachable), MemoryStore())
        #expect(report.outcome == .failed && value == nil)
        let nobody = NetworkError(.missingAccessToken, request: "GET example.invalid/v1", "nobody is logged in")
        let (guest, nothing) = try await run(.failure(nobody), MemoryStore())
        #expect(guest.outcome == .succeeded && nothing == Entitlements())
    }
}
