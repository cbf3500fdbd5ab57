import Foundation

/// A value that only one thread at a time can touch.
///
/// The lock is a pthread mutex: `Synchronization.Mutex` is opaque to the thread sanitizer on Linux, which then reports races that are
/// none, and `NSLock` costs an Objective-C message on Apple platforms. The value and the mutex live in one allocation.
///
/// Never call out (a callback, a key-value notification, a continuation) from inside `withLock`: decide there, act after.
package final class Locked<Value>: @unchecked Sendable {
    // @unchecked: `value` is only reached through `withLock`, which holds `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` with the value while holding the lock, and returns what it returns.
    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

extension Locked: CustomReflectable {
    /// Nothing: a mirror would read the value without the lock, and show what its owner keeps to itself.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
