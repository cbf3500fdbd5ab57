import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Launches that cannot tell whether they are the first.
@Suite("First or not", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FirstLaunchDoubtTests {
    private let mark = "state/completed-launch"

    private func isUnknown(_ state: LaunchState) -> Bool { if case .unknown = state.firstLaunch { true } else { false } }

    @Test("fault S22: a mark that is damaged anywhere is no first launch", arguments: [Data(), Data(count: 40), text("nonsense")])
    func damagedMark(_ contents: Data) throws {
        let folder = try TemporaryFolder()
        let store = try FileStore(directory: folder("state"))
        #expect(LaunchState(store).firstLaunch == .first)
        try LaunchState(store).recordCompletedLaunch()
        #expect(LaunchState(store).firstLaunch == .later)
        try contents.write(to: folder(mark))
        for _ in 1...2 { #expect(isUnknown(LaunchState(store)) && !LaunchState(store).isFirstLaunch) }
        try LaunchState(store).recordCompletedLaunch()
        #expect(LaunchState(store).firstLaunch == .later)
    }

    @Test("fault S22: a damaged mark that cannot be moved out of the way is no first launch either")
    func immovableMark() throws {
        let folder = try TemporaryFolder()
        let store = try FileStore(directory: folder("state"))
        try LaunchState(store).recordCompletedLaunch()
        try text("nonsense").write(to: folder(mark))
        // Nothing is moved onto a folder that is not empty; all the names that it could have are such folders.
        for number in 1...200 {
            try FileManager.default.createDirectory(at: folder("\(mark).corrupt-\(number)/full"), withIntermediateDirectories: true)
        }
        for _ in 1...2 { #expect(isUnknown(LaunchState(store))) }
    }

    @Test("fault S22, S5: a mark of a newer format is no first launch, and stays as it is")
    func newerMark() throws {
        let folder = try TemporaryFolder()
        let store = try FileStore(directory: folder("state"))
        try text("sequencer.value/2\nx").write(to: folder(mark))
        #expect(isUnknown(LaunchState(store)))
        try LaunchState(store).recordCompletedLaunch()
        #expect(try Data(contentsOf: folder(mark)) == text("sequencer.value/2\nx"))
    }

    @Test("fault S22: a state in memory says nothing of earlier launches where it could not be opened; on purpose, it is a first launch's")
    func inMemory() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder("app"), withIntermediateDirectories: true)
        try text("in the way").write(to: folder("app/state"))
        #expect(isUnknown(StateDirectory.open(at: folder("app")).launchState()))
        #expect(isUnknown(StateDirectory.open(at: folder("app/state")).launchState()))
        #expect(StateDirectory.inMemory().launchState().firstLaunch == .first)
    }

    @Test("fault S22: whatever has become of the state, nobody is logged out by it, and the report says that it could not be told")
    func sessionStays() async throws {
        for (place, damage) in [("state", StorageCase.Damage.noFolder), (mark, .corrupt), (mark, .noFile)] {
            let (_, result, _) = try await StorageCase(place: place, damage: damage, scenario: "").observe()
            #expect(result.content?.account.isAnonymous == false && !result.shown.contains("login"), "\(place), \(damage)")
            let said = result.report.remarks.joined(separator: "; ")
            #expect(said.contains("login: whether this is the first launch cannot be told, so the stored session was kept: "), "\(said)")
        }
    }
}
