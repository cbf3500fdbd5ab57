import Foundation
import Sequencer
import StartupOps

/// How the last launches ended, for people.
struct ExplainText {
    let explanation: Explanation
    let style: TextStyle

    var text: String {
        let folder = printable(explanation.folder, limit: 200)
        if explanation.launches.isEmpty { return "No launch was written down in \(folder).\n" }
        let shown = explanation.launches.count
        let more = explanation.count > shown ? ", \(shown) of \(explanation.count)" : ""
        return next + "\nLaunches in \(folder), the newest first\(more):\n\n" + table + notes
    }

    private var next: String {
        let next = explanation.next
        guard next.isSafeMode else { return style.bold("The next launch leaves nothing out.") + "\n" }
        var lines = [style.bold("The next launch is in safe mode: \(next.summary).")]
        if let reason = next.reason { lines.append("  Why: \(reason).") }
        if let outlook = next.outlook { lines.append("  \(outlook)") }
        return lines.map { $0 + "\n" }.joined()
    }

    private var table: String {
        var table = TextTable(["", "began (UTC)", "version", "scenario", "level", "after", "ended"], leading: 7)
        for launch in explanation.launches {
            table.add([
                "\(launch.number)",
                launch.startedAt.map(Self.time) ?? "",
                printable(launch.version ?? "", limit: 20),
                printable(launch.scenario ?? "", limit: 30),
                launch.recovery.level.rawValue,
                style.duration(launch.lastEvent),
                ended(launch),
            ])
        }
        return table.text(style)
    }

    /// `2026-11-21 13:47:54`
    private static func time(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(19)).replacing("T", with: " ")
    }

    private func ended(_ launch: JournaledLaunch) -> String {
        var text = launch.ending.description
        if launch.isHealthy { text += ", stayed healthy" }
        if launch.isRunning, launch.ending != .running { text += ", the process goes on" }
        if launch.kind != .foreground { text += " (\(launch.kind.rawValue))" }
        return launch.ending.isDeath ? style.red(text) : text
    }

    /// What the table has no room for.
    private var notes: String {
        let notes = explanation.launches.flatMap { launch in
            [
                launch.recovery.sentence.map { "launch \(launch.number) was in \($0)" },
                launch.damage.map { "launch \(launch.number) is not told whole: \($0)" },
            ].compactMap(\.self)
        }
        return notes.isEmpty ? "" : "\n" + notes.map { "  \($0)\n" }.joined()
    }
}

extension Explanation {
    /// The same as JSON, in the format `sequencer.explanation/1`, described by `Schemas/explanation.schema.json`.
    func json() -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.explanation/1", for: "schema")
            json.write(folder, for: "state")
            json.writeObject(for: "next") { json in
                next.write(to: &json)
                json.write(next.summary, for: "summary")
                if let outlook = next.outlook { json.write(outlook, for: "outlook") }
            }
            json.writeArray(for: "launches") { json in
                for launch in launches { json.writeObject { json in launch.write(to: &json) } }
            }
        } + "\n"
    }
}

extension Recovery {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(level.rawValue, for: "level")
        json.write(skipped, for: "skipped")
        if let reason { json.write(reason, for: "reason") }
    }
}

extension JournaledLaunch {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(number, for: "number")
        if let startedAt { json.write(startedAt.formatted(.iso8601), for: "startedAt") }
        if let version { json.write(version, for: "version") }
        json.write(kind.rawValue, for: "kind")
        if let scenario { json.write(scenario, for: "scenario") }
        recovery.write(to: &json)
        json.write(ending.name, for: "ending")
        switch ending {
        case .crashed(let operations), .hung(let operations), .quit(let operations): json.write(operations, for: "operations")
        case .aborted(let operation, _): json.write([operation], for: "operations")
        case .failed(let operation): json.write([operation].compactMap(\.self), for: "operations")
        case .completed, .running, .unknown: json.write([String](), for: "operations")
        }
        json.write(milliseconds: lastEvent, for: "lastEventMs")
        json.write(isHealthy, for: "healthy")
        json.write(isRunning, for: "running")
        if let damage { json.write(damage, for: "damage") }
    }
}
