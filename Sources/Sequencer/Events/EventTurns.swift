/// Calls that follow from events: on one thread one after the other. A call may settle an event, which leads to further
/// calls, and so on; within one another they would be as deep as there are events.
final class EventTurns: Sendable {
    /// Of launches that continue.
    static let launches = EventTurns()
    /// Of blocks. Apart from launches: a block may wait for a step that it lets continue.
    static let blocks = EventTurns()

    /// By thread: calls that wait until the first call on that thread has returned.
    private let waiting = Locked<[UInt: FirstInFirstOut<@Sendable () -> Void>]>([:])

    func run(_ call: @escaping @Sendable () -> Void) {
        let thread = currentThreadIdentity()
        let isFirst = waiting.withLock { waiting in
            waiting[thread]?.append(call)
            if waiting[thread] != nil { return false }
            waiting[thread] = FirstInFirstOut()
            return true
        }
        var next = isFirst ? call : nil
        while let call = next {
            call()
            next = waiting.withLock { waiting in
                let next = waiting[thread]?.popFirst()
                if next == nil { waiting[thread] = nil }
                return next
            }
        }
    }
}
