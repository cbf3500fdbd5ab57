import Foundation

/// The thread this is called on, as a number that no other living thread has.
package func currentThreadIdentity() -> UInt { threadNumber(pthread_self()) }

// What `pthread_t` is: a number of either kind (Glibc; Android), a pointer to what is unknown (musl, WASI), or to what is known (Apple's systems).
// Overloads, since conditions would have to name every C library.
func threadNumber(_ thread: UInt) -> UInt { thread }
func threadNumber(_ thread: Int) -> UInt { UInt(bitPattern: thread) }
func threadNumber(_ thread: OpaquePointer?) -> UInt { UInt(bitPattern: thread) }
func threadNumber<Thread>(_ thread: UnsafeMutablePointer<Thread>?) -> UInt { UInt(bitPattern: thread) }
