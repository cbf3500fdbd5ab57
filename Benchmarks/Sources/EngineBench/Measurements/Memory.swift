import CMemory
import Foundation

/// What the process has taken of the machine's memory.
enum Memory {
    /// Bytes of the heap in use.
    static var heapInUse: Int { cmemory_heap_in_use() }

    /// Gives back what the heap does not use, and begins a new peak where the system can do that.
    static func beginPeak() {
        cmemory_trim()
        #if os(Linux)
            // proc(5): 5 resets the peak resident set size of the process.
            if let file = fopen("/proc/self/clear_refs", "w") {
                fputs("5", file)
                fclose(file)
            }
        #endif
    }

    /// The most resident memory since `beginPeak()`, or since the start of the process where no new peak can be begun.
    static var peak: Int {
        #if os(Linux)
            return statusField("VmHWM")
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    /// The resident memory now.
    static var resident: Int {
        #if os(Linux)
            return statusField("VmRSS")
        #else
            return peak
        #endif
    }

    #if os(Linux)
        private static func statusField(_ name: String) -> Int {
            guard let file = fopen("/proc/self/status", "r") else { return 0 }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, Int32(line.count), file) != nil {
                let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
                    whereSeparator: \.isWhitespace
                )
                if words.first == "\(name):", words.count > 1, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
            }
            return 0
        }
    #endif
}
