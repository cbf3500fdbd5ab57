import Foundation
import Sequencer

/// Whether `URLSession` can be used in this process.
enum URLSessionSupport {
    /// Why it cannot, in a few words; nil if it can.
    ///
    /// On Linux its configuration asks for `Bundle.main`, whose one-time initialiser meets an illegal instruction in a process that may not read the folder of
    /// its executable, such as one that has given up its rights since it was started.
    static func obstacle() -> String? {
        #if os(Linux)
            obstacle(executable: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/")
        #else
            nil
        #endif
    }

    #if os(Linux)
        /// - Parameter executable: the path of the program.
        static func obstacle(executable: String) -> String? {
            let folder = URL(fileURLWithPath: executable).deletingLastPathComponent().path
            // By the rights that the process has now, not those that it was started with.
            if faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES { return nil }
            let place = "the folder of its program, \(printable(folder))"
            return "this process may not read \(place), and Foundation would end it: let its user read that"
        }
    #endif
}
