import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Every order in which things can happen, in launches of two to five operations: no thread, no clock, no luck.
///
/// `EXPLORED_LAUNCHES` sets how many launches of each size, `EXPLORED_STATES` how many states of one at the most, `EXPLORED_SEED` where their seeds
/// begin.
@Suite("Every course of small launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExplorationTests {
    static let count = ProcessInfo.processInfo.environment["EXPLORED_LAUNCHES"].flatMap { Int($0) }
    /// The most states of one launch that are looked at; most launches have fewer.
    static let limit = ProcessInfo.processInfo.environment["EXPLORED_STATES"].flatMap { Int($0) } ?? 2_000
    static let firstSeed = ProcessInfo.processInfo.environment["EXPLORED_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "whatever comes first, each operation ends once, none starts too early or too late, and the launch ends",
        arguments: [(2, 300), (3, 80), (4, 30), (5, 15)]
    )
    func everyCourse(operations: Int, usual: Int) throws {
        var (states, moves, rests, cut) = (0, 0, 0, 0)
        for offset in 0..<UInt64(Self.count ?? Nightly.times(day: usual / 4, night: usual)) {
            let launch = ExploredLaunch(seed: Self.firstSeed + offset, operations: operations...operations)
            let explored = try LaunchExplorer(launch, limit: Self.limit)
            states += explored.states
            moves += explored.moves
            rests += explored.rests
            cut += explored.isCut ? 1 : 0
            if let failure = explored.failure {
                let course = failure.course.map { "\($0)" }.joined(separator: "\n  ")
                Issue.record("seed \(Self.firstSeed + offset)\n\(launch)\n\(failure.violations)\n  \(course)")
                return
            }
            #expect(explored.rests > 0 || explored.isCut)
        }
        print("\(operations) operations: \(states) states, \(moves) moves, \(rests) ends, \(cut) launches not seen to the end")
        #expect(states > 1_000)
    }

    @Test("a launch that cannot end is found, with the course that leads there")
    func endless() throws {
        var launch = ExploredLaunch(seed: 1, operations: 2...2)
        launch.steps = [ExploredLaunch.Step(), ExploredLaunch.Step(dependencies: [0], hangs: true)]
        (launch.lanes, launch.hasDeadline, launch.mayCancel, launch.cancelledStep) = (nil, false, false, nil)
        let failure = try #require(try LaunchExplorer(launch, limit: 1_000).failure)
        #expect(failure.violations.first == "nothing can happen any more, and the launch has not ended")
        #expect(failure.course == [.workerBegins, .end(task: 0, .succeeded)])
    }
}

/// Looks at every state that a small launch can come to, whatever order things happen in.
///
/// A depth-first search over ``LaunchWorld/moves`` that goes on from each state once, as explicit-state model checkers do
/// (G. J. Holzmann, "The Model Checker SPIN", IEEE Transactions on Software Engineering 23(5), 1997).
struct LaunchExplorer {
    private(set) var states = 0
    private(set) var moves = 0
    /// The states from which nothing can happen.
    private(set) var rests = 0
    /// The shortest course found that breaks a promise, with the promises it breaks.
    private(set) var failure: (course: [LaunchWorld.Move], violations: [String])?
    /// There were more states than allowed.
    private(set) var isCut = false

    init(_ launch: ExploredLaunch, limit: Int) throws {
        var known: Set<[Int32]> = []
        var open: [(world: LaunchWorld, course: [LaunchWorld.Move])] = [(try LaunchWorld(launch), [])]
        known.insert(open[0].world.key)
        states = 1
        while let (found, course) = open.popLast() {
            var world = found
            let next = world.moves
            if next.isEmpty {
                rests += 1
                world.checkRest()
            }
            if !world.violations.isEmpty {
                if failure.map({ course.count < $0.course.count }) ?? true { failure = (course, world.violations) }
                continue
            }
            for move in next {
                var after = world
                after.make(move)
                moves += 1
                guard known.insert(after.key).inserted || !after.violations.isEmpty else { continue }
                states += 1
                open.append((after, course + [move]))
            }
            if states > limit {
                isCut = true
                return
            }
        }
    }
}
