import Foundation

@testable import StartupStorage

/// A folder of its own for a test, removed with everything in it at the end of its life.
final class TemporaryFolder: Sendable {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("startup-ops-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func callAsFunction(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// The names in a folder, sorted, without the lock file.
func names(in url: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter { $0 != ".lock" }.sorted()
}

/// The mode of a file: `0o600`.
func permissions(of url: URL) throws -> mode_t? { try PosixFile.status(of: url.path)?.permissions }

func text(_ string: String) -> Data { Data(string.utf8) }

var isRoot: Bool { geteuid() == 0 }

/// Makes this process another user's, to whom file modes apply; only for processes that end with the test.
func giveUpRoot() -> Bool {
    if isRoot { return setgid(65534) == 0 && setuid(65534) == 0 }
    return true
}

/// Ends this process as a crash would, with no chance to clean up.
func killThisProcess() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
}
