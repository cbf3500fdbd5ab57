import TestSupport
import Testing

@testable import Sequencer

@Suite("Events that observers have not been told yet", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EventDeliveriesTests {
    @Test("a step of the main thread that has waited long enough for its observers is recorded first, if that is wanted, and then begins")
    func lateStarts() {
        let assignment = LaunchStateMachine.Assignment(node: 7, attempt: 1, kind: .run)
        var starts = MainStarts()
        starts.add(MainStarts.Start(assignment: assignment, limit: 10))
        /// The nodes of the steps that are to be recorded, and of those that begin.
        func late(at time: Nanoseconds, areRecorded: Bool) -> [[Int]] {
            let late = starts.takeLate(at: time, areRecorded: areRecorded)
            return [late.record, late.begin].map { $0.map(\.assignment.node) }
        }
        #expect(late(at: 9, areRecorded: true) == [[], []])
        #expect(late(at: 10, areRecorded: false) == [[], [7]])
        #expect(late(at: 10, areRecorded: true) == [[7], []])
        // For the journal, 50 ms more.
        #expect(starts.nextLimit(after: 10) == 50_000_010)
        #expect(late(at: 50_000_010, areRecorded: true) == [[], [7]])
    }
}
