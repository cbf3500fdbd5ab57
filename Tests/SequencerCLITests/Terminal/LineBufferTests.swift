import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Lines of what is read", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LineBufferTests {
    private func lines(_ pieces: [String], limit: Int = 8) -> [TerminalLine] {
        var buffer = LineBuffer(limit: limit)
        var lines: [TerminalLine] = []
        for piece in pieces {
            buffer.append(piece.utf8)
            while let line = buffer.next() { lines.append(line) }
        }
        while let line = buffer.rest() { lines.append(line) }
        return lines
    }

    @Test("However it comes, lines are the same")
    func pieces() {
        let expected: [TerminalLine] = [.text("one"), .text(""), .text("zwölf"), .text("rest")]
        #expect(lines(["one\n\nzwölf\r\nrest"]) == expected)
        #expect(lines("one\n\nzwölf\r\nrest".map { String($0) }) == expected)
        #expect(lines([]) == [])
        #expect(lines(["\n"]) == [.text("")])
    }

    @Test("A line that is too long is dropped as a whole, and no more")
    func tooLong() {
        #expect(lines(["12345678\n123456789\nx\n"]) == [.text("12345678"), .tooLong, .text("x")])
        #expect(lines(Array(repeating: "12345", count: 1000) + ["\nx"]) == [.tooLong, .text("x")])
        #expect(lines(["123456789", "0"]) == [.tooLong])
    }

    @Test("Bytes that are no text are dropped as a line")
    func notUTF8() {
        var buffer = LineBuffer(limit: 8)
        buffer.append([0xC3, 0x28, 0x0A, 0xC3, 0xA4, 0x0A])
        #expect(buffer.next() == .notUTF8)
        #expect(buffer.next() == .text("ä"))
    }

    @Test("What is thrown away is no part of the next line, and no reason to skip it")
    func removal() {
        var buffer = LineBuffer(limit: 4)
        buffer.append("123456".utf8)
        #expect(buffer.next() == nil)
        buffer.removeAll()
        buffer.append("ab\n".utf8)
        #expect(buffer.next() == .text("ab"))
    }
}

@Suite("Which question gets which line", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TerminalInputStateMachineTests {
    @Test("A line that is there answers the next question")
    func typedAhead() {
        var machine = TerminalInputStateMachine(lineLimit: 100)
        let first = machine.makeQuestion()
        #expect(machine.ask(first) == nil)
        #expect(machine.question == first)
        #expect(machine.received("o".utf8) == nil)
        #expect(machine.received("ne\ntwo\nth".utf8) == .text("one"))
        #expect(machine.question == nil)
        #expect(machine.ask(machine.makeQuestion()) == .text("two"))
        #expect(machine.ask(machine.makeQuestion()) == nil)
        #expect(machine.ended() == .text("th"))
        #expect(machine.ask(machine.makeQuestion()) == nil)
        #expect(machine.ended() == .dismissed)
    }

    @Test("A question that is given up takes with it what was typed, and only itself")
    func abandoned() {
        var machine = TerminalInputStateMachine(lineLimit: 100)
        let first = machine.makeQuestion()
        #expect(machine.abandon(first) == false)
        #expect(machine.ask(first) == nil)
        #expect(machine.received("half".utf8) == nil)
        #expect(machine.abandon(first) == true)
        #expect(machine.abandon(first) == false)
        let second = machine.makeQuestion()
        #expect(machine.ask(second) == nil)
        #expect(machine.abandon(first) == false)
        #expect(machine.received("whole\n".utf8) == .text("whole"))
    }

    @Test("Without a question nothing is taken")
    func nobodyAsks() {
        var machine = TerminalInputStateMachine(lineLimit: 100)
        #expect(machine.received("x\n".utf8) == nil)
        #expect(machine.ended() == nil)
        #expect(machine.ask(machine.makeQuestion()) == nil)
    }
}
