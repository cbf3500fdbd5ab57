/// The measured processor times of a launch's steps.
struct ProcessorTimes: Sendable {
    /// By operation, the sum of the attempts that were measured, and their number.
    private var measured: [Int: (time: ProcessorTime, attempts: Int)] = [:]
    /// The time that steps have used on threads of this process.
    private(set) var onThreads: Nanoseconds = 0

    /// An attempt, or the computing of a fallback, has run through on one thread.
    mutating func ranThrough(_ assignment: StepAssignment, _ time: ProcessorTime, isCurrent: Bool) {
        onThreads += time.used
        if isCurrent { add(time, to: assignment) }
    }

    mutating func add(_ time: ProcessorTime, to assignment: StepAssignment) {
        let before = measured[assignment.node] ?? (ProcessorTime(used: 0, runnable: 0), 0)
        measured[assignment.node] = (before.time + time, before.attempts + (assignment.kind == .run ? 1 : 0))
    }

    /// The time of an operation; nil where an attempt was not measured.
    func time(of node: Int, attempts: Int) -> ProcessorTime? {
        measured[node].flatMap { $0.attempts == attempts ? $0.time : nil }
    }
}
