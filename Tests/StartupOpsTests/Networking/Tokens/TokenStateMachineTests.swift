import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Deciding about tokens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TokenStateMachineTests {
    private typealias Machine = TokenStateMachine
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func session(_ name: String, expiresIn seconds: TimeInterval, user: String = "u1", refresh: String? = "r") -> Session {
        let expiry = Int((now + seconds).timeIntervalSince1970)
        return Session(
            accessToken: Secret(WireService.jwt(#"{"sub":"\#(user)","exp":\#(expiry),"jti":"\#(name)"}"#)),
            refreshToken: refresh.map { Secret("\($0)-\(name)") }
        )
    }

    private func machine(_ session: Session?, patience: Duration = .zero) -> Machine {
        var machine = Machine(leeway: 60, patience: patience)
        machine.loaded(session.map { .value($0) } ?? .absent)
        return machine
    }

    /// Asks, and says in a word what was answered: the token's name, "none", "wait", "wait+refresh", "name+refresh" or the error's code.
    private func ask(
        _ machine: inout Machine,
        _ requirement: TokenRequirement = .required,
        replacing rejected: AccessToken? = nil,
        by id: UInt64
    )
        -> String
    {
        switch machine.ask(requirement, replacing: rejected, by: id, now: now) {
        case .fail(let error): "\(error.code)"
        case .wait(let flight): flight == nil ? "wait" : "wait+refresh"
        case .use(let token, let flight): (token == nil ? "none" : "token") + (flight == nil ? "" : "+refresh")
        }
    }

    private let rejection = Machine.RefreshResult.rejected(SessionRejected("invalid_grant"))
    private let failure = Machine.RefreshResult.failed(NetworkError(.unreachable, request: "POST x", "no route"))

    @Test("C9, C11, C13, C14, C18: what each state answers to each requirement")
    func answers() {
        let cases: [(Session?, required: String, optional: String)] = [
            (nil, "missingAccessToken", "none"),
            (session("fresh", expiresIn: 61), "token", "token"),
            (session("expiring", expiresIn: 60), "token+refresh", "token+refresh"),
            (session("expired", expiresIn: 0), "wait+refresh", "none"),
            (Session(accessToken: "no token at all"), "wait+refresh", "none"),
        ]
        for (session, required, optional) in cases {
            var first = machine(session)
            #expect(ask(&first, .required, by: 1) == required)
            var second = machine(session)
            #expect(ask(&second, .optional, by: 1) == optional)
        }
    }

    @Test("what a refresh does not say again stays: the refresh token, and whose session it is")
    func merging() {
        var machine = machine(session("a", expiresIn: -1))
        _ = ask(&machine, by: 1)
        _ = machine.refreshEnded(1, .session(Session(accessToken: "opaque")), now: now)
        #expect(machine.session?.session.refreshToken?.value == "r-a")
        #expect(machine.session?.session.userID == "u1")
    }

    @Test("fault T4: a refresh that a caller's time ended with is joined by nobody once it counts as hung; three at most are under way")
    func hung() {
        var machine = machine(session("a", expiresIn: -1))
        #expect(ask(&machine, by: 1) == "wait+refresh")
        machine.leave(1, isOutOfTime: true)
        #expect(ask(&machine, by: 2) == "wait+refresh")
        #expect(ask(&machine, by: 3) == "wait")
        machine.leave(3, isOutOfTime: true)
        #expect(ask(&machine, by: 4) == "wait+refresh")
        machine.leave(4, isOutOfTime: true)
        #expect(ask(&machine, by: 5) == "wait")
        #expect(machine.flights.count == 3)

        var patient = self.machine(session("a", expiresIn: -1), patience: .seconds(3600))
        _ = ask(&patient, by: 1)
        patient.leave(1, isOutOfTime: true)
        #expect(ask(&patient, by: 2) == "wait")
    }

    @Test("fault T4: of two refreshes of one token the first to succeed counts, and who waits for either is served")
    func firstSuccessCounts() {
        var machine = machine(session("a", expiresIn: -1))
        _ = ask(&machine, by: 1)
        machine.leave(1, isOutOfTime: true)
        _ = ask(&machine, by: 2)
        #expect(machine.refreshEnded(1, .session(session("b", expiresIn: 600)), now: now).resumed.map(\.waiter) == [2])
        for late in [Machine.RefreshResult.session(session("c", expiresIn: 600)), rejection, failure] {
            var machine = machine
            #expect(machine.refreshEnded(2, late, now: now).events.isEmpty)
            #expect(machine.session?.session.refreshToken?.value == "r-b")
        }
    }

    @Test("fault T6: a rejection does not count while an earlier refresh may have replaced the token")
    func heldRejection() {
        func overtaken() -> Machine {
            var machine = machine(session("a", expiresIn: -1))
            _ = ask(&machine, by: 1)
            machine.leave(1, isOutOfTime: true)
            _ = ask(&machine, by: 2)
            let effects = machine.refreshEnded(2, rejection, now: now)
            #expect(effects.events.isEmpty && effects.resumed.isEmpty)
            return machine
        }
        var saved = overtaken()
        #expect(saved.refreshEnded(1, .session(session("b", expiresIn: 600)), now: now).resumed.map(\.waiter) == [2])
        #expect(saved.session != nil)

        var lost = overtaken()
        #expect(ask(&lost, by: 3) == "wait")
        let effects = lost.refreshEnded(1, failure, now: now)
        #expect(effects.events == [.loggedOut(.rejected)])
        #expect(effects.resumed.map(\.waiter) == [2, 3])
    }

    @Test("fault T19, T20, T21: what was begun in another session has no effect, and who waited for it is told")
    func generations() {
        for isLogout in [true, false] {
            var machine = machine(session("a", expiresIn: -1))
            _ = ask(&machine, by: 1)
            let effects = isLogout ? machine.end(.requested) : machine.begin(session("x", expiresIn: 600, user: "u2"), now: now)
            #expect(effects.cancelled == [1])
            #expect(effects.resumed.count == 1)
            guard case .failure(let error)? = effects.resumed.first?.result else {
                Issue.record("a token of another session")
                return
            }
            #expect(error.code == (isLogout ? .missingAccessToken : .cancelled))
            for late in [Machine.RefreshResult.session(session("b", expiresIn: 600)), rejection, failure] {
                #expect(machine.refreshEnded(1, late, now: now).events.isEmpty)
            }
            #expect(machine.session?.token.userID == (isLogout ? nil : "u2"))
        }
    }

    @Test("a session is put back in place of another user's; not where it is open still, and not after a logout")
    func puttingBack() throws {
        let guest = session("a", expiresIn: 600, user: "guest")
        for isLogout in [false, true] {
            var machine = machine(guest)
            let ends = machine.ends
            #expect(machine.putBack(guest, ends: ends, now: now)?.events == nil)
            if isLogout { _ = machine.end(.requested) }
            _ = machine.begin(session("x", expiresIn: 600, user: "u2"), now: now)
            let events = machine.putBack(guest, ends: ends, now: now)?.events
            #expect(events == (isLogout ? nil : [.sessionChanged(userID: "guest")]))
            #expect(machine.session?.token.userID == (isLogout ? "u2" : "guest"))
        }
    }

    @Test("fault T20: a refresh that gives another user's token is not taken")
    func otherUser() {
        var machine = machine(session("a", expiresIn: -1))
        _ = ask(&machine, by: 1)
        let effects = machine.refreshEnded(1, .session(session("b", expiresIn: 600, user: "u2")), now: now)
        #expect(effects.resumed.count == 1 && effects.events.isEmpty)
        #expect(machine.session?.token.userID == "u1")
    }

    @Test("N28: a token that was turned down is refreshed, once for all who had it; another session's is no matter")
    func turnedDown() throws {
        var machine = machine(session("a", expiresIn: 600))
        let old = try #require(machine.session?.token)
        #expect(ask(&machine, replacing: old, by: 1) == "wait+refresh")
        #expect(ask(&machine, by: 2) == "wait")
        #expect(ask(&machine, .optional, by: 3) == "none")
        #expect(ask(&machine, .optional, replacing: old, by: 4) == "wait")
        _ = machine.refreshEnded(1, .session(session("b", expiresIn: 600)), now: now)
        #expect(ask(&machine, replacing: old, by: 5) == "token")
        _ = machine.begin(session("x", expiresIn: 600, user: "u2"), now: now)
        #expect(ask(&machine, replacing: old, by: 6) == "cancelled")
    }

    @Test("C13, fault T12, fault C2: a token that has just been issued is not refreshed again for looking expired, or for saying nothing")
    func justIssued() {
        for token in ["opaque", WireService.jwt("{}"), WireService.jwt(#"{"exp":1}"#)] {
            var machine = machine(nil)
            _ = machine.begin(Session(accessToken: Secret(token)), now: now)
            #expect(ask(&machine, by: 1) == "token")
            _ = machine.begin(Session(accessToken: Secret(token), expiresAt: now + 300), now: now)
            #expect(machine.session?.isExpiring(at: now + 299) == true && machine.session?.hasExpired(at: now + 299) == false)
            #expect(machine.session?.hasExpired(at: now + 300) == true)
        }
    }

    @Test("fault T15: a token that lives for less than the leeway is not refreshed at every use")
    func shortLived() {
        var machine = machine(nil)
        _ = machine.begin(session("a", expiresIn: 30), now: now)
        #expect(ask(&machine, by: 1) == "token")
        #expect(machine.session?.isExpiring(at: now + 15) == true && machine.session?.hasExpired(at: now + 15) == false)
    }
}
