import Foundation
import Sequencer

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension DegradationCase {
    /// What became of a launch: a row of the document.
    struct Observation: Sendable, Hashable {
        /// How it ended: `completed`, or `aborted by force-update`.
        let outcome: String
        /// What the main screen was made of; nil when it was not shown.
        let content: String?
        /// What the report says beyond times.
        let remarks: [String]
    }

    /// Launches for real, on a device of its own.
    func observe() async throws -> (observation: Observation, result: SampleDevice.Result, wasAsked: Bool) {
        let device = try SampleDevice()
        if service == .entitlements {
            try Settings(device.directory().settings).set(true, for: .presentsSubscriptionOnEveryStart)
        }
        if launch == .regular { _ = try await device.launch() }
        device.outages.forgetWhatWasAsked()
        // A token that is still good is not refreshed.
        if service == .token, launch == .regular { device.service.expireTokens() }
        bringAbout(on: device)
        let result = try await device.launch { environment in
            if service == .knownRequirement {
                let policy = try JSONEncoder().encode(UpdatePolicy(minimumVersion: SemanticVersion(9)))
                try environment.state.recordUpdatePolicy(policy)
            }
            if service == .speaker, fault == .refused, launch == .regular {
                let speaker = Speaker(id: "kitchen", name: "Kitchen", host: "127.0.0.1", port: device.closedPort.number)
                try environment.state.rememberSpeaker(speaker)
            }
        }
        let wasAsked = service.path.map(device.outages.wasAsked) ?? true
        return (Observation(result, on: device), result, wasAsked)
    }

    private func bringAbout(on device: SampleDevice) {
        guard let path = service.path else {
            switch fault {
            case .refused: device.moveSpeaker(to: device.closedPort.number)
            case .failing: device.speaker.setFault(.closes)
            case .garbage: device.speaker.setFault(.wrongGreeting)
            case .hanging:
                device.speaker.setFault(.silent)
                device.giveUpSpeakerSoon()
            case .unauthorized, .untrusted, .proxied: break
            }
            return
        }
        switch fault {
        case .refused: device.outages.refuse(path)
        case .failing: device.service.setFault(.status(500), for: path)
        case .garbage: device.service.setFault(.garbage, for: path)
        case .hanging:
            device.service.setFault(.hang, for: path)
            device.outages.giveUpSoon(path)
        case .unauthorized: device.service.setFault(.status(401), for: path)
        // The errors are those that a transport makes.
        case .untrusted: device.outages.fail(path) { NetworkError(URLError(.serverCertificateUntrusted), of: $0, progress: nil) }
        case .proxied:
            let closedPort = device.closedPort
            device.outages.fail(path) { request in
                // Only a request in the plain meets a proxy that could read it.
                var plain = request
                plain.url = closedPort.url(for: request.url)
                return plain.proxyRefusal(["http_proxy": "http://proxy.example:3128"])
            }
        }
    }
}

extension DegradationCase.Observation {
    init(_ result: SampleDevice.Result, on device: SampleDevice) {
        outcome =
            switch result.report.outcome {
            case .aborted(let operation, _): "aborted by \(operation)"
            case .failed(let operation, let message): "failed: \(operation): \(device.generalised(message))"
            case let other: other.name
            }
        content = result.content.map { content in
            let account = content.account.isAnonymous ? "guest" : "person"
            return "\(content.configuration.source.rawValue) configuration, \(account), \(content.speaker?.name ?? "no speaker")"
        }
        // What was given up because the launch was stopped says nothing about the fault, and when it is given up depends on the machine.
        let operations = result.report.operations.filter { $0.outcome != .cancelled }.map(\.id)
        remarks = result.report.remarks.filter { remark in operations.contains { remark.hasPrefix("\($0): ") } }.map(device.generalised)
    }

    /// The cells of a table of the document.
    var cells: [String] { [outcome, content ?? "–", remarks.isEmpty ? "–" : remarks.joined(separator: "<br>")] }
}
