/// The results of one launch of the contest, all cold or all warm.
struct ContestGroup {
    let launch: String
    let rows: [LaunchContest.Row]

    /// The engine's time.
    func own(_ time: KeyPath<LaunchContest.Row, Double>) -> Double {
        rows.first { $0.rival == Engine.sequencer.name }?[keyPath: time] ?? 0
    }

    func bestRival(_ time: KeyPath<LaunchContest.Row, Double>) -> Double {
        rows.filter { ![Engine.sequencer.name, ContestRival.ownQueue.name].contains($0.rival) }.map { $0[keyPath: time] }.min() ?? 1
    }
}

extension BenchResult {
    /// The rows, by launch.
    func contestGroups(_ rows: [LaunchContest.Row]) -> [ContestGroup] {
        ContestLaunch.all.compactMap { launch in
            let own = rows.filter { $0.launch == launch.name }
            return own.isEmpty ? nil : ContestGroup(launch: launch.name, rows: own)
        }
    }
}

extension Metric {
    /// The worst ratio of all launches: to the best rival, and, where nothing but waiting takes time, to the longest path.
    static func metrics(of contest: [LaunchContest.Row]) -> [Metric] {
        var worst: [Key: Metric] = [:]
        func note(_ key: Key, _ value: Double, _ detail: String) {
            if value > worst[key]?.value ?? -.infinity { worst[key] = Metric(key, value, detail) }
        }
        for launch in ContestLaunch.all {
            for isWarm in [false, true] {
                let rows = contest.filter { $0.launch == launch.name && $0.isWarm == isWarm }
                guard let path = rows.first?.path else { continue }
                let group = ContestGroup(launch: launch.name, rows: rows)
                let detail = "\(launch.name), \(isWarm ? "warm" : "cold")"
                note("contest/milestone", group.own(\.milestone) / group.bestRival(\.milestone), detail)
                note("contest/end", group.own(\.end) / group.bestRival(\.end), detail)
                if launch.onlyWaits { note("contest/path", group.own(\.milestone) / path, detail) }
            }
        }
        return Array(worst.values)
    }
}

extension ContestLaunch {
    /// Whether no step computes.
    var onlyWaits: Bool {
        steps.allSatisfy { step in step.work.allSatisfy { if case .burns = $0 { false } else { true } } }
    }
}
