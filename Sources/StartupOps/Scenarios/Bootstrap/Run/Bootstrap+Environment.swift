extension Bootstrap {
    /// The environment of this launch: its operations talk to the plan's service.
    ///
    /// - Parameters:
    ///   - connector: connects devices on the local network, for apps that have any.
    ///   - bundled: the configuration that the app is delivered with.
    public func environment(
        presenters: StartupPresenters,
        connector: any DeviceConnector = TCPSpeakerConnector(clientName: "sequencer"),
        bundled: AppConfiguration = .bundled
    ) -> StartupEnvironment {
        var environment = StartupEnvironment(
            app: app,
            services: StartupServices(
                updates: service,
                configurations: service,
                accounts: service,
                entitlements: service,
                speakers: ServiceSpeakers(client: service.client, connector: connector)
            ),
            presenters: presenters,
            directory: directory,
            bundled: bundled
        )
        environment.bootstrap = self
        return environment
    }
}
