import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import StartupSamples
import StartupStorage
import UIKit

/// How the app is put together: the one place that knows addresses, identifiers and files.
@MainActor
final class Composition {
    /// The service, in this process, with a folder of its own for what it knows of accounts. An app with a server has the server's address in
    /// ``services(_:)``, and none of this.
    private(set) lazy var backend = EmbeddedBackend(SampleService(store: folder("SampleService").state))
    private let app = AppInfo(version: Composition.version)

    /// The version that is shown in the App Store.
    static var version: SemanticVersion {
        let text = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        return text.flatMap { SemanticVersion($0) } ?? SemanticVersion(1)
    }

    /// Opens the app's folder.
    ///
    /// Not before it is needed: until a device that was restarted is unlocked, an app that was started ahead of time could read nothing in there.
    func directory() -> StateDirectory { folder("Startup") }

    private func folder(_ name: String) -> StateDirectory {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        return folders.first.map { StateDirectory.open(at: $0.appending(path: name)) } ?? .inMemory()
    }

    /// Opens the journal of a launch in the foreground, or that of the refreshes in the background.
    func journal(in directory: StateDirectory, kind: LaunchKind) -> LaunchJournal {
        let name = kind == .foreground ? "journal" : "background-journal"
        return LaunchJournal.open(in: directory, named: name, version: app.version.description, kind: kind)
    }

    /// What the operations of a launch work with.
    func environment(in directory: StateDirectory, journal: LaunchJournal, presenters: StartupPresenters) -> StartupEnvironment {
        StartupEnvironment(app: app, services: services(directory), presenters: presenters, directory: directory, journal: journal)
    }

    private func services(_ directory: StateDirectory) -> StartupServices {
        let service = AppService(
            at: .service(at: backend.baseURL),
            http: HTTPClient(over: backend),
            directory: directory,
            app: app,
            deviceID: UIDevice.current.identifierForVendor?.uuidString ?? "unknown"
        )
        let speakers = service.client.speakers(connectedBy: TCPSpeakerConnector(clientName: "music-app"))
        return StartupServices(
            updates: service,
            configurations: service,
            accounts: service,
            entitlements: service,
            speakers: speakers
        )
    }
}
