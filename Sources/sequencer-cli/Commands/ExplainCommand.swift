import Foundation
import Sequencer
import StartupOps

/// `explain`: how the last launches ended, and what the next one makes of it. It changes nothing.
struct ExplainCommand {
    private let arguments: ExplainArguments

    init(_ arguments: ExplainArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let folder = try folder()
        let launches = LaunchJournal.launches(in: folder)
        let explanation = Explanation(
            folder: folder.path,
            // The next launch is of the version that the last one was, as far as anybody knows.
            next: LaunchJournal.nextRecovery(after: launches, version: launches.first { $0.ending != .unknown }?.version),
            launches: Array(launches.prefix(arguments.last)),
            count: launches.count
        )
        let style = TextStyle(arguments.common.color, for: output)
        try output.write(arguments.common.json ? explanation.json() : ExplainText(explanation: explanation, style: style).text)
        return .success
    }

    private func folder() throws -> URL {
        let folder: URL
        if let state = arguments.state {
            folder = URL(fileURLWithPath: state, isDirectory: true)
        } else {
            do throws(StorageError) {
                folder = try StateDirectory.defaultLocation()
            } catch {
                throw ToolError(.noInput, error.description)
            }
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory) else {
            throw ToolError(.noInput, "there is no folder \(quoted(folder.path, limit: 200)); 'run' makes it, or name another with --state")
        }
        guard isDirectory.boolValue else {
            throw ToolError(.noInput, "\(quoted(folder.path, limit: 200)) is no folder; expected one that 'run --state' has made")
        }
        return folder
    }
}

/// What the journals of a folder say.
struct Explanation {
    let folder: String
    let next: Recovery
    /// The newest first.
    let launches: [JournaledLaunch]
    /// Of all launches.
    let count: Int
}
