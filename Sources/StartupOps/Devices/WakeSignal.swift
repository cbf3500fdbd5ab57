import Foundation

/// Wakes a thread that polls: once given, the signal stays. Any thread may give it.
final class WakeSignal: Sendable {
    /// What to poll for reading.
    let descriptor: Int32
    private let writeEnd: Int32

    /// - Returns: nil when there is no free file descriptor.
    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        (descriptor, writeEnd) = (ends[0], ends[1])
        SocketPlatform.configure(descriptor)
        SocketPlatform.configure(writeEnd)
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    func signal() {
        var byte: UInt8 = 1
        // When the pipe is full, it has been given often enough.
        _ = write(writeEnd, &byte, 1)
    }
}

extension Deadline {
    /// The remaining time for `poll`: rounded up, so that it is never over too early and never polls without a pause.
    var pollTimeout: Int32 {
        guard let remaining else { return -1 }
        return Int32(min((remaining / .milliseconds(1)).rounded(.up), 3_600_000))
    }
}
