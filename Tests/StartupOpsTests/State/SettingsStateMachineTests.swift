import TestSupport
import Testing

@testable import StartupOps

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SettingsStateMachineTests {
    private func isFine(_ problems: (conflict: String?, lateness: String?)) -> Bool {
        problems.conflict == nil && problems.lateness == nil
    }

    @Test("O23: Only another operation than the last is a conflict, and each change of hands is one")
    func conflicts() {
        var machine = SettingsStateMachine()
        #expect(isFine(machine.write("1", "a", by: nil)))
        #expect(isFine(machine.write("2", "a", by: "x")))
        #expect(isFine(machine.write("3", "a", by: nil)))
        #expect(isFine(machine.write("4", "b", by: "y")))
        #expect(machine.write("5", "a", by: "y").conflict?.contains("by x, then by y") == true)
        #expect(machine.write("6", "a", by: "x").conflict?.contains("by y, then by x") == true)
        #expect(machine.values == ["a": "6", "b": "4"])
    }

    @Test("B12, fault O23: A late write by another operation is both")
    func both() {
        var machine = SettingsStateMachine(values: ["a": "0"])
        #expect(isFine(machine.write("1", "a", by: "x")))
        #expect(machine.freeze(overriding: ["c": "true"]) == ["a": "1", "c": "true"])
        let (conflict, lateness) = machine.write("2", "a", by: "y")
        #expect(conflict != nil && lateness?.contains("written by y after the launch was configured") == true)
        let second = machine.write("3", "b", by: nil)
        #expect(second.conflict == nil && second.lateness != nil)
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
