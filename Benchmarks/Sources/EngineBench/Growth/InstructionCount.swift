import Foundation

/// Counts the instructions of a growth case, in a process of its own under valgrind.
///
/// Processor time depends on caches and on the neighbours of a shared machine; the number of instructions hardly does. It includes the
/// preparation of the case, which is linear.
enum InstructionCount {
    /// How many times as many instructions a case takes on the larger of two sizes.
    ///
    /// - Returns: nil where valgrind is missing or does not end with a count.
    static func growth(of work: GrowthCase, on family: ShapeFamily, from size: Int, to larger: Int) -> Double? {
        // A process has work of its own, which a tiny graph shows.
        guard let start = count(work, family, 10), let few = count(work, family, size), let many = count(work, family, larger), few > start
        else { return nil }
        return (many - start) / (few - start)
    }

    private static func count(_ work: GrowthCase, _ family: ShapeFamily, _ size: Int) -> Double? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--fair-sched=yes", CommandLine.arguments[0]]
            + ["--once", work.name, family.name, String(size)]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let line = text.split(separator: "\n").last(where: { $0.contains("Collected : ") }) else {
            return nil
        }
        return line.split(separator: " ").last.flatMap { Double($0) }
    }
}
