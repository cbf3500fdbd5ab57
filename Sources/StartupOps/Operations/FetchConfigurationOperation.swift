import Sequencer

/// Where configurations come from.
public protocol ConfigurationService: Sendable {
    /// The countries that there is a configuration for.
    func countries(by deadline: Deadline) async throws -> [Country]
    /// The configuration of a country, in a language.
    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration
}

/// Asks for country and language.
@MainActor
public protocol RegionPresenter: Sendable {
    /// Asks the person.
    ///
    /// - Parameter countries: those to choose from.
    /// - Returns: what was chosen; nil when the person left the menu.
    func chooseRegion(from countries: [Country]) async -> Region?
}

/// Finds out the country and the language, then fetches the configuration for them.
///
/// A country and a language that were chosen once are not asked for again. The first time they are the device's, as long as there is a
/// configuration for them; otherwise a menu is presented, and the time a person takes for it does not count.
///
/// A configuration from the server is on trial until a launch has completed with it. What takes its place when it cannot be fetched is
/// ``fallback(_:_:)``'s to say: the last one that a launch has completed with, or else the one the app was delivered with.
public struct FetchConfigurationOperation: Sendable {
    private let service: any ConfigurationService
    private let store: ConfigurationStore
    private let state: LaunchState
    private let device: Region
    private let presenter: (any RegionPresenter)?
    private let stage: Stage

    /// An operation that asks `service`.
    ///
    /// - Parameters:
    ///   - state: remembers the country and language.
    ///   - device: what the device is set to.
    ///   - presenter: asks when the device's region is not served; nil when nobody can be asked.
    public init(
        service: any ConfigurationService,
        store: ConfigurationStore,
        state: LaunchState,
        device: Region,
        presenter: (any RegionPresenter)?,
        stage: Stage
    ) {
        self.service = service
        self.store = store
        self.state = state
        self.device = device
        self.presenter = presenter
        self.stage = stage
    }

    /// Fetches the configuration.
    ///
    /// - Throws: a ``NetworkError``, ``MissingPresenterError``, or ``DismissedByPerson`` when the person left the menu.
    public func run(in launch: Launch) async throws -> LoadedConfiguration {
        let region = try await region(in: launch)
        let configuration = try await launch.request("the configuration") { try await service.configuration(for: region, by: $0) }
        do {
            try store.beginTrial(of: configuration)
        } catch {
            launch.note("the configuration could not be kept for the next launch: \(error)")
        }
        return LoadedConfiguration(configuration, from: .remote)
    }

    /// What takes the place of a configuration that could not be fetched.
    public func fallback(_ launch: Launch, _ error: (any Error)?) -> LoadedConfiguration {
        let loaded = store.lastKnown
        switch loaded.source {
        case .cached: launch.note("the last known configuration, \(loaded.configuration.version), was used")
        default: launch.note("the configuration the app was delivered with was used")
        }
        return loaded
    }

    private func region(in launch: Launch) async throws -> Region {
        if let region = state.chosenRegion.value { return region }
        let countries = try await launch.request("the list of countries") { try await service.countries(by: $0) }
        var region = Self.match(device, countries)
        if region == nil { region = try await ask(countries, in: launch) }
        guard let region else { throw DismissedByPerson(operation: launch.operation) }
        do {
            try state.recordChosenRegion(region)
        } catch {
            launch.note("the choice of country and language could not be kept: \(error)")
        }
        return region
    }

    /// The device's region, when there is a configuration for it.
    static func match(_ device: Region, _ countries: [Country]) -> Region? {
        let country = countries.first { $0.code == device.country }
        return country?.languages.contains(device.language) == true ? device : nil
    }

    /// - Returns: nil when the person left the menu.
    private func ask(_ countries: [Country], in launch: Launch) async throws -> Region? {
        guard let presenter else {
            throw MissingPresenterError(
                operation: launch.operation,
                question: "the country and language, for there is no configuration for \(device.language)-\(device.country)"
            )
        }
        return try await stage.ask(in: launch) { await presenter.chooseRegion(from: countries) }
    }
}
