import Foundation
import Sequencer

/// What the app remembers before each run: copies of one folder, so that no run finds what another has left.
final class BenchState: Sendable {
    /// The folder that every run begins with.
    let template: String
    /// Whether the template is somebody's: it is only read.
    let isGiven: Bool
    private let folder: URL
    private let progress = Locked((isPrepared: false, copies: 0))

    init(_ given: String?) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-bench-\(UUID().uuidString)")
        let begin = folder.appendingPathComponent("begin")
        // Only the user may see what the app stores.
        try FileManager.default.createDirectory(at: begin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        isGiven = given != nil
        template = given ?? begin.path
    }

    var isPrepared: Bool { progress.withLock { $0.isPrepared } }

    func endPreparation() {
        progress.withLock { $0.isPrepared = true }
    }

    /// A folder like the template; the one before is gone.
    func fresh() throws -> String {
        let number = progress.withLock { progress in
            progress.copies += 1
            return progress.copies
        }
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("\(number - 1)"))
        let copy = folder.appendingPathComponent("\(number)")
        if FileManager.default.fileExists(atPath: template) {
            try FileManager.default.copyItem(at: URL(fileURLWithPath: template), to: copy)
        } else {
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        }
        return copy.path
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
