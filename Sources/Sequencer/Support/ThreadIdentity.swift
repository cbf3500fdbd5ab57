import Foundation

/// The thread this is called on, as a number that no other living thread has.
package func currentThreadIdentity() -> UInt { threadNumber(pthread_self()) }

// `pthread_t` is a number of either kind (Glibc; Android), an opaque pointer (musl, WASI), or a typed one (Apple's
// systems). Overloads, since conditions would have to name every C library.
func threadNumber(_ thread: UInt) -> UInt { thread }
func threadNumber(_ thread: Int) -> UInt { UInt(bitPattern: thread) }
func threadNumber(_ thread: OpaquePointer?) -> UInt { UInt(bitPattern: thread) }
func threadNumber<Thread>(_ thread: UnsafeMutablePointer<Thread>?) -> UInt { UInt(bitPattern: thread) }
