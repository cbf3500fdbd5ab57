import TestSupport
import Testing

@testable import Sequencer

@Suite("The scopes of a launch, as a state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchScopesTests {
    @Test("the launch ends with its operations, or with the last scope that is reserved or runs")
    func decisions() {
        var scopes = LaunchScopes<Int, String>()
        #expect(scopes.reserve("a", at: 1, launchRuns: false) == .isTooLate)
        #expect(scopes.reserve("a", at: 1, launchRuns: true) == .reserved(0))
        #expect(scopes.reserve("a", at: 2, launchRuns: true) == .isDuplicate)
        #expect(scopes.reserve("b", at: 2, launchRuns: true) == .reserved(1))
        #expect(scopes.withdraw(1) == false)
        #expect(scopes.attach(70, at: 0) == false)
        #expect(scopes.mayEnd() == false)
        #expect(scopes.reserve("b", at: 3, launchRuns: false) == .reserved(2))
        #expect(scopes.end(0, "report of a") == false)
        #expect(scopes.end(2, "report of b") == true)
        #expect(scopes.mayEnd() == true)
        #expect(scopes.ended.map { $0.name } == ["a", "b"] && scopes.ended.map { $0.start } == [1, 3])
    }

    @Test("a stop cancels those that run, also one that is being made")
    func decisionsOfStop() {
        var scopes = LaunchScopes<Int, String>()
        #expect(scopes.mayEnd() == true)
        for name in ["a", "b", "c"] { _ = scopes.reserve(name, at: 0, launchRuns: true) }
        _ = scopes.attach(1, at: 0)
        _ = scopes.attach(2, at: 1)
        _ = scopes.end(0, "report")
        #expect(scopes.stop() == [2])
        #expect(scopes.attach(3, at: 2) == true)
        #expect(scopes.reserve("d", at: 0, launchRuns: true) == .isTooLate)
    }
}
