import Foundation

/// Puts one thread to sleep until another wakes it, or a time has come by the system's monotonic clock.
///
/// A `DispatchSemaphore` would do, but on Linux its timeouts are by the wall clock, which can be set.
final class Parker: @unchecked Sendable {
    // @unchecked: `isWoken` is guarded by the mutex; the pointers do not change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        // Darwin has no clock for conditions: there a wait is given a span, below.
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes the thread that sleeps in ``park(until:)``, or makes the next call of it return at once.
    func wake() {
        pthread_mutex_lock(mutex)
        isWoken = true
        pthread_mutex_unlock(mutex)
        // After the unlock, so that the thread which wakes finds the mutex free.
        pthread_cond_signal(condition)
    }

    /// Sleeps until somebody calls ``wake()``, or until `time`, as ``monotonicNanoseconds(countsSuspension:)`` counts; nil: without an end.
    ///
    /// - Returns: whether somebody woke it.
    @discardableResult
    func park(until time: Nanoseconds?) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // A condition may wake a thread without a signal (POSIX).
        while !isWoken {
            guard let time else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            guard monotonicNanoseconds() < time else { break }
            #if canImport(Darwin)
                // Here a condition goes by the wall clock alone, which can be set; only a span does without.
                let left = max(0, time - monotonicNanoseconds())
                var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
                pthread_cond_timedwait_relative_np(condition, mutex, &timeout)
            #else
                var timeout = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
                pthread_cond_timedwait(condition, mutex, &timeout)
            #endif
        }
        defer { isWoken = false }
        return isWoken
    }
}
