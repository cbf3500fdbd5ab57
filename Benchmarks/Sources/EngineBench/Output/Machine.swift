import Foundation

/// Where and with what it was measured: without that, times mean nothing.
struct Machine: Sendable, Codable, CustomStringConvertible {
    var processor: String
    var processors: Int
    var system: String
    var swift: String
    var date: String

    var description: String { "\(processor), \(processors) processors, \(system), Swift \(swift), \(date)" }

    /// This machine, now.
    static var current: Machine {
        Machine(
            processor: processorName,
            processors: ProcessInfo.processInfo.activeProcessorCount,
            system: system,
            swift: compiler,
            date: Date().formatted(.iso8601)
        )
    }

    private static var processorName: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line.flatMap { $0.split(separator: ":").last }.map { $0.split(separator: " ").joined(separator: " ") } ?? architecture
    }

    private static var system: String {
        #if os(Linux)
            "Linux \(architecture)"
        #elseif os(macOS)
            "macOS \(architecture)"
        #else
            architecture
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "unknown"
        #endif
    }

    /// The compiler this was built with, as far as conditions tell.
    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.0 or 6.1"
        #endif
    }
}
