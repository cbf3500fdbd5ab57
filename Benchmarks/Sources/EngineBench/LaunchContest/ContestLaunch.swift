import Foundation

/// A launch whose steps take time, as those of apps do: they block their threads, burn processor time, or await something.
struct ContestLaunch: Sendable {
    /// A part of a step, in milliseconds.
    enum Work: Sendable {
        /// The thread sleeps: a keychain, a disk, the synchronous start of an SDK.
        case blocks(Int)
        /// Processor time of its own thread.
        case burns(Int)
        /// The task sleeps: a server.
        case awaits(Int)

        var milliseconds: Int {
            switch self {
            case .blocks(let time), .burns(let time), .awaits(let time): time
            }
        }
    }

    struct Step: Sendable {
        let id: String
        let work: [Work]
        let dependencies: [Int]

        var suspends: Bool { work.contains { if case .awaits = $0 { true } else { false } } }
        var milliseconds: Int { work.reduce(0) { $0 + $1.milliseconds } }

        /// A step that does not suspend.
        func perform() {
            for part in work {
                switch part {
                case .blocks(let time): usleep(UInt32(time) * 1_000)
                case .burns(let time): burn(time)
                case .awaits: preconditionFailure("\(id) suspends")
                }
            }
        }

        func performSuspending() async {
            for part in work {
                switch part {
                case .blocks(let time): usleep(UInt32(time) * 1_000)
                case .burns(let time): burn(time)
                case .awaits(let time): try? await Task.sleep(for: .milliseconds(time), tolerance: .zero)
                }
            }
        }
    }

    let name: String
    private(set) var steps: [Step] = []
    private var places: [String: Int] = [:]
    /// The step whose end is the first screen.
    private(set) var milestone = 0

    init(_ name: String, _ build: (inout ContestLaunch) -> Void) {
        self.name = name
        build(&self)
    }

    mutating func add(_ id: String, _ work: Work..., after dependencies: [String] = []) {
        places[id] = steps.count
        steps.append(Step(id: id, work: work, dependencies: dependencies.compactMap { places[$0] }))
        // The last one is, unless another is said to be.
        milestone = steps.count - 1
    }

    /// Makes a step the milestone.
    mutating func isShown(by id: String) {
        if let place = places[id] { milestone = place }
    }

    /// The longest path to the milestone, or to any end, in nanoseconds.
    func path(toMilestone: Bool) -> Double {
        var ends: [Int] = []
        for step in steps { ends.append((step.dependencies.map { ends[$0] }.max() ?? 0) + step.milliseconds) }
        return Double(toMilestone ? ends[milestone] : ends.max() ?? 0) * 1e6
    }
}

/// Uses so much processor time of this thread.
private func burn(_ milliseconds: Int) {
    let end = threadTime() + UInt64(milliseconds) * 1_000_000
    while threadTime() < end {}
}

private func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
