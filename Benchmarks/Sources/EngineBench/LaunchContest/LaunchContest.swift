import Foundation
import Synchronization

/// When something happened, noted on any thread.
private final class Moment: Sendable {
    private let noted = Atomic<UInt64>(0)

    var time: UInt64 { noted.load(ordering: .acquiring) }
    func note() { noted.store(now(), ordering: .releasing) }
}

/// Launches whose steps take time: how long until the first screen, and until all has ended, beside what one would write without the engine.
///
/// Each run is a process of its own, for Dispatch's pool grows while a process runs: its first launch is the cold one, its second the warm one.
/// Rivals take turns, in an order that is shuffled each round.
@MainActor
struct LaunchContest {
    let options: BenchOptions
    let progress: ProgressLine

    /// The times of a run, in nanoseconds.
    struct Times: Codable, Sendable {
        let milestone: Double
        let end: Double
    }

    /// The result of a rival in one launch.
    struct Row: Codable, Sendable {
        let launch: String
        let rival: String
        let isWarm: Bool
        /// Medians, in nanoseconds.
        let milestone: Double
        let end: Double
        /// What the graph allows with any number of processors, in nanoseconds.
        let path: Double
    }

    func rows() throws -> [Row] {
        var times: [String: [[Times]]] = [:]
        var random = SplitMix64(seed: 5)
        let rounds = options.isQuick ? 1 : 5
        let launches = ContestLaunch.all.filter { options.launches?.contains($0.name) != false }
        for round in 0..<rounds {
            for launch in launches {
                for rival in ContestRival.all.shuffled(using: &random) {
                    progress.show("\(launch.name), \(rival.name), round \(round + 1) of \(rounds)")
                    times["\(launch.name)/\(rival.name)", default: []].append(try run(launch.name, rival.name))
                }
            }
        }
        return launches.flatMap { launch in
            [false, true].flatMap { isWarm in
                ContestRival.all.map { rival in
                    let all = (times["\(launch.name)/\(rival.name)"] ?? []).map { $0[isWarm ? 1 : 0] }
                    return Row(
                        launch: launch.name,
                        rival: rival.name,
                        isWarm: isWarm,
                        milestone: all.map(\.milestone).median,
                        end: all.map(\.end).median,
                        path: launch.path(toMilestone: true)
                    )
                }
            }
        }
    }

    /// Runs a launch twice in a process of its own.
    private func run(_ launch: String, _ rival: String) throws -> [Times] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--contestant", "\(launch)/\(rival)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let times = try? JSONDecoder().decode([Times].self, from: data), times.count == 2 else {
            throw EngineFailure("\(launch), \(rival): the process ended with status \(process.terminationStatus)")
        }
        return times
    }

    /// What such a process does; prints the times.
    static func runHere(_ name: String) async throws {
        guard let place = name.lastIndex(of: "/"), let launch = ContestLaunch.all.first(where: { $0.name == name[..<place] }),
            let rival = ContestRival.all.first(where: { $0.name == name[name.index(after: place)...] })
        else { throw UsageError("'\(name)' is no launch and rival of the contest") }
        var times: [Times] = []
        for _ in 0..<2 {
            let milestone = Moment()
            let begin = now()
            try await rival.run(launch) { if $0 == launch.milestone { milestone.note() } }
            let end = now()
            times.append(Times(milestone: Double(milestone.time - begin), end: Double(end - begin)))
        }
        print(String(decoding: try JSONEncoder().encode(times), as: UTF8.self))
    }
}
