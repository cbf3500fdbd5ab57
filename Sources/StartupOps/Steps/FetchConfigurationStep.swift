import Sequencer
import StartupNetworking

/// Asks for country and language.
@MainActor
public protocol RegionPresenter: Sendable {
    /// Asks the user.
    ///
    /// - Parameter countries: those to choose from.
    /// - Returns: the choice; nil when the user left the menu.
    func chooseRegion(from countries: [Country]) async -> Region?
}

/// Finds out the country and the language, then fetches the configuration for them.
///
/// A country and a language that were chosen once are not asked for again. The first time they are the device's, as
/// long as there is a configuration for them; otherwise a menu is presented, and the time the user takes for it does
/// not count.
///
/// A configuration from the server is on trial until a launch has completed with it. If it cannot be fetched, its place
/// is taken by that of `fallback(_:_:)`: the last one that a launch has completed with, or else the one the app was
/// delivered with.
struct FetchConfigurationOperation: Sendable {
    let environment: StartupEnvironment

    /// Fetches the configuration.
    ///
    /// - Throws: a `NetworkError`, `MissingPresenterError`, or `DismissedByPerson` when the user left the menu.
    func run(in step: StepContext) async throws -> LoadedConfiguration {
        let (service, store) = (environment.services.configurations, environment.configurations)
        let region = try await region(in: step)
        let configuration = try await step.boundedRequest("the configuration", within: step.requestTime) {
            try await service.configuration(for: region, by: $0)
        }
        environment.memory.serviceHasAnswered()
        // On trial as soon as it is there: a death in what follows has to find it (P30).
        step.attempt(orNote: "the configuration could not be kept for the next launch") { try store.beginTrial(of: configuration) }
        return meetingGate(LoadedConfiguration(configuration, from: .remote))
    }

    /// The configuration that an earlier launch has kept; it may be gone since the graph was made.
    func kept() -> LoadedConfiguration { meetingGate(environment.keptConfiguration ?? environment.configurations.lastKnown) }

    /// The configuration that takes the place of one that could not be fetched.
    ///
    /// - Parameter error: why it could not; nil when it was cut off.
    func fallback(_ step: StepContext, after error: (any Error)?) -> LoadedConfiguration {
        let isSilent = error == nil || error is CancellationError || (error as? NetworkError)?.code == .timedOut
        environment.memory.state.withLock { $0.isServiceSilent = isSilent ? $0.isServiceSilent ?? true : false }
        environment.bootstrap?.didNotCome("the configuration", error)
        let loaded = environment.configurations.lastKnown
        let isCached = loaded.source == .cached
        let version = ForeignText.shown("\(loaded.configuration.version)")
        step.note("\(isCached ? "the last known configuration, \(version)," : "the configuration the app was delivered with") was used")
        return meetingGate(loaded)
    }

    /// Where the first screen waits at a gate, each configuration that the launch can go by is one of its conditions,
    /// or the splash would stay.
    private func meetingGate(_ loaded: LoadedConfiguration) -> LoadedConfiguration {
        environment.firstScreen?.meet(.configurationPresent, by: "the \(loaded.source.rawValue) configuration")
        return loaded
    }

    private func region(in step: StepContext) async throws -> Region {
        let (service, state) = (environment.services.configurations, environment.state)
        // Chosen once, it is not asked for again, and the service is not asked for the countries.
        if let region = state.chosenRegion.value { return region }
        let countries = try await step.boundedRequest("the list of countries", within: step.requestTime) {
            try await service.countries(by: $0)
        }
        environment.memory.serviceHasAnswered()
        let device = environment.app.region
        let country = countries.first { $0.code == device.country }
        // Both: a country without the language would be a choice that nobody has made.
        let matches = country?.languages.contains(device.language) == true
        guard let region = matches ? device : try await ask(countries, in: step) else { throw DismissedByPerson(operation: step.operation) }
        // Kept before the configuration is fetched: a failure of that must not ask the user again.
        step.attempt(orNote: "the choice of country and language could not be kept") { try state.recordChosenRegion(region) }
        return region
    }

    private func ask(_ countries: [Country], in step: StepContext) async throws -> Region? {
        let device = environment.app.region
        let question = "the country and language, for there is no configuration for \(device.language)-\(device.country)"
        let presenter = try step.need(environment.presenters.region, question)
        return try await environment.stage.ask(in: step) { await presenter.chooseRegion(from: countries) }
    }
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> LoadedConfiguration {
    /// The configuration, from the server.
    public static var fetchConfig: Self {
        Self(RecoveryStep.configuration, "Fetch the configuration", expected: .milliseconds(450), simulating: .simulated) {
            try await FetchConfigurationOperation(environment: $0).run(in: $1)
        }
    }

    /// The configuration that an earlier launch has kept, without asking the server: the launch goes by it, and the
    /// fetched one is for the next launch.
    public static var cachedConfig: Self {
        let title = "Use the configuration that was kept"
        return Self("cached-config", title, expected: .milliseconds(5), simulating: .simulated) { environment, _ in
            FetchConfigurationOperation(environment: environment).kept()
        }
    }
}

extension OperationGraph {
    /// Adds the step that fetches the configuration. It always produces one: that of
    /// ``StartupSteps/fallbackConfiguration`` if it fails or is cut off.
    ///
    /// - Parameter mayAsk: whether it may have to ask for the country, since no earlier launch has kept anything.
    mutating func addConfiguration(
        of steps: StartupSteps,
        mayAsk: Bool,
        after dependencies: [String]
    ) -> Step<LoadedConfiguration> {
        let step = StartupStep.fetchConfig
        let (work, fallback) = (steps[step], steps.fallbackConfiguration)
        // Twice the three seconds of a request: the budget cuts it sooner.
        let timeout = Duration.seconds(mayAsk ? 7 : 1)
        // Cuttable: the launch keeps its budget by the fallback, which is always there.
        return add(step.id, steps.options(of: step, [.timeout(timeout), .cuttable]), after: dependencies) { context in
            try await work(context)
        } fallback: { context, error in
            fallback(context, error)
        }
    }
}

extension LoadedConfiguration {
    /// The configuration of a simulated launch.
    static let simulated = LoadedConfiguration(.bundled, from: .bundled)
}
