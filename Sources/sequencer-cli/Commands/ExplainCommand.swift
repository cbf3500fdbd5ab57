import Foundation
import Sequencer
import StartupOps
import StartupStorage

/// `explain`: how the last launches ended, and the consequences for the next one. It changes nothing.
struct ExplainCommand: ResultCommand {
    static let name = "explain"
    static let summary = "Say how and where the last launches ended, and which steps the next one leaves out because of that."
    static let ownArguments: [CommandArgument<Self>] = [
        .text("state", "DIR", \.state)
            .help("Look at the launches of 'run --state DIR' (default: the user's state folder)."),
        .integer("last", "N", in: 1...50, \.last).help("Show N launches, 1 to 50 (default: 10)."),
    ]
    static let examples: KeyValuePairs = [
        "explain": "Say how the last launches ended.",
        "explain --state device --json": "Say it as JSON, for launches that keep their state in 'device'.",
    ]

    /// The folder of what the app remembers between launches; nil is the user's own.
    var state: String?
    /// How many launches are told of, at the most.
    var last = 10
    var common = CommonArguments()

    func run(_ page: ResultPage) throws -> ExitCode {
        let folder = try folder()
        // Read, never opened: to explain must not count as a launch, and a damaged journal is told as far as it goes.
        let launches = LaunchJournal.launches(in: folder)
        // The next launch is of the version that the last one was, as far as anybody knows. Only the launches that are
        // shown are cut.
        let next = LaunchJournal.nextRecovery(after: launches, version: launches.first { $0.ending != .unknown }?.version)
        let shown = Array(launches.prefix(last))
        let explanation = Explanation(folder: folder.path, next: next, launches: shown, count: launches.count)
        try page.write(json: explanation.json(), text: fitted(explanation.text(page.style), to: page.output.width))
        return .success
    }

    private func folder() throws -> URL {
        let folder = try state.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? StateDirectory.defaultLocation()
        let name = quoted(folder.path, limit: 200)
        var isDirectory: ObjCBool = false
        // Checked by itself, since an empty folder is an answer and a missing one a mistake.
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory) else {
            throw ToolError(.noInput, "there is no folder \(name); 'run' makes it, or name another with --state")
        }
        if !isDirectory.boolValue { throw ToolError(.noInput, "\(name) is no folder; expected one that 'run --state' has made") }
        return folder
    }
}

/// The launches that the journals of a folder tell of, and the consequences for the next one.
struct Explanation {
    let folder: String
    let next: Recovery
    /// The newest first.
    let launches: [JournaledLaunch]
    /// Of all launches.
    let count: Int

    /// The explanation as JSON, in the format `sequencer.explanation/1`, described by
    /// `Schemas/explanation.schema.json`.
    func json() -> String {
        JSONTree.document(
            "sequencer.explanation/1",
            [
                "state": .text(folder),
                "next": next.json + ["summary": .text(next.summary), "outlook": .text(next.outlook)],
                "launches": .array(launches.map(\.json)),
            ]
        )
    }

    /// The explanation for people.
    func text(_ style: TextStyle) -> String {
        let folder = printable(folder, limit: 200)
        if launches.isEmpty { return "No launch was written down in \(folder).\n" }
        let more = count > launches.count ? ", \(launches.count) of \(count)" : ""
        return outlook(style) + "\nLaunches in \(folder), the newest first\(more):\n\n" + table(style) + notes
    }

    private func outlook(_ style: TextStyle) -> String {
        guard next.isSafeMode else { return style.bold("The next launch leaves nothing out.") + "\n" }
        return style.bold("The next launch is in safe mode: \(next.summary).") + "\n"
            + (next.reason.map { "  Why: \($0).\n" } ?? "") + (next.outlook.map { "  \($0)\n" } ?? "")
    }

    private func table(_ style: TextStyle) -> String {
        let rows = launches.map { launch -> [String] in
            // In UTC and without a zone, `2026-11-21 13:47:54`: the column's title says so.
            let began = launch.startedAt.map { String($0.formatted(.iso8601).prefix(19)).replacing("T", with: " ") }
            return [
                "\(launch.number)", began ?? "", printable(launch.version ?? "", limit: 20), printable(launch.scenario ?? "", limit: 30),
                launch.recovery.level.rawValue, style.duration(launch.lastEvent), ended(launch, style),
            ]
        }
        return style.table(["", "began (UTC)", "version", "scenario", "level", "after", "ended"], leading: 7, rows)
    }

    private func ended(_ launch: JournaledLaunch, _ style: TextStyle) -> String {
        var text = launch.ending.description
        if launch.isHealthy { text += ", stayed healthy" }
        // A journal that says that it runs on tells so already.
        if launch.isRunning, launch.ending != .running { text += ", the process goes on" }
        // Ordinary launches are in the foreground: only another kind is worth a word.
        if launch.kind != .foreground { text += " (\(launch.kind.rawValue))" }
        return launch.ending.isDeath ? style.red(text) : text
    }

    /// Sentences that are too long for the table.
    private var notes: String {
        let notes = launches.flatMap { launch in
            [launch.recovery.sentence.map { "was in \($0)" }, launch.damage.map { "is not told whole: \($0)" }]
                .compactMap(\.self).map { "  launch \(launch.number) \($0)\n" }
        }
        return notes.isEmpty ? "" : "\n" + notes.joined()
    }
}

extension Recovery {
    fileprivate var json: JSONTree { ["level": .text(level.rawValue), "skipped": .texts(skipped), "reason": .text(reason)] }
}

extension JournaledLaunch {
    fileprivate var json: JSONTree {
        let operations =
            switch ending {
            case .crashed(let operations), .hung(let operations), .quit(let operations): operations
            case .aborted(let operation, _): [operation]
            // An empty operation would look like one without a name.
            case .failed(let operation): [operation].compactMap(\.self)
            case .completed, .running, .unknown: [String]()
            }
        let begin: JSONTree = [
            "number": .number(number), "startedAt": .text(startedAt?.formatted(.iso8601)), "version": .text(version),
            "kind": .text(kind.rawValue), "scenario": .text(scenario),
        ]
        return begin + recovery.json + [
            "ending": .text(ending.name), "operations": .texts(operations), "lastEventMs": .milliseconds(lastEvent),
            "healthy": .flag(isHealthy), "running": .flag(isRunning), "damage": .text(damage),
        ]
    }
}
