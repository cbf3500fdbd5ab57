/// What is printed: the times, the ratios, and the verdicts.
struct TextReport {
    let result: BenchResult

    var text: String {
        var parts = [result.machine.description + "\n"]
        for isWarm in [false, true] where !result.contest.isEmpty {
            let title = isWarm ? "The second launch of a process" : "The first launch of a process"
            let rows = result.contest.filter { $0.isWarm == isWarm }
            parts.append("\(title), to the milestone (times the longest path)\n" + contest(rows, \.milestone, \.path))
            parts.append("\(title), to the end of all (times the best rival's)\n" + contest(rows, \.end, nil))
        }
        for kind in BodyKind.allCases {
            let samples = result.samples.filter { $0.work == kind.rawValue }
            if !samples.isEmpty {
                parts.append("Time an operation, \(kind.rawValue) bodies: build, run, report; (times the rival's)\n" + times(samples))
            }
        }
        if !result.metrics.isEmpty { parts.append(verdicts) }
        return parts.joined(separator: "\n")
    }

    /// A row a graph, a column an engine; after each rival's time the engine's as a part of it.
    private func times(_ samples: [Sample]) -> String {
        let engines = Engine.all.map(\.name).filter { name in samples.contains { $0.engine == name } }
        var table = TextTable(["shape", "operations"] + engines.flatMap { $0 == Engine.sequencer.name ? [$0] : [$0, ""] })
        var seen: Set<String> = []
        for sample in samples where seen.insert("\(sample.shape)/\(sample.operations)").inserted {
            let row = samples.filter { $0.shape == sample.shape && $0.operations == sample.operations }
            let own = row.first { $0.engine == Engine.sequencer.name }
            let cells = engines.flatMap { name -> [String] in
                let time = row.first { $0.engine == name }?.nsPerOperation
                let text = time.map(Figures.duration) ?? ""
                if name == Engine.sequencer.name { return [text] }
                let ratio = time.flatMap { time in own.map { "(\(Figures.number($0.nsPerOperation / time)))" } }
                return [text, ratio ?? ""]
            }
            table.add([sample.shape, Figures.count(sample.operations)] + cells)
        }
        return table.text
    }

    /// A row a launch, a column a rival; then ours as a part of the best rival's.
    private func contest(
        _ rows: [LaunchContest.Row],
        _ time: KeyPath<LaunchContest.Row, Double>,
        _ base: KeyPath<LaunchContest.Row, Double>?
    ) -> String {
        let names = ContestRival.all.map(\.name)
        var table = TextTable(["launch", "path"] + names.flatMap { [$0, ""] } + ["to the best rival"])
        for group in result.contestGroups(rows) {
            let best = group.bestRival(time)
            let cells = names.flatMap { name -> [String] in
                guard let row = group.rows.first(where: { $0.rival == name }) else { return ["", ""] }
                let whole = base.map { row[keyPath: $0] } ?? best
                return [Figures.duration(row[keyPath: time]), "(\(Figures.number(row[keyPath: time] / whole)))"]
            }
            let path = group.rows.first.map { Figures.duration($0.path) } ?? ""
            table.add([group.launch, path] + cells + [Figures.number(group.own(time) / best)])
        }
        return table.text
    }

    private var verdicts: String {
        var table = TextTable(["", "target", "measured", "limit", "where"], leftColumns: 2)
        for verdict in result.verdicts {
            guard let metric = verdict.metric else { continue }
            let unit = verdict.target.unit
            table.add([verdict.word, verdict.target.name, unit.text(metric.value), unit.text(verdict.target.limit), metric.detail])
        }
        func number(_ word: String) -> Int { result.verdicts.filter { $0.word == word }.count }
        let busy = number("BUSY") == 0 ? "" : ", \(number("BUSY")) not decided: others used the processors"
        let (met, missed) = (number("PASS"), number("MISS"))
        return table.text + "\n\(met) of \(met + missed) targets met\(busy), \(number("-")) not measured\n"
    }
}
