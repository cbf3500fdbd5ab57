//  Both launches, the first one and that of a reconfiguration, are this graph:
//
//  set-up ── ready ── first-sync
//
//  `set-up` initialises the library, or reconfigures it; `ready` ends when the earlier session has been restored; `first-sync` is the first
//  call that needs it.

import Foundation
import Sequencer
import StartupOps

/// An app that uses a library for step counting, seen from the library's side.
@main struct SDK {
    static func main() async throws {
        // Two services, and a keychain that cannot be read before the device is unlocked. A session of last week is in there.
        let (europe, america) = (Service(), Service())
        let keychain = Keychain()
        try await europe.logIn(keepingTokenIn: keychain)
        keychain.lock()
        let sdk = StepsSDK(StepsServices(keychain: keychain, http: europe.http))

        print("A call before the set-up is refused:")
        print("  \(await answer { try await sdk.entitlements() })")

        print("\nA configuration that is not complete is refused:")
        let incomplete = SDKConfiguration.Builder().baseUrl("https://steps.example.com").clientId("app")
        print("  \(await answer { try sdk.initialize(incomplete) })")

        print("\nA set-up that fails is reported, and nothing of it is left half done:")
        await run("first-launch", sdk) { try sdk.initialize(europe.configuration()) }

        print("\nIt can be tried again, now that the device is unlocked. A call that needs the session waits until it is restored:")
        keychain.unlock()
        await run("first-launch-again", sdk) { try sdk.initialize(europe.configuration()) }

        print("\nInitialising again changes nothing; with another configuration it is refused:")
        print("  \(await answer { try sdk.initialize(europe.configuration()) })")
        print("  \(await answer { try sdk.initialize(america.configuration()) })")

        print("\nA reconfiguration is a second launch. It ends the session, and a call that is under way with it:")
        let (requests, sent) = AsyncStream.makeStream(of: Void.self)
        async let late = answer {
            defer { sent.finish() }
            return try await sdk.entitlements { sent.finish() }
        }
        for await _ in requests {}
        await run("reconfiguration", sdk) { try sdk.reconfigure(america.configuration()) }
        await print("  \(late)")

        print("\nWhat each set-up did, in its fixed order:")
        for steps in sdk.trace { print("  \(steps.joined(separator: ", "))") }
    }

    /// Runs a launch, and prints what became of it.
    private static func run(_ name: String, _ sdk: StepsSDK, setUp: @escaping @Sendable () throws -> Void) async {
        do {
            let limit = Duration.seconds(3)
            let report = try await sdk.launch(name, setUp: setUp).run(budget: Budget(limit)).report
            for operation in report.operations {
                let about = operation.message.map { ": \($0)" } ?? operation.notes.map { ": \($0)" }.joined()
                print("  \(operation.id) \(operation.outcome)\(about)")
            }
            let budget = report.budget
            print("  \(name) \(report.outcome.name) in \(budget.measured) of \(limit); ready: \(sdk.isReady)")
        } catch {
            print("  \(error)")
        }
    }

    /// Calls the library.
    ///
    /// - Returns: what it answers, or why it does not.
    private static func answer<Answer: Sendable>(_ body: @Sendable () async throws -> Answer) async -> String {
        do {
            let answer = try await body()
            return answer is Void ? "done" : "\(answer)"
        } catch {
            return "\(error)"
        }
    }
}
