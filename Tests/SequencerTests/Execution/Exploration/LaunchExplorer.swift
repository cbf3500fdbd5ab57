@testable import Sequencer

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
