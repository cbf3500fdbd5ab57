import Sequencer

/// The result of ``explore(_:interleavings:seed:jitter:options:check:)``.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
public struct InterleavingExploration: Sendable, Hashable, CustomStringConvertible {
    /// The seed of the interleavings.
    public let seed: UInt64
    /// How many interleavings were run, beside the plain one.
    public internal(set) var interleavings = 0
    /// The first interleaving that ends otherwise than the plain one; nil when there was none.
    public internal(set) var race: FoundRace?
    /// What ended otherwise when its interleaving was launched again, and was not compared any more: operations,
    /// `the check` or `the launch`.
    public internal(set) var unsteady: [String] = []
    /// The steps that were brought back by a thread of their own, or that blocked theirs: a Dispatch queue, a timer, a
    /// lock. Where they went on was up to the machine.
    var uncontrolledSteps: Set<String> = []
    /// How many launches were made twice.
    var repeated = 0
    /// How many of these had another schedule the second time.
    var irreproducible = 0

    /// Each so many launches one is made twice.
    static let sample = 50

    /// What was chosen by the seed.
    public var controlled: [String] {
        ["time", "steps and their awaits of actors"]
            + (EnqueueHook.hasMainActor ? ["the main actor"] : [])
            + (EnqueueHook.isSet ? ["tasks that steps make"] : [])
    }

    /// What was not.
    public var notControlled: [String] {
        let mainThread = EnqueueHook.hasMainActor ? "what Dispatch brings to the main thread" : "the main actor"
        var all = ["\(mainThread) (goes on at once)", "actors with executors of their own", "code that blocks"]
        if !EnqueueHook.isSet { all.append("tasks that steps make (the runtime has no hook that is free)") }
        all += uncontrolledSteps.sorted().map {
            "'\(printable($0, limit: 80))' (goes on from another thread, or blocks its own)"
        }
        if irreproducible > 0 {
            all.append("the schedule of \(irreproducible) of \(repeated) launches that were made twice")
        }
        return all
    }

    mutating func note(_ schedule: Schedule) { uncontrolledSteps.formUnion(schedule.uncontrolled) }

    /// A launch was made again, and should have been the same.
    mutating func compare(_ again: InterleavedCourse, with first: InterleavedCourse) {
        repeated += 1
        if again.schedule.hash != first.schedule.hash { irreproducible += 1 }
        while let problem = again.problem(against: first, but: unsteady) { unsteady.append(problem.name) }
    }

    package var findsNothing: Bool { race == nil && unsteady.isEmpty }

    private var count: String { "\(interleavings) interleaving\(interleavings == 1 ? "" : "s")" }

    /// The race, or that there was none, in one sentence, without what was not under control.
    package var finding: String {
        let same = "\(unsteady.isEmpty ? "every operation" : "all else") ended the same way in \(count)"
        guard !unsteady.isEmpty else { return race?.description ?? same }
        let names = listed(unsteady) { printable($0, limit: 80) }
        return "\(race?.description ?? same); \(names) ended otherwise when the interleaving was repeated"
    }

    /// One or more sentences: the race, or that there was none, and what was not under control.
    public var description: String {
        let place = race == nil ? "" : "; found in \(count), seed \(seed)"
        return "\(finding)\(place). Not controlled: \(notControlled.joined(separator: ", "))"
    }
}

/// Which tasks go on when: found by ``explore(_:interleavings:seed:jitter:options:check:)``, to be replayed.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
public struct Interleaving: Sendable, Hashable, CustomStringConvertible {
    let plan: InterleavingPlan
    /// A number for the whole schedule: of the same choices it is the same, in every process.
    public let hash: UInt64

    /// The hash as texts have it.
    package var hashText: String { String(hash, radix: 16) }

    /// `'login' is put off before its second part`, or how the tasks were chosen by chance, and how late sleepers wake.
    public var description: String {
        guard let jitter = plan.jitter else { return order }
        let late = "sleepers wake up to \(durationText(jitter.lateness.upperBound)) late (number \(jitter.seed))"
        return plan.strategy == .putOffs([]) ? late : "\(order) and \(late)"
    }

    private var order: String {
        switch plan.strategy {
        case .putOffs(let putOffs):
            ([putOffs.first?.text(" is put off") ?? "nothing is put off"] + putOffs.dropFirst().map { $0.text("") })
                .joined(separator: " and ")
        case .priorities(let seed, let depth, _): "tasks have random priorities (depth \(depth), number \(seed))"
        case .walk(let seed): "tasks are chosen by chance (number \(seed))"
        }
    }
}

/// A launch that ends otherwise than the plain one, though it is as legal.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
public struct FoundRace: Sendable, Hashable, CustomStringConvertible {
    /// What ends otherwise: an operation, `the check` or `the launch`.
    public let subject: String
    /// Its failure, in one sentence; nil without a message.
    public let message: String?
    /// As plain as it could be made, for `explore(_:replaying:options:check:)`.
    public let interleaving: Interleaving
    /// Whether the plain launch is the one that fails.
    let failsOtherwise: Bool

    init(
        _ problem: ExploredCourse.Problem,
        _ plan: InterleavingPlan,
        of found: InterleavedCourse,
        against plain: InterleavedCourse
    ) {
        subject = problem.name
        message = problem.message
        interleaving = Interleaving(plan: plan, hash: found.schedule.hash)
        let isOutcome = problem.name == InterleavedCourse.launch
        failsOtherwise = !isOutcome && found.course.problem(against: plain.course, but: []) == nil
    }

    package var json: JSONTree {
        [
            "text": .text(description), "subject": .text(subject), "message": .text(message),
            "interleaving": ["text": .text(interleaving.description), "hash": .text(interleaving.hashText)],
        ]
    }

    /// One sentence: `the check fails when 'login' is put off before its second part: there are two tokens`.
    public var description: String {
        let what = printable(subject, limit: 80)
        let isOutcome = subject == InterleavedCourse.launch
        let fact = isOutcome ? "ends otherwise when" : failsOtherwise ? "fails unless" : "fails when"
        return "\(what) \(fact) \(interleaving)" + (message.map { ": \(printable($0, limit: 400))" } ?? "")
    }
}

extension InterleavingStrategy.PutOff {
    fileprivate func text(_ verb: String) -> String {
        let names = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
        let place = part <= names.count ? "its \(names[part - 1]) part" : "its part \(part)"
        return (task == 1 ? "" : "task \(task) of ") + "'\(printable(step, limit: 80))'\(verb) before \(place)"
    }
}
