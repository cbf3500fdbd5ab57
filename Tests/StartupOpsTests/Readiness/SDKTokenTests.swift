import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// The restore of a library whose session is a real one.
@Suite("SDK restore and tokens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKTokenTests {
    private struct Answer: Decodable, Sendable {
        let entitlements: Set<String>
    }

    @Test(
        "D21: the entitlements refresh a token that has expired, and one that is about to, before what comes after them is done",
        arguments: [(-1.0, true), (30, true), (3600, false)]
    )
    func refreshes(lifetime: TimeInterval, isRefreshed: Bool) async throws {
        let service = WireService()
        let session = service.issue(lifetime: lifetime)
        let harness = try ClientHarness(session, service: service)
        var behaviour = SampleSDKServices.Behaviour()
        behaviour.entitlements = { deadline in
            try await harness.client.get("v1/entitlements", as: Answer.self, deadline: deadline).entitlements
        }
        let askedBefore = Locked<Int?>(nil)
        behaviour.geofencing = { _ in askedBefore.withLock { $0 = service.count("GET /v1/entitlements") } }
        let sdk = SDKLifecycle.patient(SampleSDKServices(token: session.accessToken.value, behaviour))
        #expect(sdk.initialize(sdkBuilder))
        await sdk.untilReady()
        #expect(sdk.restoreOutcomes["entitlements"] == .restored && askedBefore.withLock { $0 } == 1)
        // Nobody waits for a token that is refreshed ahead of time. On a slow machine that takes longer than it may: then the next request begins it anew.
        func isNew() -> Bool { harness.tokens.session.value?.accessToken.value != session.accessToken.value }
        let end = ContinuousClock.now + patience
        while isRefreshed, !isNew(), ContinuousClock.now < end {
            _ = try? await harness.client.get("v1/entitlements", as: Answer.self, deadline: .after(patience))
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(isNew() == isRefreshed && (harness.refreshes > 0) == isRefreshed)
        #expect((harness.requests.first?.bearer == session.accessToken.value) == (lifetime > 0))
    }
}
