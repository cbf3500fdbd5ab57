//  Stands in for the device: its disk, its screen, its network, and the system and the person around the app.

import Foundation
import Sequencer

nonisolated struct Settings: Sendable, Codable {
    /// Nil until the person has answered the terms.
    var sendsTelemetry: Bool?

    static let standard = Settings()
}

nonisolated struct Profile: Sendable {
    let tabs: [String]
}

nonisolated struct ProfileDamaged: Error {}

/// What survives the app, and what it has shown and done.
///
/// All of it can be called from any thread.
nonisolated final class Phone: @unchecked Sendable {
    // @unchecked: `state` is only touched while `lock` is held; the rest is constant.

    private struct Disk: Codable {
        var settings: Settings
        var keptLinks: [String]
    }

    private struct State {
        var disk: Disk
        var screens: [String] = []
        var openedLinks: [String] = []
        var sendsTelemetry = false
        var isSynced = false
    }

    /// How long the profile takes to open; after an update it is migrated.
    let profileTime: Duration
    let isProfileDamaged: Bool
    /// The file that stands for the disk, so that the next process finds what one has left; nil for a disk that goes with the process.
    private let file: URL?
    private let lock = NSLock()
    private var state: State

    /// - Parameters:
    ///   - settings: those of earlier launches.
    ///   - links: those that earlier launches have kept.
    ///   - file: stands for the disk. What it has counts, and not the settings and links that are given.
    init(
        settings: Settings = .standard,
        links: [String] = [],
        profileTime: Duration = .milliseconds(200),
        isProfileDamaged: Bool = false,
        in file: URL? = nil
    ) {
        self.profileTime = profileTime
        self.isProfileDamaged = isProfileDamaged
        self.file = file
        let disk = file.flatMap { try? Data(contentsOf: $0) }.flatMap { try? JSONDecoder().decode(Disk.self, from: $0) }
        state = State(disk: disk ?? Disk(settings: settings, keptLinks: links))
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }

    // MARK: The disk

    var settings: Settings { withState { $0.disk.settings } }
    /// Links that have come and were not opened yet, the oldest first.
    var keptLinks: [String] { withState { $0.disk.keptLinks } }

    func store(sendsTelemetry: Bool) { withState { state in write(&state) { $0.settings.sendsTelemetry = sendsTelemetry } } }
    func keep(_ link: String) { withState { state in write(&state) { $0.keptLinks.append(link) } } }

    /// What was written is there for the next process, however this one ends.
    private func write(_ state: inout State, _ change: (inout Disk) -> Void) {
        change(&state.disk)
        if let file { try? JSONEncoder().encode(state.disk).write(to: file, options: .atomic) }
    }

    // MARK: The screen

    /// What has appeared, in order.
    var screens: [String] { withState { $0.screens } }
    var openedLinks: [String] { withState { $0.openedLinks } }

    func show(_ screen: String) { withState { $0.screens.append(screen) } }

    /// Opens a link in a new tab, and keeps it no longer.
    func open(_ link: String) {
        withState { state in
            state.openedLinks.append(link)
            write(&state) { disk in
                if let place = disk.keptLinks.firstIndex(of: link) { disk.keptLinks.remove(at: place) }
            }
        }
    }

    // MARK: The network

    var sendsTelemetry: Bool { withState { $0.sendsTelemetry } }
    var isSynced: Bool { withState { $0.isSynced } }

    func startTelemetry() { withState { $0.sendsTelemetry = true } }
    func sync() { withState { $0.isSynced = true } }
}

/// The system and the person, as steps on the same clock.
nonisolated enum World {
    /// - Parameters:
    ///   - windows: those that the system connects, 300 ms apart.
    ///   - accepts: the person's answer to the terms, a second after they are shown; nil for a person who does not answer.
    static func graph(_ app: BrowserApp, connecting windows: [Window], accepts: Bool? = true) -> OperationGraph {
        var graph = OperationGraph("world")
        for (number, window) in windows.enumerated() {
            graph.add("connect-\(window.name)") { step in
                try await step.sleep(for: .milliseconds(100 + 300 * number))
                window.connected.fulfill(window.name)
            }
        }
        guard let accepts else { return graph }
        let card = graph.wait(for: app.termsShown, .onFailure(.skipDependents))
        graph.add("answer", after: card) { step in
            try await step.sleep(for: .seconds(1))
            app.answerTerms(accepts)
        }
        return graph
    }
}
