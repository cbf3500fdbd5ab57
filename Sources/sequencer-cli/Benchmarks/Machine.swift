import Foundation
import Sequencer

/// What must be the same for two measurements to be comparable. It does not name the host or its user.
struct Machine: Equatable, Sendable, CustomStringConvertible {
    var system: String
    var architecture: String
    var processors: Int
    /// The model of the processor, as the system calls it; the architecture where it does not say.
    var name: String

    var description: String { "\(name), \(processors) processor\(processors == 1 ? "" : "s"), \(system) \(architecture)" }

    /// The machine that the tool runs on.
    static var current: Machine {
        Machine(
            system: system,
            architecture: architecture,
            processors: ProcessInfo.processInfo.activeProcessorCount,
            name: processorName ?? architecture
        )
    }

    private static var system: String {
        #if os(macOS)
            "macOS"
        #elseif os(Linux)
            "Linux"
        #else
            "unknown"
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

    private static var processorName: String? {
        #if canImport(Darwin)
            var size = 0
            guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 else { return nil }
            return cleaned(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        #else
            guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
            let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
            return line?.firstIndex(of: ":").flatMap { colon in line.map { String($0[colon...].dropFirst()) } }.flatMap(cleaned)
        #endif
    }

    private static func cleaned(_ name: String) -> String? {
        let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : String(printable(words).prefix(200))
    }
}
