import Foundation

/// A value that only one thread at a time can touch.
///
/// The lock is a pthread mutex: `Synchronization.Mutex` is opaque to the thread sanitizer on Linux, which then reports races that are
/// none, and `NSLock` costs an Objective-C message on Apple platforms.
///
/// Never call out (a callback, a key-value notification, a continuation) from inside `withLock`: decide there, act after.
package final class Locked<Value>: @unchecked Sendable {
    // @unchecked: what `guarded` points to is only reached through `withLock`, which holds its mutex.
    // A pointer: a stored property would be checked for exclusive access each time, which the mutex sees to.
    private let guarded: UnsafeMutablePointer<Guarded>

    private struct Guarded {
        var mutex = pthread_mutex_t()
        var value: Value
    }

    package init(_ value: Value) {
        guarded = .allocate(capacity: 1)
        guarded.initialize(to: Guarded(value: value))
        #if os(Linux)
            // Held for well under a microsecond: whoever finds it taken spins a little before it sleeps.
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, 3)
            pthread_mutex_init(mutex, &attributes)
            pthread_mutexattr_destroy(&attributes)
        #else
            pthread_mutex_init(mutex, nil)
        #endif
    }

    deinit {
        pthread_mutex_destroy(mutex)
        guarded.deinitialize(count: 1)
        guarded.deallocate()
    }

    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        // The first member has the address of the whole.
        UnsafeMutableRawPointer(guarded).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    /// Runs `body` with the value while holding the lock, and returns what it returns.
    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        let mutex = mutex
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&guarded.pointee.value)
    }
}

extension Locked: CustomReflectable {
    /// Nothing: a mirror would read the value without the lock, and show what its owner keeps to itself.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
