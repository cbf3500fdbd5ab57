import StartupNetworking

extension APIClient {
    /// The speakers that the service knows, beside those that are known otherwise.
    ///
    /// - Parameter connector: finds out which of them answer, and connects them on the local network.
    public func speakers(connectedBy connector: any DeviceConnector) -> any DeviceConnector {
        ServiceSpeakers(client: self, connector: connector)
    }
}

/// Finds the speakers that the service knows, beside those that are known otherwise, and connects them on the local
/// network.
struct ServiceSpeakers: DeviceConnector {
    /// Asks the service which speakers there are.
    let client: APIClient
    /// Finds out which of them answer, and connects them.
    let connector: any DeviceConnector

    /// Connects a speaker.
    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        try await connector.connect(to: speaker, by: deadline)
    }

    /// The speakers that answer, of those that the service knows of and those at `endpoints`. A service that does not
    /// answer knows of none.
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
        try await scan(endpoints, by: deadline) { _ in }
    }

    /// The same; a service that does not answer is noted.
    func scan(
        _ endpoints: [AppConfiguration.Endpoint],
        by deadline: Deadline,
        note: @Sendable (String) -> Void
    ) async throws(DeviceError) -> [Speaker] {
        var all = endpoints
        let half = deadline.remaining.map { .after($0 / 2) } ?? deadline
        do {
            // Half of the time: the speakers have to be asked, too.
            let known: [AppConfiguration.Endpoint] = try await client.query(.speakers, deadline: half)
            for endpoint in known where !all.contains(endpoint) && endpoint.isPlain(orNoting: note) {
                all.append(endpoint)
            }
        } catch {
            // The speakers of the configuration can be found without the service.
            note("the service could not say which speakers there are, so only those of the configuration were looked for: \(error)")
        }
        return try await connector.scan(all, by: deadline, note: note)
    }
}

extension GraphQLOperation {
    /// The speakers of the account.
    static let speakers = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id name host port } }", field: "speakers")
}
