import Foundation

/// A value that only one thread at a time can touch.
///
/// The lock is a pthread mutex: `Synchronization.Mutex` is opaque to the thread sanitizer on Linux, which then reports
/// false races, and `NSLock` costs an Objective-C message on Apple platforms.
///
/// Never call out (a callback, a key-value notification, a continuation) from inside `withLock`: decide there, act
/// after. Releasing an object of the app is calling out too, for its `deinit` may do anything: return the replaced
/// value, and release it after the lock. Copies are the same lock around the same value.
package struct Locked<Value: ~Copyable> {
    // An instance of the subclass below: to cast it to that needs newer systems where its value cannot be copied.
    private let guarded: ManagedBuffer<pthread_mutex_t, Value>

    @inline(__always)
    package init(_ value: consuming Value) {
        guarded = GuardedValue.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        initializeMutex(guarded.pointers.mutex)
        guarded.pointers.value.initialize(to: value)
    }

    /// Runs `body` with the value while holding the lock, and returns its result.
    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        let (mutex, value) = guarded.pointers
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

// @unchecked: the value is only reached through `withLock`, which holds its mutex. It must be Sendable itself: a result
// of `withLock` leaves the lock, and would be shared without one.
extension Locked: @unchecked Sendable where Value: Sendable & ~Copyable {}

/// The mutex and the value in one allocation, at addresses that stay, which stored properties of a class do not
/// promise.
private final class GuardedValue<Value: ~Copyable>: ManagedBuffer<pthread_mutex_t, Value> {
    deinit {
        pthread_mutex_destroy(pointers.mutex)
        pointers.value.deinitialize(count: 1)
    }
}

extension ManagedBuffer where Header == pthread_mutex_t, Element: ~Copyable {
    fileprivate var pointers: (mutex: UnsafeMutablePointer<pthread_mutex_t>, value: UnsafeMutablePointer<Element>) {
        @inline(__always) get { withUnsafeMutablePointers { ($0, $1) } }
    }
}

private func initializeMutex(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    #if os(Linux)
        // Held for well under a microsecond: a thread that finds it taken spins a little before it sleeps.
        let adaptive: Int32 = 3  // PTHREAD_MUTEX_ADAPTIVE_NP, which the C library's Swift module does not name.
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // musl knows no such type and refuses it: the mutex is then a plain one.
        pthread_mutexattr_settype(&attributes, adaptive)
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    #else
        pthread_mutex_init(mutex, nil)
    #endif
}

extension Locked: CustomReflectable where Value: ~Copyable {
    /// Nothing: a mirror would read the value without the lock, and show what its owner keeps to itself.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
