//  The launch of Examples/QuickStart without Sequencer: `Scripts/measure-cost` builds both. It keeps no times and has no
//  report, and a step that does not listen to its cancel holds it up.

import Foundation

struct UpdateRequired: Error {}

/// What the work returns, or the fallback where it fails or takes longer than the limit.
func value<Value: Sendable>(
    within limit: Duration,
    fallback: Value,
    _ work: @escaping @Sendable () async throws -> Value
) async -> Value {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { try? await work() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return await group.next().flatMap { $0 } ?? fallback
    }
}

@MainActor func showMain(_ session: String) { print("Hello:", session) }

@main struct ByHand {
    static func main() async throws {
        let version = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 1.0
        do {
            try await withThrowingTaskGroup(of: String?.self) { launch in
                launch.addTask { try await splash() }
                launch.addTask { try await checkVersion(version) }
                launch.addTask {
                    let config = await value(within: .seconds(1), fallback: "bundled") { try await fetchConfig() }
                    return try await login(config)
                }
                launch.addTask {
                    try await Task.sleep(for: .seconds(3))
                    throw CancellationError()
                }
                var session: String?
                for _ in 0..<3 { session = try await launch.next().flatMap { $0 } ?? session }
                launch.cancelAll()
                if let session { showMain(session) }
            }
        } catch is UpdateRequired {
            print("Takeover: version \(version) is too old, please update.")
        }
    }

    static func splash() async throws -> String? {
        try await Task.sleep(for: .milliseconds(400))
        return nil
    }

    static func checkVersion(_ version: Double) async throws -> String? {
        // No answer is no reason not to start.
        await value(within: .seconds(1), fallback: ()) { try await Task.sleep(for: .milliseconds(300)) }  // ask the server
        if version < 1.0 { throw UpdateRequired() }
        return nil
    }

    static func fetchConfig() async throws -> String {
        try await Task.sleep(for: .seconds(8))  // a server that is too slow
        return "remote"
    }

    static func login(_ config: String) async throws -> String {
        for _ in 1..<3 { if let session = try? await newSession(config) { return session } }
        return try await newSession(config)
    }

    static func newSession(_ config: String) async throws -> String { "a session with the \(config) configuration" }
}
