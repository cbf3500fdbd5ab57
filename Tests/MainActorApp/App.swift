//  An app whose module is isolated to the main actor, as those of Xcode's new projects are:
//
//  fetch-session ──┬── main-app
//  read-disk ──────┘

import Foundation
import Sequencer
import StartupOps
import StartupStorage

/// On the main actor, as all is that does not say otherwise: screens and what they show.
final class Accounts {
    private(set) var greeted: [String] = []

    func greet(_ session: Session) { greeted.append(session.name) }
}

/// A service has a protocol that is Sendable, so its type is not on the main actor unless it says so. Here it may: the protocol's methods are asynchronous.
@MainActor final class Versions: UpdatePolicyService {
    private(set) var asked = 0

    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        asked += 1
        return UpdatePolicy()
    }
}

/// A value that is made or decoded off the main thread.
nonisolated struct Session: Codable, Sendable {
    let name: String
}

/// Work off the main thread: it runs where its step does.
nonisolated func decodeSession() async throws -> Session {
    if isOnMainThread() { throw WrongThread() }
    return try JSONDecoder().decode(Session.self, from: Data(#"{"name":"Ann"}"#.utf8))
}

nonisolated func isOnMainThread() -> Bool { Thread.isMainThread }

nonisolated struct WrongThread: Error {}

/// An operation belongs to its queue.
nonisolated final class ReadDisk: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: it has nothing of its own.
    override func main() {
        if isOnMainThread() { return finish(throwing: WrongThread()) }
        DispatchQueue.global().async { self.finish() }
    }
}

@main struct App {
    static func main() async throws {
        let (accounts, versions) = (Accounts(), Versions())
        var graph = OperationGraph("main-actor")
        graph.add("force-update") { _ = try await versions.updatePolicy(for: SemanticVersion(1), by: .after(.seconds(1))) }
        let session = graph.add("fetch-session") { try await decodeSession() }
        graph.add(ReadDisk(), id: "read-disk")
        graph.add("main-app", .milestone, using: session, after: "read-disk", on: .main) { session in accounts.greet(session) }
        let report = try await graph.run(budget: .seconds(30)).report
        print(report.outcome, accounts.greeted, versions.asked)
        if report.outcome != .completed || accounts.greeted != ["Ann"] || versions.asked != 1 { exit(1) }
    }
}
