import Sequencer
import SequencerTestingCore
import StartupOps

/// The app: its graph, and its launch.
nonisolated struct App: Sendable {
    let phone: Phone
    let screen: Screen
    /// The system has made a window.
    let window = ExternalEvent<String>("window-connected")
    /// The main screen is there. Any code may ask for it, at any time.
    let ready = ExternalEvent<Account>("app-ready")
    /// The last of what waits for `ready` is done.
    let rested = ExternalEvent<Void>("rested")

    init(_ phone: Phone, _ screen: Screen) {
        self.phone = phone
        self.screen = screen
    }

    func graph() -> OperationGraph {
        var graph = OperationGraph("cold-launch")
        graph.addPrologue("crash-reporter", .onFailure(.continue), .timeout(.seconds(1))) { launch in
            launch.note("crashes are reported from here")
        }
        // A check that does not work itself keeps nobody out.
        let preflight = graph.add("preflight", .onFailure(.continue), .timeout(.seconds(5))) { launch in try await checkRoom(launch) }
        let loading = StepOption.ifSlower(than: .seconds(5), forAtLeast: .seconds(1)) { step in
            screen.show("loading")
            await step.ended()
        }
        let store = Store(phone: phone).add(to: &graph, after: [preflight], loading: loading)
        let connected = graph.wait(for: window, .timeout(.seconds(20)))
        let config = graph.add("fetch-config", .timeout(.seconds(2)), fallback: "bundled") { launch in try await fetchConfig(launch) }
        let update = graph.add("force-update", .essential, .onFailure(.continue), .timeout(.seconds(2))) { launch in
            try await checkVersion(launch)
        }
        let chats = graph.add(
            "load-chats",
            .timeout(.seconds(3)),
            using: .context,
            store.database,
            store.account,
            fallback: Chats.unknown
        ) { launch, _, _ in
            try await loadChats(launch)
        }
        let main = graph.add(
            "main-app",
            .milestone,
            .fulfills(ready),
            .timeout(.seconds(5)),
            using: .context,
            store.account,
            chats,
            config,
            after: connected,
            update,
            on: .main
        ) { launch, account, chats, _ in
            try await showMain(launch, account, chats)
        }
        addWork(to: &graph, after: main)
        return graph
    }

    /// What comes after the main screen, and holds up nobody.
    private func addWork(to graph: inout OperationGraph, after main: Step<Account>) {
        let connection = graph.add(
            "connect",
            .retry(attempts: 3),
            .timeout(.seconds(5)),
            using: .context,
            main,
            fallback: false
        ) { launch, _ in
            try await connect(launch)
        }
        let received = graph.add(
            "receive-messages",
            .onFailure(.continue),
            .timeout(.seconds(5)),
            using: .context,
            connection,
            on: .main
        ) { launch, isConnected in
            try await receive(launch, isConnected)
        }
        graph.add("clean-up", .onFailure(.continue), .timeout(.seconds(5)), after: received) { launch in try await cleanUp(launch) }
    }

    /// What other parts of the app do when it is ready, each at its time: at once, soon, and when nothing else is to be done.
    func whenReady(_ idle: IdleTime = .main) {
        ready.whenSettled(.whenIdle(idle), on: .main) { result in
            note("old pictures are removed", result)
            rested.fulfill()
        }
        ready.whenSettled(.soon, on: .main) { result in note("the badge is set", result) }
        ready.whenSettled(.atOnce, on: .main) { result in note("calls are taken", result) }
    }

    @MainActor
    private func note(_ work: String, _ result: Result<Account, any Error>) {
        switch result {
        case .success(let account): screen.note("\(work) for \(account.name)")
        case .failure: screen.note("not done: \(work)")
        }
    }

    // MARK: The launch

    /// Launches the app, as its delegate does, and lets the system make a window meanwhile.
    ///
    /// - Parameter graph: what ``graph()`` has made, with a fault or without.
    @MainActor
    func launch(_ graph: OperationGraph, _ journal: LaunchJournal) async throws -> LaunchReport {
        await journal.decide { recovery in await askAboutSafeMode(recovery) }
        var graph = graph
        journal.prepare(&graph)
        let clock = VirtualClock()
        // A migration may take two minutes. Each launch stands for a process of its own.
        var options = LaunchOptions(deadline: .seconds(180), clock: clock, admission: .oneAtATime)
        options.failureTakeover = { failure in screen.takeOver(Self.screen(for: failure)) }
        let recorded = journal.recording(options)
        let (app, world) = (graph, system())
        let running = try clock.hold {
            try world.start(options: LaunchOptions(clock: clock))
            return try app.start(budget: .seconds(3), options: recorded)
        }
        let report = await running.end().report
        journal.ended(report)
        // An abort that brings no screen of its own.
        if case .aborted = report.outcome, !screen.isTakenOver { screen.takeOver("stopped") }
        return report
    }

    /// What the system does meanwhile.
    private func system() -> OperationGraph {
        var graph = OperationGraph("system")
        graph.add("connect-scene", .fulfills(window)) { launch in
            try await launch.sleep(for: .milliseconds(120))
            return "main"
        }
        return graph
    }

    /// The screen of a launch that has failed, by the step and the error.
    private static func screen(for failure: OperationError) -> String {
        if failure.underlying is KeychainIsLocked { return "unlock first" }
        switch failure.operation {
        case "open-database", "migrate": return "repair"
        case "load-account": return "no account"
        default: return "cannot start"
        }
    }

    @MainActor
    private func askAboutSafeMode(_ recovery: Recovery) async -> RecoveryChoice {
        screen.show("safe mode?")
        return phone.agreesToSafeMode ? .recover : .goOn
    }

    // MARK: Steps

    /// Asks the person when there is hardly any room: the launch goes on with the answer.
    private func checkRoom(_ launch: StepContext) async throws {
        try await launch.sleep(for: .milliseconds(10))
        while await phone.disk.isFull {
            switch try await launch.waitForPerson({ try await askAboutRoom(launch) }) {
            case .goOn:
                launch.note("the person went on with a full disk")
                return
            case .makeRoom: await phone.disk.makeRoom()
            case .leave: try launch.abortAndThrow("disk-full") { screen.takeOver("closed") }
            }
        }
    }

    private func askAboutRoom(_ launch: StepContext) async throws -> Answer {
        await screen.show("hardly any room")
        try await launch.sleep(for: .seconds(20))  // the person reads
        return phone.answer
    }

    private func fetchConfig(_ launch: StepContext) async throws -> String {
        try await phone.request(.milliseconds(100), in: launch)
        return "from the server"
    }

    private func checkVersion(_ launch: StepContext) async throws {
        try await phone.request(.milliseconds(90), in: launch)
        if phone.isOutdated { launch.abort(.forceUpdate) { screen.takeOver("update") } }
    }

    private func loadChats(_ launch: StepContext) async throws -> Chats {
        try await launch.sleep(for: .milliseconds(150))
        return Chats(count: 3)
    }

    @MainActor
    private func showMain(_ launch: StepContext, _ account: Account, _ chats: Chats) async throws -> Account {
        try await launch.sleep(for: .milliseconds(20))
        screen.show(chats.count.map { "\($0) chats" } ?? "no chats yet")
        return account
    }

    private func connect(_ launch: StepContext) async throws -> Bool {
        try await phone.request(.milliseconds(200), in: launch)
        return true
    }

    @MainActor
    private func receive(_ launch: StepContext, _ isConnected: Bool) async throws {
        if isConnected { try await launch.sleep(for: .milliseconds(50)) }
        screen.show(isConnected ? "2 new messages" : "no connection")
    }

    private func cleanUp(_ launch: StepContext) async throws {
        try await IdleTime.main.run { try await launch.sleep(for: .milliseconds(10)) }
    }
}
