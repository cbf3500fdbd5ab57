import TestSupport
import Testing

@testable import StartupOps

// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("Launching without, in safe mode", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSafeModeCaseTests {
    @Test(
        "fault P2, P7, P16, P17: whatever safe mode leaves out, a version that is ruled out gets no main screen, and any other gets one",
        .enabled(if: !DegradationTests.isRecording),
        arguments: Nightly.cases(SafeModeCase.all, each: 2)
    )
    func safeMode(_ launch: SafeModeCase) async throws {
        let observation = try await launch.observe()
        #expect(observation.level == launch.level)
        #expect(observation.launch.outcome == launch.outcome)
        #expect(observation.launch.content == launch.content)
        #expect(observation.shown.contains("main") == (launch.policy == .allows))
        #expect(observation.shown.contains("update") == (launch.policy != .allows))
        let limit = try #require(try DegradationDocument().limit(SafeModeCase.heading, launch.beginning))
        #expect(observation.measured <= limit)
        #expect(
            try DegradationDocument().row(SafeModeCase.heading, launch.beginning) == observation.cells,
            "the document says otherwise: \(observation.cells)"
        )
    }
}
