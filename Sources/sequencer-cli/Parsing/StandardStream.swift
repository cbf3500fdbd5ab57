import Foundation

/// Whether a standard stream is one: open, and not something that took its number because it was closed when the process began.
///
/// The runtime opens descriptors of its own (for events and timers) before the first line of the tool runs, and they get the lowest numbers
/// that are free. Reading from one would wait for ever. They have no type of file.
func isOpenStandardStream(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != 0
}
