import Synchronization

/// When the first of a launch's bodies began and the last one ended.
final class BodyTimes: Sendable {
    /// Times of this clock are far below `Int64.max`, so 0 and that mean none.
    private let first = Atomic<Int64>(.max)
    private let last = Atomic<Int64>(0)

    /// The first instruction of the first body; nil when none ran.
    var begin: UInt64? {
        let begin = first.load(ordering: .acquiring)
        return begin == .max ? nil : UInt64(begin)
    }

    /// The end of the last body.
    var end: UInt64 { UInt64(last.load(ordering: .acquiring)) }

    /// A body that does nothing but be noted, and produce a value.
    @inline(__always)
    func body<Value>(_ value: Value) -> Value {
        first.min(Int64(now()), ordering: .acquiringAndReleasing)
        // The last thing that it does.
        last.max(Int64(now()), ordering: .acquiringAndReleasing)
        return value
    }
}
