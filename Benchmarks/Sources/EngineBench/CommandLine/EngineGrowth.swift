import Foundation

/// The command line of `engine-growth`: how the time of everything the engine can do grows from 1,000 operations to 100,000.
public enum EngineGrowth {
    /// Measures what `words` ask for: the cases whose names begin with one of them, or all; after `--quick` without the largest size.
    ///
    /// `--once CASE FAMILY SIZE` does one thing once, for a program that counts its instructions.
    ///
    /// - Returns: the exit code: 1 when something grows too steeply or fails, 64 when there is no such case.
    public static func run(_ words: [String]) async -> Int32 {
        if words.first == "--once" { return await once(Array(words.dropFirst())) }
        let sizes = words.contains("--quick") ? Array(Growth.sizes.dropLast()) : Growth.sizes
        let words = words.filter { $0 != "--quick" }
        let cases = GrowthCase.all.filter { growth in words.isEmpty || words.contains { growth.name.hasPrefix($0) } }
        if cases.isEmpty {
            complain(
                "engine-growth: there is no such case; expected some of:\n" + GrowthCase.all.map { "  \($0.name)" }.joined(separator: "\n")
            )
            return 64
        }
        var failures: [String] = []
        for growth in cases {
            for family in GrowthCase.families {
                let name = "\(growth.name), \(family.name)"
                do {
                    let result = try await Growth(of: growth, on: family, sizes)
                    print(line(name, result))
                    if let note = result.note { print("    \(note)") }
                    if let problem = result.problem { failures.append("\(name): \(problem)") }
                } catch {
                    failures.append("\(name): \(error)")
                }
                fflush(nil)
            }
        }
        for failure in failures { complain("FAILED  \(failure)") }
        let count = cases.count * GrowthCase.families.count
        print("\(count - failures.count) of \(count) take a time that grows with the number of operations")
        return failures.isEmpty ? 0 : 1
    }

    private static func once(_ words: [String]) async -> Int32 {
        guard words.count == 3, let work = GrowthCase.all.first(where: { $0.name == words[0] }),
            let family = GrowthCase.families.first(where: { $0.name == words[1] }), let size = Int(words[2]), size > 0
        else {
            complain("engine-growth: expected --once CASE FAMILY SIZE")
            return 64
        }
        do {
            _ = try await work.measure(family.shapes([size])[0])
            return 0
        } catch {
            complain("engine-growth: \(work.name), \(family.name): \(error)")
            return 1
        }
    }

    private static func line(_ name: String, _ growth: Growth) -> String {
        let times = growth.times.map { size, time in
            "\(size)".leftPadded(to: 9) + String(format: "%10.2f ms", time / 1e6)
        }
        let steps = zip(growth.times, growth.times.dropFirst()).map { String(format: "%.1f", $1.time / $0.time) }
        return name.padding(toLength: max(name.count, 40), withPad: " ", startingAt: 0) + times.joined() + "  growth "
            + steps.joined(separator: ", ")
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
