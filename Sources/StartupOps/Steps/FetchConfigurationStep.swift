import Sequencer
import StartupNetworking
import StartupStorage

/// Where configurations come from.
public protocol ConfigurationService: Sendable {
    /// The countries that there is a configuration for.
    func countries(by deadline: Deadline) async throws -> [Country]
    /// The configuration of a country, in a language.
    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration
    /// The feature flags; nil from a service without them, as it is unless said otherwise.
    func flags(by deadline: Deadline) async throws -> FeatureFlags?
}

extension ConfigurationService {
    /// Nil: this service has none.
    public func flags(by deadline: Deadline) async throws -> FeatureFlags? { nil }
}

/// Asks for country and language.
@MainActor
public protocol RegionPresenter: Sendable {
    /// Asks the person.
    ///
    /// - Parameter countries: those to choose from.
    /// - Returns: the choice; nil when the person left the menu.
    func chooseRegion(from countries: [Country]) async -> Region?
}

/// Finds out the country and the language, then fetches the configuration for them.
///
/// A country and a language that were chosen once are not asked for again. The first time they are the device's, as long as there is a
/// configuration for them; otherwise a menu is presented, and the time a person takes for it does not count.
///
/// A configuration from the server is on trial until a launch has completed with it. If it cannot be fetched, its place is taken by
/// that of `fallback(_:_:)`: the last one that a launch has completed with, or else the one the app was delivered with.
struct FetchConfigurationOperation: Sendable {
    let service: any ConfigurationService
    let store: ConfigurationStore
    /// Remembers the country and language.
    let state: LaunchState
    /// The region that the device is set to.
    let device: Region
    /// Asks when the device's region is not served; nil when nobody can be asked.
    let presenter: (any RegionPresenter)?
    let stage: Stage

    /// Fetches the configuration.
    ///
    /// - Throws: a `NetworkError`, `MissingPresenterError`, or `DismissedByPerson` when the person left the menu.
    func run(in step: StepContext) async throws -> LoadedConfiguration {
        let region = try await region(in: step)
        let configuration = try await step.request("the configuration") { try await service.configuration(for: region, by: $0) }
        // On trial as soon as it is there: a death in what follows has to find it (P30).
        do {
            try store.beginTrial(of: configuration)
        } catch {
            step.note("the configuration could not be kept for the next launch: \(error)")
        }
        return LoadedConfiguration(configuration, from: .remote)
    }

    /// The configuration that takes the place of one that could not be fetched.
    func fallback(_ step: StepContext, _ error: (any Error)?) -> LoadedConfiguration {
        let loaded = store.lastKnown
        switch loaded.source {
        case .cached: step.note("the last known configuration, \(ForeignText.shown("\(loaded.configuration.version)")), was used")
        default: step.note("the configuration the app was delivered with was used")
        }
        return loaded
    }

    private func region(in step: StepContext) async throws -> Region {
        // Chosen once, it is not asked for again, and the service is not asked for the countries.
        if let region = state.chosenRegion.value { return region }
        let countries = try await step.request("the list of countries") { try await service.countries(by: $0) }
        var region = Self.match(device, countries)
        if region == nil { region = try await ask(countries, in: step) }
        guard let region else { throw DismissedByPerson(operation: step.operation) }
        // Kept before the configuration is fetched: a failure of that must not ask the person again.
        do {
            try state.recordChosenRegion(region)
        } catch {
            step.note("the choice of country and language could not be kept: \(error)")
        }
        return region
    }

    /// The device's region, when there is a configuration for it.
    static func match(_ device: Region, _ countries: [Country]) -> Region? {
        let country = countries.first { $0.code == device.country }
        // Both: a country without the language would be a choice that nobody has made.
        return country?.languages.contains(device.language) == true ? device : nil
    }

    /// - Returns: nil when the person left the menu.
    private func ask(_ countries: [Country], in step: StepContext) async throws -> Region? {
        guard let presenter else {
            throw MissingPresenterError(
                operation: step.operation,
                question: "the country and language, for there is no configuration for \(device.language)-\(device.country)"
            )
        }
        return try await stage.ask(in: step) { await presenter.chooseRegion(from: countries) }
    }
}

extension FetchConfigurationOperation {
    /// The operation of a launch in `environment`.
    fileprivate init(_ environment: StartupEnvironment) {
        self.init(
            service: environment.services.configurations,
            store: environment.configurations,
            state: environment.state,
            device: environment.app.region,
            presenter: environment.presenters.region,
            stage: environment.stage
        )
    }
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> LoadedConfiguration {
    /// The app's configuration.
    public static var fetchConfig: Self {
        Self(
            RecoveryStep.configuration,
            "Fetch the configuration",
            expected: .milliseconds(450),
            simulated: { simulated in
                return { step in
                    try await simulated.pass(step)
                    return .simulated
                }
            },
            work: { environment, _ in
                let operation = FetchConfigurationOperation(environment)
                return { step in
                    let loaded = try await operation.run(in: step)
                    // Where the first screen waits at a gate, this is one of its conditions.
                    environment.firstScreen?.meet(.configurationPresent, by: "the \(loaded.source.rawValue) configuration")
                    return loaded
                }
            }
        )
    }
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> LoadedConfiguration {
    /// The configuration that an earlier launch has kept. A white-label app that has one does not wait for ``StartupStep/fetchConfig``.
    public static var cachedConfig: Self {
        Self(
            "cached-config",
            "Use the configuration that was kept",
            expected: .milliseconds(5),
            simulated: { simulated in
                return { step in
                    try await simulated.pass(step)
                    return .simulated
                }
            },
            work: { environment, _ in
                return { _ in
                    // The kept one may be gone since the graph was made.
                    let loaded = environment.keptConfiguration ?? environment.configurations.lastKnown
                    environment.firstScreen?.meet(.configurationPresent, by: "the \(loaded.source.rawValue) configuration")
                    return loaded
                }
            }
        )
    }
}

extension OperationGraph {
    /// Adds the step that fetches the configuration, with the fallback it always has.
    mutating func addConfiguration(
        of steps: StartupSteps,
        _ options: StepOption...,
        after dependencies: String...
    ) -> Step<LoadedConfiguration> {
        let step = StartupStep.fetchConfig
        let work = steps[step]
        let fallback = steps.fallbackConfiguration
        // Cuttable: the launch keeps its budget by the fallback, which is always there.
        return add(step.id, steps.options(of: step, options + [.cuttable]), after: dependencies) { context in
            try await work(context)
        } fallback: { context, error in
            fallback(context, error)
        }
    }
}

extension StartupSteps {
    /// Makes the configuration that takes the place of one that could not be fetched in `environment`.
    static func fallback(in environment: StartupEnvironment) -> @Sendable (StepContext, (any Error)?) -> LoadedConfiguration {
        let operation = FetchConfigurationOperation(environment)
        return { step, error in
            let loaded = operation.fallback(step, error)
            // The fallback has to meet the gate as well, or the splash would stay.
            environment.firstScreen?.meet(.configurationPresent, by: "the \(loaded.source.rawValue) configuration")
            return loaded
        }
    }
}

extension LoadedConfiguration {
    /// The configuration of simulated launches.
    static let simulated = LoadedConfiguration(.bundled, from: .bundled)
}
