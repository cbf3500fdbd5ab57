//  Who comes after whom, a method for each way in which the app runs.
//
//  process:  crash-reporter ── register-tasks    (the prologue of every process)
//
//  launch:   open-database ── log-in ──┬── home ──┬── deliver
//            check-update ── log-in    │          ├── device-token ╌╌ register-token
//            fetch-configuration ──────┘          ├── remove-old-files
//                                                 ├── prefetch (3 s later)
//                                                 └── stayed-healthy (30 s later)
//
//  resume:   check-update                        (beside the rest of the launch)
//
//  refresh:  open-database ── fetch-news
//
//  register: open-database ── register-token     (a token that is not the launch's)

import Sequencer
import StartupOps
import StartupStorage

nonisolated struct Launches: Sendable {
    let services: any Services
    let screens: any Screens
    /// Pushes, links and shortcuts, until they are opened.
    let mailbox: EntryPointMailbox
    let journal: LaunchJournal
    /// Comes at each start, and may change.
    let deviceToken = LatestValue<String>("device-token")
    /// What the server has been told.
    let registered = LatestValue<Registration>("registered-token")
    /// Is opened once, whichever launch is the first to need it.
    let database = OnceInProcess<any Database>("open-database")

    /// - Parameter directory: where the mailbox and the journal are.
    init(_ services: any Services, _ screens: any Screens, in directory: StateDirectory, version: String) {
        (self.services, self.screens) = (services, screens)
        mailbox = EntryPointMailbox(in: directory)
        // Until a scene comes to the front, the system may end the process as it likes.
        journal = LaunchJournal.open(in: directory, version: version, kind: .background)
    }

    // MARK: Graphs

    func process(registerTasks: @escaping @MainActor @Sendable () -> Void) -> OperationGraph {
        var graph = OperationGraph("process")
        graph.addPrologue("crash-reporter", .onFailure(.continue)) { services.startCrashReporter() }
        graph.addPrologue("register-tasks") { registerTasks() }
        return graph
    }

    func launch() -> OperationGraph {
        var graph = OperationGraph("launch")
        let database = addDatabase(to: &graph)
        let configuration = graph.add("fetch-configuration", .timeout(.seconds(2)), fallback: "bundled") {
            try await services.configuration()
        }
        let update = addUpdate(to: &graph)
        let account = graph.add("log-in", using: .context, database, after: update) { step, database in
            if let account = database.account { return account }
            let account = try await step.waitForPerson { try await screens.logIn() }
            database.account = account
            return account
        }
        let home = graph.add("home", .milestone, using: account, configuration, on: .main) { account, configuration in
            screens.showHome(account, configuration)
            mailbox.open(for: account.id)
        }
        addLaterWork(to: &graph, account, after: home)
        return graph
    }

    /// The app comes back to the front.
    func resume() -> OperationGraph {
        var graph = OperationGraph("resume")
        addUpdate(to: &graph)
        return graph
    }

    /// The system gives time in the background. Nobody is asked, and nothing is shown.
    func refresh() -> OperationGraph {
        var graph = OperationGraph("refresh")
        let database = addDatabase(to: &graph)
        graph.add("fetch-news", .timeout(.seconds(15)), after: database) { try await services.news() }
        return graph
    }

    /// A token has come again.
    func register(_ token: String) -> OperationGraph {
        var graph = OperationGraph("register")
        let database = addDatabase(to: &graph)
        graph.add("register-token", .timeout(.seconds(9)), using: database) { database in
            guard let account = database.account else { return }
            try await register(token, for: account)
        }
        return graph
    }

    // MARK: Their parts

    private func addDatabase(to graph: inout OperationGraph) -> Step<any Database> {
        graph.addOnce(database, .cancellationShield, .timeout(.seconds(60))) { [services] in
            try await services.openDatabase()
        }
    }

    @discardableResult
    private func addUpdate(to graph: inout OperationGraph) -> Step<Void> {
        graph.add("check-update", .essential, .timeout(.seconds(2)), .onFailure(.continue)) { step in
            guard try await services.isUpdateRequired() else { return }
            step.abort(.forceUpdate) { screens.showUpdate() }
        }
    }

    private func addLaterWork(to graph: inout OperationGraph, _ account: Step<Account>, after home: Step<Void>) {
        graph.add("deliver", .onFailure(.continue), after: home) { await deliver() }
        let token = graph.wait(for: deviceToken, .timeout(.seconds(20)), .onFailure(.skipDependents), after: home)
        graph.add("register-token", .timeout(.seconds(9)), .onFailure(.continue), using: token, account) { token, account in
            try await register(token, for: account)
        }
        graph.add("remove-old-files", .cancellationShield, .timeout(.seconds(5)), .onFailure(.continue), after: home) {
            try await services.removeOldFiles()
        }
        graph.add("prefetch", .delay(.seconds(3)), .timeout(.seconds(20)), .onFailure(.continue), after: home) {
            try await services.prefetchImages()
        }
        graph.add("stayed-healthy", .delay(.seconds(30)), .onFailure(.continue), after: home) { journal.stayedHealthy() }
    }

    private func register(_ token: String, for account: Account) async throws {
        let registration = Registration(token: token, account: account)
        if let last = try? registered.latest?.get(), last == registration { return }
        try await services.register(token: token, for: account)
        registered.set(registration)
    }

    /// Opens what waits in the mailbox.
    func deliver() async {
        await mailbox.deliver { delivery in await screens.open(delivery.entryPoint) }
    }
}
