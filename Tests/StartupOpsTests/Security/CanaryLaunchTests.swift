import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Whole launches full of secrets, none of which may be seen anywhere.
@Suite("Secrets in whole launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CanaryLaunchTests {
    private let directory = StateDirectory.inMemory()
    private let speaker: LoopbackSpeaker
    private let backend: EmbeddedBackend

    init() throws {
        speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        let known = speaker.speaker
        var options = SampleServiceOptions()
        options.speakers = [known]
        backend = EmbeddedBackend(SampleService(options), latency: .none)
    }

    @Test("fault T23, D7: a first launch shows no token, password, pushed text or link parameter", arguments: CanaryTrouble.allCases)
    func firstLaunch(trouble: CanaryTrouble) async throws {
        try await check(trouble)
    }

    @Test("fault T23, D7: nor does a launch with a stored session", arguments: Nightly.cases(CanaryTrouble.allCases, each: 2))
    func laterLaunch(trouble: CanaryTrouble) async throws {
        let login = LoginAnswer.logIn(email: "person@example.com", password: "correct horse")
        var first = try CanaryApp(directory, backend, speaker, login: login)
        #expect(try await first.launch().outcome == .completed)
        // A busy machine may take longer to log in than a launch waits: the person is asked again in the next one.
        for _ in 0..<50 where first.watch.secrets.count != 2 {
            first = try CanaryApp(directory, backend, speaker, login: login)
            #expect(try await first.launch().outcome == .completed)
        }
        #expect(first.watch.secrets.count == 2)
        #expect(first.leaks.isEmpty)

        try await check(trouble, alsoLookingFor: first.watch.secrets)
    }

    private func check(_ trouble: CanaryTrouble, alsoLookingFor secrets: Set<String> = []) async throws {
        // A busy machine may take longer to ask for an update, or to log in, than a launch waits: then once more.
        for round in 1...50 {
            let app = try CanaryApp(trouble.directory(over: directory), backend, speaker, splash: trouble.splash)
            try app.receiveEntryPoints()
            trouble.begin(app)
            let report = try await app.launch(options: trouble.options, isCancelled: trouble == .cancelled)
            // So much can be seen of every launch; that the search finds what is there has tests of its own.
            #expect(app.evidence.count > 20)
            let leaks = app.leaks + app.evidence.leaks(of: secrets)
            #expect(leaks.isEmpty, "\(leaks.prefix(5).joined(separator: "\n"))")
            let hasTokens = trouble != .none || !app.watch.secrets.union(secrets).isEmpty
            if trouble.isEnd(report.outcome), hasTokens { return }
            if round == 50 { Issue.record("\(report.outcome)\(hasTokens ? "" : ", without tokens")") }
        }
    }
}
