import TestSupport
import Testing

@testable import StartupOps

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SettingsStateMachineTests {
    @Test("O23: Only another operation than the last is a conflict, and each change of hands is one")
    func conflicts() {
        var machine = SettingsStateMachine()
        #expect(machine.write("1", "a", by: nil).isEmpty)
        #expect(machine.write("2", "a", by: "x").isEmpty)
        #expect(machine.write("3", "a", by: nil).isEmpty)
        #expect(machine.write("4", "b", by: "y").isEmpty)
        #expect(machine.write("5", "a", by: "y").map(\.code) == [.conflictingWrites])
        #expect(machine.write("6", "a", by: "x").map(\.code) == [.conflictingWrites])
        #expect(machine.values == ["a": "6", "b": "4"])
    }

    @Test("B12, fault O23: A late write by another operation is both")
    func both() {
        var machine = SettingsStateMachine(values: ["a": "0"])
        #expect(machine.write("1", "a", by: "x").isEmpty)
        #expect(machine.freeze(overriding: ["c": "true"]) == ["a": "1", "c": "true"])
        #expect(machine.write("2", "a", by: "y").map(\.code) == [.conflictingWrites, .writtenAfterConfiguration])
        #expect(machine.write("3", "b", by: nil).map(\.code) == [.writtenAfterConfiguration])
        #expect(machine.freeze(overriding: ["c": "false"]) == ["a": "1", "c": "true"])
        #expect(machine.values == ["a": "2", "b": "3"])
    }

    @Test("What is generated never replaces what is there, unless that is invalid")
    func generated() {
        var machine = SettingsStateMachine(values: ["a": "old", "b": "bad"])
        #expect(machine.provide("new", "a", insteadOf: nil) == "old")
        #expect(machine.provide("new", "b", insteadOf: "bad") == "new")
        #expect(machine.provide("newer", "b", insteadOf: "bad") == "new")
        #expect(machine.provide("new", "c", insteadOf: nil) == "new")
    }
}
