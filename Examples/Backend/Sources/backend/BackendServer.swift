import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle
import StartupSamples

/// The sample service behind a real socket, and a sample speaker behind another.
struct BackendServer {
    let service: SampleService
    private let options: BackendOptions

    init(_ options: BackendOptions) {
        self.options = options
        var sample = SampleServiceOptions()
        sample.tokenLifetime = options.tokenLifetime
        service = SampleService(sample)
        for (path, fault) in options.faults { service.setFault(fault, for: path) }
    }

    /// Serves until the process is told to terminate (SIGTERM, SIGINT), or until the task is cancelled. `announce` gets one line, once both
    /// sockets listen.
    func run(_ announce: @escaping @Sendable (String) -> Void) async throws {
        let host = options.host
        let speaker = try await Speaker(host: host, port: options.speakerPort, name: "Kitchen")
        let speakerPort = speaker.port
        service.setSpeakers([.init(id: "kitchen", name: "Kitchen", host: host, port: speakerPort)])
        var application = Application(
            responder: SampleResponder(service: service),
            configuration: ApplicationConfiguration(address: .hostname(host, port: options.port), serverName: nil),
            services: [speaker],
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                announce("listening on http://\(host):\(port), speaker on \(host):\(speakerPort)")
            }
        )
        application.logger.logLevel = .error
        try await application.runService()
    }
}
