import Foundation

/// How the processor time of something grows from size to size.
struct Growth: Sendable {
    /// Ten times as much may take so many times as long. What is linear but for a logarithm takes 13.3 times as long from 1,000 on.
    static let most = 15.0
    static let sizes = [1_000, 10_000, 100_000]
    /// Instead of a size that would take longer than `longest`; growth to it may be as steep.
    static let smaller = 30_000
    /// In nanoseconds.
    private static let longest = 5e9

    /// Sizes, and nanoseconds of processor time, the least of several runs.
    private(set) var times: [(size: Int, time: Double)] = []
    /// What is too steep; nil when nothing is.
    private(set) var problem: String?
    /// Why growth that is too steep is none of the engine's; nil where it was not too steep.
    private(set) var note: String?

    init(of work: GrowthCase, on family: ShapeFamily, _ sizes: [Int]) async throws {
        let first = sizes[0]
        times = [(first, try await Self.time(of: work, on: family.shapes([first])[0]))]
        for wanted in sizes.dropFirst() where problem == nil {
            let size = times[times.count - 1].time * Self.most > Self.longest ? min(wanted, Self.smaller) : wanted
            guard size > times[times.count - 1].size else { break }
            try await grow(to: size, work, family)
        }
    }

    /// How many times as long as before something may take that is linear: ``most`` for ten times as much; or one and a half times what a table of so many
    /// strings takes more than one of as many as before, for what does not fit into the processor's caches any more takes longer, whatever it is.
    private static func allowed(from shape: Shape, to larger: Shape) -> Double {
        max(pow(most, log10(Double(larger.count) / Double(shape.count))), 1.5 * tableTime(larger) / tableTime(shape))
    }

    /// The time to make a table of a shape's identifiers, and to look all of them up.
    private static func tableTime(_ shape: Shape) -> Double {
        (0..<3).map { _ in
            let begin = processorTime()
            var positions: [String: Int] = [:]
            for (position, id) in shape.identifiers.enumerated() { positions[id] = position }
            let isComplete = shape.identifiers.reversed().allSatisfy { positions[$0] != nil }
            return isComplete ? Double(processorTime() - begin) : .infinity
        }.min() ?? .infinity
    }

    /// Measures a size; what grows too steeply, another program may have made slow, or how its threads have met: it is measured again, and the size
    /// before, too. Of the larger size, the least counts.
    private mutating func grow(to size: Int, _ work: GrowthCase, _ family: ShapeFamily) async throws {
        let last = times.count - 1
        let (shape, larger) = (family.shapes([times[last].size])[0], family.shapes([size])[0])
        var (time, allowed) = (Double.infinity, 0.0)
        for attempt in 0..<5 {
            if attempt > 0 { times[last].time = try await Self.time(of: work, on: shape) }
            time = min(time, try await Self.time(of: work, on: larger))
            allowed = Self.allowed(from: shape, to: larger)
            if time <= allowed * times[last].time { break }
        }
        times.append((size, time))
        let growth = time / times[last].time
        guard growth > allowed else { return }
        let steep =
            "\(size) operations take \(Self.brief(growth)) times as long as \(shape.count); at most \(Self.brief(allowed)) times is linear"
        // Caches and neighbours make a machine slower, and add no instructions: these decide.
        guard let instructions = InstructionCount.growth(of: work, on: family, from: shape.count, to: size) else {
            problem = steep + "; without valgrind nothing says whether it is the machine"
            return
        }
        let most = pow(Self.most, log10(Double(size) / Double(shape.count)))
        if instructions > most {
            problem = steep + ", and \(Self.brief(instructions)) times as many instructions"
        } else {
            note = steep + ", but \(Self.brief(instructions)) times as many instructions: it is the machine"
        }
    }

    private static func brief(_ number: Double) -> String { String(format: "%.1f", number) }

    /// The least of several runs; more of those that are short, for these differ more.
    private static func time(of work: GrowthCase, on shape: Shape) async throws -> Double {
        var (best, spent, runs) = (Double.infinity, 0.0, 0)
        while runs < 2 || (spent < 1e8 && runs < 9) {
            let time = Double(try await work.measure(shape))
            (best, spent, runs) = (min(best, time), spent + time, runs + 1)
            if time > 1e9 { break }
        }
        return best
    }
}
