import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("The paywall", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PaywallOperationTests {
    /// Somebody, or nobody, is logged in; nothing else is asked.
    private struct Accounts: AccountsOver {
        let session: StoredAnswer<StoredSession>
        let real: any AccountService = NoService()

        func storedSession() -> StoredAnswer<StoredSession> { session }
    }

    /// Who is there when the offer could be made.
    enum Visitor: CaseIterable {
        case account, guest, nobody, unknown

        fileprivate var session: StoredAnswer<StoredSession> {
            switch self {
            case .account: .value(StoredSession(userID: "7", isAnonymous: false))
            case .guest: .value(StoredSession(userID: "g", isAnonymous: true))
            case .nobody: .absent
            case .unknown: .unavailable(StorageError(.locked, "session", "the device is locked"))
            }
        }
    }

    @Test(
        "B15, B16: the offer is made to accounts without a subscription: at each start, or after a login; never to a guest",
        arguments: Visitor.allCases
    )
    func truthTable(visitor: Visitor) async throws {
        for isAtEachStart in [false, true] {
            for hasLoggedIn in [false, true] {
                for known in [nil, Entitlements(), Entitlements(["premium"])] {
                    let person = AgreeablePerson()
                    let directory = StateDirectory.inMemory()
                    try Settings(directory.settings).set(isAtEachStart, for: .presentsSubscriptionOnEveryStart)
                    let environment = StartupEnvironment.alone(directory: directory) {
                        $0.services.accounts = Accounts(session: visitor.session)
                        $0.presenters.main = person
                    }
                    environment.memory.state.withLock { $0.hasLoggedIn = hasLoggedIn }
                    let operation = PaywallOperation(environment: environment, before: visitor.session)
                    let (report, _) = try await runAlone("paywall") { step in try await operation.run(known, in: step) }
                    let isOffered = visitor == .account && known == Entitlements() && (isAtEachStart || hasLoggedIn)
                    let state = "at each start: \(isAtEachStart), logged in: \(hasLoggedIn), \(String(describing: known))"
                    #expect(report.outcome == .succeeded && person.shown == (isOffered ? ["paywall"] : []), "\(state)")
                    #expect(report.isInteractive == isOffered, "\(state)")
                }
            }
        }
    }
}
