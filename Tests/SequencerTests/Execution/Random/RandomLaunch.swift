@testable import Sequencer

/// A launch made up from a seed: a graph, how each operation behaves, and what is done to the launch from outside.
struct RandomLaunch: Sendable {
    enum Body: Sendable, CaseIterable {
        /// Runs straight through.
        case synchronous
        /// Suspends.
        case asynchronous
        /// A `ConcurrentOperation` that finishes later, from another thread.
        case operation
        case main
        case join
    }

    struct Step: Sendable {
        var body = Body.synchronous
        /// Indices of steps it waits for, all smaller than its own; the first `inputs` of them it reads.
        var dependencies: [Int] = []
        var inputs = 0
        var readsOptionally = false
        /// How often it fails before it succeeds.
        var failures = 0
        /// It never ends by itself, but listens to cancellation.
        var hangs = false
        /// It aborts the launch.
        var aborts = false
        /// A `ConcurrentOperation` that finishes once more than it should.
        var finishesTwice = false
        /// A `ConcurrentOperation` that leaves a value, is started on the main thread, or is made before the launch, if it can be.
        var leavesValue = false
        var startsOnMain = false
        var existsAlready = false
        /// It waits for a person in the middle, for so long.
        var personWait: Duration?
        var policy = FailurePolicy.required
        var hasFallback = false
        var attempts = 1
        var condition: Bool?
        /// Whether its condition reads a value, if a dependency has one.
        var asksForValue = false
        var resource: ExclusiveResource?
        var isInteractive = false
        var timeout: Duration?
        var duration = Duration.zero

        /// Whether others can read a value of it.
        var hasValue: Bool { body != .join && (body != .operation || leavesValue) }

        var isOnMain: Bool { body == .main || body == .operation && startsOnMain }

        /// What it produces when it works, or falls back.
        func value(_ index: Int) -> Int { index * 7 + 1 }
        func fallback(_ index: Int) -> Int { -index - 1 }
    }

    let seed: UInt64
    /// Nothing ends it early, so that its outcome does not depend on timing.
    let isQuiet: Bool
    var steps: [Step] = []
    var lanes: Int?
    /// Cancels the launch from outside after this many events.
    var cancelAfterEvents: Int?
    /// Cancels this step alone after that many events.
    var cancelStep: (step: Int, afterEvents: Int)?
    /// The launch's own deadline, in virtual time.
    var deadline: Duration?
    var milestone: Int?

    /// - Parameter isQuiet: leaves out what ends a launch early, so that its outcome does not depend on timing.
    init(seed: UInt64, sizes: ClosedRange<Int>, isQuiet: Bool) {
        self.seed = seed
        self.isQuiet = isQuiet
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: sizes, using: &random)
        let density = Double.random(in: 0...0.3, using: &random)
        let trouble = isQuiet ? 0.15 : Double.random(in: 0...0.1, using: &random)
        lanes = [nil, 1, 2, 4, 16].randomElement(using: &random) ?? nil
        for index in 0..<count {
            var step = Step()
            step.body = Body.allCases.randomElement(using: &random) ?? .synchronous
            if index > 0 {
                let wanted = Int.random(in: 0...min(index, 1 + Int(density * 10)), using: &random)
                step.dependencies = Array((0..<wanted).map { _ in Int.random(in: max(0, index - 30)..<index, using: &random) }.uniqued)
            }
            step.inputs =
                step.body == .operation || step.body == .join ? 0 : Int.random(in: 0...min(2, step.dependencies.count), using: &random)
            step.readsOptionally = Bool.random(using: &random)
            step.duration = .milliseconds(Int.random(in: 0...50, using: &random))
            func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
            if step.body != .join {
                if chance(trouble) { step.failures = Int.random(in: 1...3, using: &random) }
                if chance(trouble / 2) { step.hangs = true }
                if !isQuiet, chance(trouble / 4) { step.aborts = true }
                if chance(0.15) { step.attempts = Int.random(in: 2...4, using: &random) }
                if chance(0.1) { step.condition = Bool.random(using: &random) }
                if chance(0.1) { step.resource = chance(0.5) ? .userInterface : "database" }
                if chance(0.1) { step.isInteractive = true }
                step.hasFallback = step.body != .operation && chance(0.2)
                if step.body == .operation, !step.hangs { step.finishesTwice = chance(0.2) }
                if step.body == .asynchronous, chance(0.1) { step.personWait = .milliseconds(Int.random(in: 0...500, using: &random)) }
            }
            let policies: [FailurePolicy] = isQuiet ? [.skipDependents, .continue] : [.required, .skipDependents, .continue]
            step.policy = policies.randomElement(using: &random) ?? .continue
            if step.hangs, isQuiet || chance(0.7) { step.timeout = .milliseconds(1) }
            steps.append(step)
        }
        // Of its own, so that the rest of a launch is what it would be without a milestone, and with plain operations.
        var another = SplitMix64(seed: ~seed)
        if Bool.random(using: &another) { milestone = Int.random(in: 0..<count, using: &another) }
        for index in steps.indices where steps[index].body == .operation {
            steps[index].leavesValue = Bool.random(using: &another)
            steps[index].startsOnMain = Bool.random(using: &another)
            steps[index].existsAlready = Bool.random(using: &another)
            let most = steps[index].leavesValue ? min(1, steps[index].dependencies.count) : 0
            steps[index].inputs = Int.random(in: 0...most, using: &another)
        }
        for index in steps.indices { steps[index].asksForValue = Bool.random(using: &another) }
        guard !isQuiet else { return }
        if Double.random(in: 0..<1, using: &random) < 0.3 { cancelAfterEvents = Int.random(in: 0...(2 * count), using: &random) }
        if Double.random(in: 0..<1, using: &random) < 0.3 {
            cancelStep = (Int.random(in: 0..<count, using: &random), Int.random(in: 0...(2 * count), using: &random))
        }
        if Double.random(in: 0..<1, using: &random) < 0.2 { deadline = .milliseconds(Int.random(in: 1...300, using: &random)) }
    }

    func id(_ index: Int) -> String { "op\(index)" }

    /// The dependency whose value the condition of a step reads.
    func decider(of index: Int) -> Int? {
        let step = steps[index]
        return step.condition != nil && step.asksForValue ? step.dependencies.first { steps[$0].hasValue } : nil
    }

    /// Whether a step is asked as soon as that value is there, while it may wait for others.
    func isAskedEarly(_ index: Int) -> Bool {
        decider(of: index).map { decider in steps[index].dependencies.contains { $0 != decider } } ?? false
    }

    /// Something never ends by itself: the launch needs a deadline, which on a busy machine may come before anything else.
    var needsDeadline: Bool { steps.contains { $0.hangs && $0.timeout == nil } }

    /// A person is asked and never answers: only a deadline that counts this time ends that.
    var asksForEver: Bool { steps.contains { $0.hangs && $0.timeout == nil && $0.isInteractive } }

    /// Every second fallback is computed, the others are values.
    func computesFallback(_ index: Int) -> Bool { steps[index].hasFallback && index % 2 == 1 }
}

extension Array where Element: Hashable {
    fileprivate var uniqued: [Element] {
        var seen = Set<Element>()
        return filter { seen.insert($0).inserted }
    }
}
