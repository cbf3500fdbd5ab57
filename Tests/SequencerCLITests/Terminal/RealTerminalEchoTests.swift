import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("A terminal that shows nothing is never left that way", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTerminalEchoTests {
    @Test("not by the end of the process")
    func endOfProcess() async throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        await #expect(processExitsWith: .exitCode(7)) { [path = terminal.path as String] in
            let descriptor = open(path, O_RDWR | O_NOCTTY)
            #expect(TerminalModes.hideTyping(on: descriptor))
            Foundation.exit(echoes(descriptor) ? 1 : 7)
        }
        #expect(terminal.echoes && areEqual(terminal.modes, modes))
    }

    @Test("not by the second Ctrl-C, which ends it at once")
    func interruption() async throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        await #expect(processExitsWith: .exitCode(130)) { [path = terminal.path as String] in
            let descriptor = open(path, O_RDWR | O_NOCTTY)
            try SignalThread.shared.launchBegan {
                // The first one has come, and the launch ignores it.
                kill(getpid(), SIGINT)
            }
            #expect(TerminalModes.hideTyping(on: descriptor))
            #expect(!echoes(descriptor))
            kill(getpid(), SIGINT)
            try await Task.sleep(for: .seconds(300))
            _ = SignalThread.shared.launchEnded()
        }
        #expect(terminal.echoes && areEqual(terminal.modes, modes))
    }

    @Test("once the process leaves, nothing is hidden any more")
    func leaving() async throws {
        let terminal = try PseudoTerminal()
        await #expect(processExitsWith: .success) { [path = terminal.path as String] in
            let descriptor = open(path, O_RDWR | O_NOCTTY)
            TerminalModes.restoreAll()
            #expect(!TerminalModes.hideTyping(on: descriptor))
        }
        #expect(terminal.echoes)
    }

    @Test("hiding twice restores what was there before both")
    func twice() throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        #expect(TerminalModes.hideTyping(on: terminal.descriptor))
        #expect(TerminalModes.hideTyping(on: terminal.descriptor))
        #expect(!terminal.echoes)
        TerminalModes.showTyping(on: terminal.descriptor)
        #expect(areEqual(terminal.modes, modes))
        TerminalModes.showTyping(on: terminal.descriptor)
        #expect(areEqual(terminal.modes, modes))
    }

    @Test("what is no terminal has nothing to hide")
    func noTerminal() {
        #expect(TerminalModes.hideTyping(on: -1))
        TerminalModes.showTyping(on: -1)
    }
}

private func echoes(_ descriptor: Int32) -> Bool {
    var modes = termios()
    return tcgetattr(descriptor, &modes) != 0 || modes.c_lflag & tcflag_t(ECHO) != 0
}
