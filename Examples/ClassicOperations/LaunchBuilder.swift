//  Who comes after whom, a method a scenario.

import Sequencer

/// Why the app starts.
enum Scenario: String, CaseIterable {
    case firstLaunch = "first-launch"
    case regular
    case push
}

/// Builds the graph of a launch. An operation runs once, so each launch gets a graph of its own.
struct LaunchBuilder {
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    func graph(of scenario: Scenario) -> OperationGraph {
        switch scenario {
        case .firstLaunch: firstLaunch()
        case .regular: regular()
        case .push: push()
        }
    }

    /// What asks the person comes one after the other.
    func firstLaunch() -> OperationGraph {
        var graph = OperationGraph("first-launch")
        let splash = graph.add(SplashOperation(phone), on: .main)
        let update = addForceUpdate(to: &graph)
        let config = graph.add(FetchConfigOperation(phone), after: splash, fallback: .bundled)
        // Made when the configuration is there.
        let login = graph.addValueOperation("login", using: config) { [phone] _, config in LoginOperation(phone, config) }
        let tutorial = graph.add(TutorialOperation(phone), .interactive, after: login, on: .main)
        let speaker = addSpeaker(to: &graph, after: tutorial)
        addMainApp(to: &graph, login, speaker, after: update)
        return graph
    }

    /// Everything that is known from earlier launches need not be waited for: five operations start at once.
    func regular() -> OperationGraph {
        var graph = OperationGraph("regular")
        addPerson(to: &graph) { [phone] graph, splash in graph.add(TutorialOperation(phone), .interactive, after: splash, on: .main) }
        return graph
    }

    /// The regular launch, with what the push is about in the place of the tutorial.
    func push() -> OperationGraph {
        var graph = OperationGraph("push")
        addPerson(to: &graph) { [phone] graph, splash in
            graph.add(PresentPushInformationOperation(phone, push: "your friends are listening"), .interactive, after: splash, on: .main)
        }
        return graph
    }

    /// - Parameter present: adds what is shown after the splash.
    private func addPerson(to graph: inout OperationGraph, _ present: (inout OperationGraph, Step<Void>) -> Step<Void>) {
        let splash = graph.add(SplashOperation(phone), on: .main)
        let update = addForceUpdate(to: &graph)
        let config = graph.add(FetchConfigOperation(phone), fallback: .bundled)
        let login = graph.add(LoginOperation(phone, Configuration(country: "SE")))
        let speaker = addSpeaker(to: &graph)
        let shown = present(&graph, splash)
        addMainApp(to: &graph, login, speaker, after: update, config, shown)
    }

    /// The launch goes on without an answer: it is no reason not to start.
    private func addForceUpdate(to graph: inout OperationGraph) -> Step<Void> {
        graph.add(ForceUpdateOperation(phone), .timeout(.seconds(1)), .onFailure(.continue))
    }

    /// The launch goes on without a speaker.
    private func addSpeaker(to graph: inout OperationGraph, after dependencies: any StepReference...) -> Step<String> {
        let speaker = graph.add(ConnectSpeakerOperation(phone), .timeout(.seconds(1)), .onFailure(.continue))
        for dependency in dependencies { graph.addDependency(dependency, to: speaker) }
        return speaker
    }

    private func addMainApp(
        to graph: inout OperationGraph,
        _ login: Step<Session>,
        _ speaker: Step<String>,
        after dependencies: any StepReference...
    ) {
        let main = graph.addOperation("main-app", .milestone, using: login, speaker.optional, on: .main) { [phone] _, session, speaker in
            MainAppOperation(phone, { session }, speaker: { speaker })
        }
        for dependency in dependencies { graph.addDependency(dependency, to: main) }
    }
}
