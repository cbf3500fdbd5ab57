import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import Browser

@Suite("A browser that dies while it starts", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBrowserCrashTests {
    @Test("does so in the step that the fault is in, whichever that is", arguments: BrowserApp(Phone()).launch().identifiers)
    func crash(step: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [step = step as String] in
            _ = try await Trial.run { graph in try graph.inject(.crash, into: step) }
        }
    }
}
