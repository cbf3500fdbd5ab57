import Dispatch
import Foundation
import Sequencer

/// What the app remembers before each run: copies of one folder, so that no run finds what another has left.
final class BenchState: Sendable {
    /// The folder that every run begins with.
    let template: String
    /// Whether the template is somebody's: it is only read.
    let isGiven: Bool
    private let folder: URL
    private let progress = Locked((isPrepared: false, isRemoved: false, copies: 0))
    private let removals = DispatchQueue(label: "sequencer-cli.bench-state")

    /// Makes nothing on disk yet: that begins with the first ``fresh()``.
    init(_ given: String?) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-bench-\(UUID().uuidString)")
        let begin = folder.appendingPathComponent("begin")
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
        if number == 1 {
            let begin = folder.appendingPathComponent("begin")
            // Only the user may see what the app stores.
            try FileManager.default.createDirectory(at: begin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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

    /// Does what makes folders here, during which nothing is removed.
    ///
    /// - Throws: what `body` throws; a `CancellationError` once everything is removed.
    func using<Result>(_ body: () throws -> Result) throws -> Result {
        try removals.sync {
            if progress.withLock({ $0.isRemoved }) { throw CancellationError() }
            return try body()
        }
    }

    /// Removes all copies, also from under a launch that still writes to one of them; can be called again, from any thread.
    func remove() {
        // Two at a time would each find gone what the other has removed, and give up.
        removals.sync {
            progress.withLock { $0.isRemoved = true }
            // Where its parents are gone nobody makes a file again, and what nobody adds to can be removed.
            let grave = folder.deletingLastPathComponent().appendingPathComponent(folder.lastPathComponent + "-removed")
            for _ in 0..<10 {
                try? FileManager.default.moveItem(at: folder, to: grave)
                try? FileManager.default.removeItem(at: grave)
                if ![folder, grave].contains(where: { FileManager.default.fileExists(atPath: $0.path) }) { return }
            }
        }
    }
}
