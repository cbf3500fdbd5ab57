import TestSupport
import Testing

@testable import Sequencer

/// When a call into the app's code counts as one that blocks.
@Suite("Calls into the app's code", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CallWatchTests {
    /// What each of some looks finds.
    private func looks(_ count: Int, at watch: inout CallWatch) -> [Bool] {
        (0..<count).map { _ in watch.isSlow() }
    }

    @Test("fault O40: a call is slow that was being made at the last look too; without one, none is")
    func slow() {
        var watch = CallWatch()
        #expect(looks(2, at: &watch) == [false, false])
        watch.begin(1)
        #expect(looks(1, at: &watch) == [false])
        watch.begin(2)
        #expect(looks(2, at: &watch) == [false, true])
        #expect(watch.tag == 2)
    }

    @Test("fault O40: a runner that has not begun is not taken for the one before, whose last call has returned")
    func newRunner() {
        var watch = CallWatch()
        watch.begin(1)
        #expect(looks(1, at: &watch) == [false])
        // As the queue does for its next runner.
        watch = CallWatch()
        #expect(looks(2, at: &watch) == [false, false] && watch.tag == nil)
    }
}
