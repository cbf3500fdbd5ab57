import Sequencer
import StartupOps

/// The state folder of a run, and the journal of its launch in there.
struct JournaledDevice {
    let directory: StateDirectory
    let journal: LaunchJournal

    /// Opens both; nil for a run that is no app's launch, and names no folder.
    init?(_ arguments: RunArguments) throws {
        guard arguments.launchesApp || arguments.state != nil else { return nil }
        let version = try SampleApp.version(arguments.appVersion)
        directory = SampleApp.directory(arguments.state)
        journal = .open(in: directory, version: version.description) { problem in
            message("the launch is not written down as it should be: \(problem)")
        }
    }

    /// Takes out of the graph what the launches before this one have shown to be the end of them; says so, and that the last one died.
    func prepare(_ graph: inout OperationGraph) {
        journal.prepare(&graph)
        if let news = journal.news { message(news) }
    }

    /// The tool is at its end with the launch: nothing else will happen to one that has completed.
    func ended(_ report: LaunchReport) {
        journal.ended(report)
        if report.outcome == .completed { journal.stayedHealthy() }
    }
}

extension RunArguments {
    /// Whether it is the sample app that is launched, for real: the built-in scenarios in real time.
    var launchesApp: Bool { clock == .wall && (scenario.map { Scenario.named($0) != nil } ?? true) }
}
