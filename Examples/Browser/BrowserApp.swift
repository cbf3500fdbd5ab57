//  Who comes after whom, a method for each way in which the app runs.

import Sequencer

/// A window, and what happens to it once.
nonisolated struct Window: Sendable {
    let name: String
    /// The system has connected its scene; the value is the scene's name.
    let connected: ExternalEvent<String>
    /// The person sees its tabs. Links are opened after that.
    let shown: ExternalEvent<Void>

    init(_ name: String) {
        self.name = name
        connected = ExternalEvent("\(name)-connected")
        shown = ExternalEvent("\(name)-shown")
    }
}

/// What lives as long as one attempt to start: the events, which happen once each, and the links that wait for them.
///
/// A person who tries again, after a launch that has failed, gets another one on the same phone.
nonisolated final class BrowserApp: Sendable {
    let phone: Phone
    let links: LinkQueue
    let main = Window("main")
    /// Windows that are opened while the launch runs wait for it.
    let profileOpened = ExternalEvent<Profile>("profile-opened")
    let termsShown = ExternalEvent<Void>("terms-shown")
    /// Whether the person allows telemetry.
    let termsAnswered = ExternalEvent<Bool>("terms-answered")
    private let idle = IdleTime()

    init(_ phone: Phone) {
        self.phone = phone
        links = LinkQueue(phone)
    }

    /// Behind the card with the terms, whenever the person touches it.
    func answerTerms(_ sendsTelemetry: Bool) {
        phone.store(sendsTelemetry: sendsTelemetry)
        termsAnswered.fulfill(sendsTelemetry)
    }

    /// - Parameter window: where a failure is shown. Without its scene there is nothing to show it in.
    func options(for window: Window, clock: any Clock<Duration>) -> LaunchOptions {
        // The person has a minute for the terms, after the milestone.
        var options = LaunchOptions(deadline: .seconds(120), clock: clock)
        options.failureTakeover = { [phone, profileOpened] failure in
            switch failure.operation {
            case window.connected.name: break
            case "open-profile", profileOpened.name: phone.show("\(window.name): the profile does not open, try again?")
            default: phone.show("\(window.name): the browser does not start, try again?")
            }
        }
        return options
    }

    // MARK: Graphs

    /// The app is opened.
    func launch() -> OperationGraph {
        var graph = OperationGraph("launch")
        // What they do has to be done before the system goes on; here it takes no time.
        graph.addPrologue("crash-reporter", .timeout(.seconds(1)), .onFailure(.continue)) {}
        graph.addPrologue("register-tasks", .timeout(.seconds(1)), .onFailure(.continue)) {}

        let settings = addSettings(to: &graph)
        graph.add("kept-links", .timeout(.milliseconds(500)), .onFailure(.continue)) { [links, main] (step: StepContext) in
            try await step.sleep(for: .milliseconds(10))
            links.deliverEarlier(to: main)
        }
        let loading = StepOption.ifSlower(than: .seconds(2), forAtLeast: .seconds(1)) { [phone] step in
            phone.show("main: your profile is being moved")
            await step.ended()
        }
        let profile = addProfile(to: &graph, loading, .fulfills(profileOpened))
        let browser = addWindow(main, to: &graph, profile)
        addTelemetry(to: &graph, settings, after: browser)
        let sync = addSync(to: &graph, profile)
        graph.addDependency(browser, to: sync)
        graph.add("prefetch", .timeout(.seconds(5)), .onFailure(.continue), after: browser) { [idle] (step: StepContext) in
            try await idle.run { try await step.sleep(for: .milliseconds(200)) }
        }
        return graph
    }

    /// Another window is opened. While the launch runs, this joins it as a scope, which can be cancelled alone; later it is a launch of its own.
    func open(_ window: Window) -> OperationGraph {
        var graph = OperationGraph("window-\(window.name)")
        let profile = graph.wait(for: profileOpened, .timeout(.seconds(15)))
        addWindow(window, to: &graph, profile)
        return graph
    }

    /// The system wakes the app, to sync without a screen. When the time that it gives is over, the app cancels the launch.
    func background() -> OperationGraph {
        var graph = OperationGraph("background")
        let profile = addProfile(to: &graph)
        addSync(to: &graph, profile)
        return graph
    }

    // MARK: Their parts

    private func addSettings(to graph: inout OperationGraph) -> Step<Settings> {
        graph.add("read-settings", .timeout(.milliseconds(500)), fallback: Settings.standard) {
            [phone, termsAnswered] (step: StepContext) -> Settings in
            try await step.sleep(for: .milliseconds(20))
            let settings = phone.settings
            if let answer = settings.sendsTelemetry { termsAnswered.fulfill(answer) }
            return settings
        }
    }

    /// Without a profile there is no browser.
    private func addProfile(to graph: inout OperationGraph, _ options: StepOption...) -> Step<Profile> {
        graph.add("open-profile", .timeout(.seconds(10)), .all(options)) { [phone] (step: StepContext) -> Profile in
            try await step.sleep(for: phone.profileTime)
            if phone.isProfileDamaged { throw ProfileDamaged() }
            return Profile(tabs: ["news", "weather"])
        }
    }

    /// The address bar comes with the scene, the tabs when they are there.
    @discardableResult
    private func addWindow(_ window: Window, to graph: inout OperationGraph, _ profile: Step<Profile>) -> Step<Void> {
        let connected = graph.wait(for: window.connected, .timeout(.seconds(10)))
        let bar = graph.add(
            "address-bar",
            .initialDisplay,
            .timeout(.seconds(1)),
            .onFailure(.continue),
            using: connected,
            on: .main
        ) { [phone] (scene: String) in
            phone.show("\(scene): address bar")
        }
        let tabs = graph.add("restore-tabs", .timeout(.seconds(1)), using: .context, profile) {
            (step: StepContext, profile: Profile) -> [String] in
            try await step.sleep(for: .milliseconds(150))
            return profile.tabs
        } fallback: { step, _ in
            step.note("the tabs were not restored; they are still in the profile")
            return ["blank"]
        }
        return graph.add(
            "browser",
            .milestone,
            .timeout(.seconds(10)),
            .fulfills(window.shown),
            using: connected,
            tabs,
            after: bar,
            on: .main
        ) { [phone] (scene: String, tabs: [String]) in
            phone.show("\(scene): \(tabs.joined(separator: ", "))")
        }
    }

    /// No telemetry before the person has accepted the terms, in this launch or an earlier one.
    private func addTelemetry(to graph: inout OperationGraph, _ settings: Step<Settings>, after browser: Step<Void>) {
        let card = graph.add(
            "show-terms",
            .when(settings) { $0.sendsTelemetry == nil },
            .timeout(.seconds(1)),
            .onFailure(.skipDependents),
            .fulfills(termsShown),
            after: browser,
            on: .main
        ) { [phone] in
            phone.show("main: terms")
        }
        let answer = graph.wait(
            for: termsAnswered,
            id: "terms",
            .interactive,
            .timeout(.seconds(60)),
            .onFailure(.skipDependents),
            after: card
        )
        // Who has answered before is not asked, and the step waits for nothing of that: only for the browser.
        graph.add("start-telemetry", .when(answer) { $0 }, .timeout(.seconds(5)), .onFailure(.continue), after: browser) {
            [phone] (step: StepContext) in
            try await step.sleep(for: .milliseconds(50))
            phone.startTelemetry()
        }
    }

    @discardableResult
    private func addSync(to graph: inout OperationGraph, _ profile: Step<Profile>) -> Step<Void> {
        graph.add(
            "sync",
            .timeout(.seconds(20)),
            .retry(attempts: 2, backoff: .seconds(2), jitter: 0),
            .onFailure(.continue),
            using: .context,
            profile
        ) { [phone] (step: StepContext, _: Profile) in
            try await step.sleep(for: .milliseconds(500))
            phone.sync()
        }
    }
}
