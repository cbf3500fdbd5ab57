import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupSamples

/// What an embedded request does next, decided without a session and without a clock.
@Suite("Embedded loads", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EmbeddedLoadTests {
    private let reply = EmbeddedReply(.response(HTTPResponse(status: 200), after: .seconds(2)), latency: .seconds(1))

    @Test("asks, waits for the latency and the fault's delay, and delivers at the next start")
    func inOrder() {
        var load = EmbeddedLoad()
        #expect(load.start(mayDeliver: true) == .ask)
        #expect(load.answered(reply) == .wait(.seconds(3), timer: 1))
        #expect(load.timeIsUp(1) == true)
        #expect(load.start(mayDeliver: true) == .deliver(reply))
        #expect(load.start(mayDeliver: true) == .nothing)
    }

    @Test("stopped while it waits, it does not deliver; started again, it waits again and does not ask again")
    func stopped() {
        var load = EmbeddedLoad()
        _ = load.start(mayDeliver: true)
        _ = load.answered(reply)
        load.stop()
        #expect(load.timeIsUp(1) == false)
        #expect(load.start(mayDeliver: true) == .wait(.seconds(3), timer: 2))
        #expect(load.timeIsUp(1) == false)
        #expect(load.timeIsUp(2) == true)
    }

    @Test("cancelled when its time has come, it does not deliver")
    func cancelledWhenDue() {
        var load = EmbeddedLoad()
        _ = load.start(mayDeliver: true)
        _ = load.answered(reply)
        #expect(load.timeIsUp(1) == true)
        load.stop()
        #expect(load.start(mayDeliver: false) == .nothing)
    }

    @Test("a hanging answer sets no timer")
    func hanging() {
        var load = EmbeddedLoad()
        _ = load.start(mayDeliver: true)
        #expect(load.answered(EmbeddedReply(.hang, latency: .zero)) == .nothing)
        load.stop()
        #expect(load.start(mayDeliver: true) == .nothing)
    }
}
