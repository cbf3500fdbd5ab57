import Foundation
import Sequencer

/// A moment by a clock that all processes of a machine share, and that nobody can set. It stands still while the
/// machine sleeps.
package struct MachineTime: Hashable, Codable, Sendable {
    /// The start of the machine that the clock counts from.
    package let boot: String
    /// The time since some point in the past, in nanoseconds.
    package let nanoseconds: Int64

    package init(boot: String, nanoseconds: Int64) {
        self.boot = boot
        self.nanoseconds = nanoseconds
    }

    /// This moment; nil where the system does not name the start of the machine.
    package static var now: MachineTime? { thisBoot.map { MachineTime(boot: $0, nanoseconds: monotonicNanoseconds()) } }

    /// The time that has passed since an earlier moment; nil when that one counts from another start, or is a later
    /// one.
    package func time(since earlier: MachineTime) -> Duration? {
        let (time, isTooLong) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        // Of another start the numbers have no common zero.
        guard boot == earlier.boot, !isTooLong, time >= 0 else { return nil }
        return .nanoseconds(time)
    }

    private static let thisBoot: String? = {
        #if canImport(Darwin)
            var bytes = [CChar](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
            let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
            let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        #endif
        // It is written into files as one word.
        return text.split(whereSeparator: \.isWhitespace).first.flatMap { $0.utf8.count <= 50 ? String($0) : nil }
    }()
}
