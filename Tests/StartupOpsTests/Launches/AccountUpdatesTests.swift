import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("The account, watched", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AccountUpdatesTests {
    /// A service whose profile waits until the test lets it go, from the second time on.
    private struct SlowProfile: HTTPSending {
        let http: HTTPClient
        let gate: AsyncGate
        let isHeld = Locked(false)

        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            if request.url.path() == "/v1/profile", isHeld.withLock({ $0 }) { await gate.wait() }
            return try await http.send(request, deadline: deadline)
        }
    }

    private let harness = BootstrapHarness()

    private func service(over http: (any HTTPSending)? = nil) -> AppService {
        AppService(
            at: .service(at: harness.backend.baseURL),
            http: http ?? harness.http,
            directory: harness.directory,
            app: harness.app,
            deviceID: "device"
        )
    }

    private func logIn(_ service: AppService) async throws -> Account {
        try await service.logIn(email: "person@example.com", password: Secret("correct horse"), by: .after(patience))
    }

    @Test("C40, C47: an app watches the account: nobody, who has logged in, nobody again")
    func watched() async throws {
        let service = service()
        var updates = service.accountUpdates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        let account = try await logIn(service)
        #expect(await updates.next() == account)
        await service.logOut(because: "the person asked for it")
        #expect(await updates.next() == .some(nil))
    }

    @Test("C46: a restored session begins with the account that the last launch knew, before the service has answered")
    func restored() async throws {
        let account = try await logIn(service())
        let slow = SlowProfile(http: harness.http, gate: AsyncGate())
        slow.isHeld.withLock { $0 = true }
        let next = service(over: slow)
        var updates = next.accountUpdates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        let restoring = Task { try await next.restore(by: .after(patience)) }
        await slow.gate.arrivals()
        #expect(await updates.next() == account)
        slow.gate.open()
        #expect(try await restoring.value == account)
        #expect(await updates.next() == account)
    }

    @Test("C40: who logs in right after a logout is watched, however late that is heard of", arguments: 0..<5)
    func switched(_: Int) async throws {
        let service = service()
        _ = try await logIn(service)
        await service.logOut(because: "the person asked for it")
        let guest = try await service.logInAnonymously(by: .after(patience))
        _ = guest
        let account = try await logIn(service)
        await eventually { service.user.profile?.id == account.id }
        // Nothing that is still to be heard of forgets them.
        for _ in 0..<100 { await Task.yield() }
        #expect(service.user.profile?.id == account.id)
    }

    @Test("C47: nobody sees the account of whoever was logged in before, also where the service does not say who is now")
    func another() async throws {
        let service = service()
        let first = try await logIn(service)
        #expect(service.storedSession().value?.account == first)
        harness.backend.service.setFault(.status(404), for: "/v1/profile")
        _ = try? await service.createAccount(email: "other@example.com", password: Secret("correct horse 2"), by: .after(patience))
        let stored = try #require(service.storedSession().value)
        #expect(stored.account == nil && stored.userID != first.id)
        // Tokens of another way to log in, beside an account that was kept.
        harness.backend.service.removeFaults()
        _ = try await logIn(service)
        service.tokens.begin(Session(accessToken: Secret("opaque"), userID: "somebody"))
        #expect(service.storedSession().value?.account == nil)
    }
}
