import Foundation
import Sequencer
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Something that is stored and that a launch does not find as it left it.
struct StorageCase: Sendable, Hashable, CustomTestStringConvertible {
    enum Damage: String, Sendable {
        case noFolder = "a file in the folder's place"
        case corrupt = "one bit flipped"
        case noFile = "a folder in the file's place"
        case locked = "its lock is held"
    }

    /// A path in the state folder; empty for the folder itself.
    let place: String
    let damage: Damage
    /// How the launch has to be taken: what is lost decides which it is.
    let scenario: String

    var name: String { place.isEmpty ? "the state folder" : place }
    var testDescription: String { "\(name), \(damage.rawValue)" }

    static let all: [StorageCase] = [
        StorageCase(place: "", damage: .noFolder, scenario: "first-launch"),
        StorageCase(place: "settings", damage: .noFolder, scenario: "regular"),
        StorageCase(place: "state", damage: .noFolder, scenario: "regular"),
        StorageCase(place: "cache", damage: .noFolder, scenario: "regular"),
        StorageCase(place: "secure", damage: .noFolder, scenario: "guest"),
        StorageCase(place: "settings/settings", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/completed-launch", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/app-starts", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/chosen-region", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/tutorial-version-seen", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/last-speaker", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/update-policy", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "state/configuration", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "secure/account", damage: .corrupt, scenario: "regular"),
        StorageCase(place: "secure/session", damage: .corrupt, scenario: "guest"),
        StorageCase(place: "settings/settings", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/completed-launch", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/app-starts", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/chosen-region", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/tutorial-version-seen", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/last-speaker", damage: .noFile, scenario: "regular"),
        StorageCase(place: "state/configuration", damage: .noFile, scenario: "regular"),
        StorageCase(place: "secure/session", damage: .noFile, scenario: "regular"),
        // Nothing is changed in the settings of a regular launch, or among its secrets.
        StorageCase(place: "state", damage: .locked, scenario: "regular"),
        StorageCase(place: "cache", damage: .locked, scenario: "regular"),
    ]

    /// Launches once with everything in order, does the damage, and launches again.
    func observe() async throws -> (observation: DegradationCase.Observation, result: SampleDevice.Result, problems: [String]) {
        let device = try SampleDevice()
        _ = try await device.launch()
        let lock = try doDamage(in: device.location)
        let result = try await device.launch()
        withExtendedLifetime(lock) {}
        // Whether threads that come later wait for the lock, or for the thread before them, is chance.
        let problems = device.lastingProblems.map { device.generalised("\($0)") }
        return (DegradationCase.Observation(result, on: device), result, problems)
    }

    /// - Returns: a lock, to be kept for as long as it is to be held.
    private func doDamage(in folder: URL) throws -> HeldLock? {
        let url = place.isEmpty ? folder : folder.appending(path: place)
        switch damage {
        case .noFolder:
            try FileManager.default.removeItem(at: url)
            try Data("in the way".utf8).write(to: url)
        case .noFile:
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case .corrupt:
            let file = try FileHandle(forUpdating: url)
            defer { try? file.close() }
            let last = try file.seekToEnd() - 1
            try file.seek(toOffset: last)
            let byte = try file.read(upToCount: 1)?.first ?? 0
            try file.seek(toOffset: last)
            try file.write(contentsOf: Data([byte ^ 1]))
        case .locked:
            // Locks of one process keep each other out like those of two.
            return try LockFile(directory: PosixDirectory(path: url.path), name: ".lock").lock()
        }
        return nil
    }
}
