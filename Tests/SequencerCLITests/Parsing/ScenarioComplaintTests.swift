import TestSupport
import Testing

@testable import sequencer_cli

private let positive = "expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', more than 0 and at most 24h"
private let zero = "expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', 0 or more and at most 24h"
private let methods = "expected 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE' or 'OPTIONS'"

private func inFile(_ members: String) -> String {
    #"{"schema": "sequencer.scenario/1",\#n\#(members)}"#
}

/// What each mistake in a scenario file is answered with, word for word.
@Suite("Mistakes in scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioComplaintTests {
    @Test(
        "fault J8: At the top of the file",
        arguments: [
            ("", "f.json:1:1: the text is empty; expected a JSON value"),
            ("hello", "f.json:1:1: unknown word 'hello'; expected a value (text goes in double quotes)"),
            (#"{ "schema": "sequencer.scenario/1","#, "f.json:1:36: unexpected end of the text; expected a key in double quotes"),
            ("[]", "f.json:1:1: expected an object, found an array"),
            ("{}", "f.json:1:1: missing key 'schema'; this version reads 'sequencer.scenario/1' or 'sequencer.graph/1'"),
            (#"{"schema": 1}"#, "f.json:1:12: schema: expected a string, found a number"),
            (
                #"{"schema": "sequencer.scenario/2", "new": 1}"#,
                "f.json:1:12: schema: the schema 'sequencer.scenario/2' is newer than this version; this version reads 'sequencer.scenario/1' or 'sequencer.graph/1'"
            ),
            (
                #"{"schema": "sequencer.report/1"}"#,
                "f.json:1:12: schema: unknown schema 'sequencer.report/1'; this version reads 'sequencer.scenario/1' or 'sequencer.graph/1'"
            ),
            (
                #"{"schema": "sequencer.scenario/0"}"#,
                "f.json:1:12: schema: unknown schema 'sequencer.scenario/0'; this version reads 'sequencer.scenario/1' or 'sequencer.graph/1'"
            ),
            (inFile(#""operations": []"#), "f.json:1:1: missing key 'name'"),
            (inFile(#""name": "n""#), "f.json:1:1: missing key 'operations'"),
            (inFile(#""name": "", "operations": []"#), "f.json:2:9: name: the name '' is empty"),
            (inFile(#""operations": [1]"#), "f.json:2:16: operations[0]: expected an object, found a number"),
            (inFile(#""opertions": []"#), "f.json:2:1: opertions: unknown key 'opertions'; did you mean 'operations'?"),
            (
                inFile(#""x y": []"#),
                "f.json:2:1: ['x y']: unknown key 'x y'; expected 'schema', 'name', 'budget', 'milestone', 'initialDisplay', 'initialDisplayBudget', 'lanes', 'deadline', 'resources', 'facts' or 'operations'"
            ),
            (inFile(#""name": "n", "name": "n""#), "f.json:2:14: the key 'name' is given twice in one object"),
            (inFile(#""facts": {"a=b": ["x"]}"#), "f.json:2:11: facts['a=b']: the name of a fact holds '='"),
            (inFile(#""facts": {"": ["x"]}"#), "f.json:2:11: facts['']: the name of a fact is empty"),
            (inFile(#""facts": {"a": []}"#), "f.json:2:16: facts.a: the list is empty; expected one or more"),
            (inFile(#""facts": {"a": "x"}"#), "f.json:2:16: facts.a: expected an array, found a string"),
            (inFile(#""facts": {"a": ["x", "x"]}"#), "f.json:2:16: facts.a: the value 'x' is given twice"),
            (
                inFile(
                    #""name": "n", "facts": {"account": ["known"]}, "#
                        + #""operations": [{"id": "a", "when": {"acount": "known"}}]"#
                ),
                "f.json:2:93: operations[0].when.acount: unknown fact 'acount'; did you mean 'account'?"
            ),
            (
                inFile(
                    #""name": "n", "facts": {"account": ["known"]}, "#
                        + #""operations": [{"id": "a", "when": {"account": ["known", "knwon"]}}]"#
                ),
                "f.json:2:94: operations[0].when.account: unknown value of 'account' 'knwon'; expected 'known'; did you mean 'known'?"
            ),
            (
                inFile(#""timeout": "1s""#),
                "f.json:2:1: timeout: unknown key 'timeout'; expected 'schema', 'name', 'budget', 'milestone', 'initialDisplay', "
                    + "'initialDisplayBudget', 'lanes', 'deadline', 'resources', 'facts' or 'operations'"
            ),
            (inFile(#""lanes": 0"#), "f.json:2:10: lanes: expected a whole number from 1 to 1024, found 0"),
            (inFile(#""lanes": 1.5"#), "f.json:2:10: lanes: expected a whole number from 1 to 1024, found 1.5"),
            (
                inFile(#""lanes": 99999999999999999999999999"#),
                "f.json:2:10: lanes: expected a whole number from 1 to 1024, found 999999999999999999999999…"
            ),
            (inFile(#""budget": 3"#), #"f.json:2:11: budget: expected a duration in quotes such as "400ms", found a number"#),
            (inFile(#""budget": "-1s""#), "f.json:2:11: budget: '-1s' is negative; \(positive)"),
            (inFile(#""deadline": "1e300s""#), "f.json:2:13: deadline: '1e300s' is not a duration; \(positive)"),
            (
                inFile(#""name": "n", "milestone": "mian", "operations": [{"id": "main"}]"#),
                "f.json:2:27: milestone: the milestone 'mian' is not an operation; did you mean 'main'?"
            ),
            (
                inFile(#""name": "n", "milestone": "main", "initialDisplay": "mian", "operations": [{"id": "main"}]"#),
                "f.json:2:53: initialDisplay: the initial display 'mian' is not an operation; did you mean 'main'?"
            ),
            (
                inFile(#""name": "n", "initialDisplayBudget": "1s", "operations": [{"id": "main"}]"#),
                "f.json:2:38: initialDisplayBudget: there is no 'initialDisplay' that could have a budget"
            ),
        ] as [(String, String)]
    )
    func atTheTop(_ text: String, _ message: String) {
        expect(text, message)
    }

    @Test(
        "fault J5, J6, J7: In an operation",
        arguments: [
            ("{}", "1: operations[0]: missing key 'id'"),
            (#"{"id": ""}"#, "8: operations[0].id: the id '' is empty"),
            (#"{"id": " \u00a0"}"#, "8: operations[0].id: the id ' \u{A0}' begins or ends with white space"),
            (#"{"id": " a"}"#, "8: operations[0].id: the id ' a' begins or ends with white space"),
            (#"{"id": "a\u001b[2J"}"#, "8: operations[0].id: the id 'a\\u{1B}[2J' holds a character that cannot be printed, \\u{1B}"),
            (#"{"id": "a\nb"}"#, "8: operations[0].id: the id 'a\\nb' holds a character that cannot be printed, \\n"),
            (
                "{\"id\": \"\(String(repeating: "x", count: 10_000))\"}",
                "8: operations[0].id: the id '\(String(repeating: "x", count: 32))…' has 10000 bytes; the most is 256"
            ),
            (
                #"{"id": "a", "cuttable": true}"#,
                "25: operations[0].cuttable: only an operation with a fallback can be cuttable: its value takes the place of the one that is cut"
            ),
            (#"{"id": "a", "timeoutMS": 3}"#, "13: operations[0].timeoutMS: unknown key 'timeoutMS'; did you mean 'timeout'?"),
            (#"{"id": "a", "timeout": "0s"}"#, "24: operations[0].timeout: '0s' is not more than 0; \(positive)"),
            (#"{"id": "a", "timeout": "25h"}"#, "24: operations[0].timeout: '25h' is too long; \(positive)"),
            (#"{"id": "a", "timeout": "3"}"#, "24: operations[0].timeout: '3' has no unit; \(positive)"),
            (#"{"id": "a", "expected": "-1ms"}"#, "25: operations[0].expected: '-1ms' is negative; \(zero)"),
            (#"{"id": "a", "after": [1]}"#, "23: operations[0].after[0]: expected a string, found a number"),
            (#"{"id": "a", "after": [""]}"#, "23: operations[0].after[0]: the id '' is empty"),
            (
                #"{"id": "a", "on": "mian"}"#,
                "19: operations[0].on: unknown thread 'mian'; expected 'main' or 'background'; did you mean 'main'?"
            ),
            (
                #"{"id": "a", "onFailure": "abort"}"#,
                "26: operations[0].onFailure: unknown failure policy 'abort'; expected 'required', 'skipDependents' or 'continue'"
            ),
            (
                #"{"id": "a", "qos": "Background"}"#,
                """
                20: operations[0].qos: unknown quality of service 'Background'; expected 'userInteractive', 'userInitiated', 'utility', \
                'background' or 'default'; did you mean 'background'?
                """
            ),
            (
                #"{"id": "a", "onFailure": "continue", "fallback": "b"}"#,
                "26: operations[0].onFailure: 'onFailure' and 'fallback' exclude each other; a fallback already says what a failure means"
            ),
            (#"{"id": "a", "when": null}"#, "21: operations[0].when: expected true, false or an object of facts, found null"),
            (
                #"{"id": "a", "simulate": "1s"}"#,
                "13: operations[0].simulate: unknown key 'simulate'; expected 'id', 'after', 'on', 'interactive', 'deferrable', "
                    + "'cuttable', 'always', 'cancellationShield', 'firstOf', 'heldOver', 'title', 'timeout', 'delay', 'onFailure', "
                    + "'fallback', 'retry', 'exclusive', 'qos', 'expected', 'when' or 'work'"
            ),
            (
                #"{"id": "a", "after": [{"id": "b", "opt": true}]}"#,
                "35: operations[0].after[0].opt: unknown key 'opt'; expected 'id', 'onFailure' or 'optional'"
            ),
            (#"{"id": "a", "after": [{"optional": true}]}"#, "23: operations[0].after[0]: missing key 'id'"),
            (
                #"{"id": "a", "after": [{"id": "b", "onFailure": "abort"}]}"#,
                "48: operations[0].after[0].onFailure: unknown failure policy of a dependency 'abort'; expected 'skip' or 'continue'"
            ),
            (
                #"{"id": "a", "when": {}}"#,
                "21: operations[0].when: the condition is empty; expected facts and their values"
            ),
            (
                #"{"id": "a", "when": {"account": "known"}}"#,
                "33: operations[0].when.account: unknown fact 'account'; the file has no 'facts'"
            ),
            (
                #"{"id": "a", "when": {"account": []}}"#,
                "33: operations[0].when.account: the list is empty; expected one or more"
            ),
            (
                #"{"id": "a", "when": {"account": 1}}"#,
                "33: operations[0].when.account: expected an array, found a number"
            ),
            (#"{"id": "a", "exclusive": ["ui", "ui"]}"#, "26: operations[0].exclusive: the resource 'ui' is given twice"),
            (#"{"id": "a", "retry": {}}"#, "22: operations[0].retry: missing key 'attempts'"),
            (
                #"{"id": "a", "retry": {"attempts": 0}}"#,
                "35: operations[0].retry.attempts: expected a whole number from 1 to 100, found 0"
            ),
            (
                #"{"id": "a", "retry": {"multiplier": 0.5}}"#,
                "37: operations[0].retry.multiplier: expected a number from 1 to 100, found 0.5"
            ),
            (
                #"{"id": "a", "retry": {"jitter": 1e999}}"#,
                "33: operations[0].retry.jitter: expected a number from 0 to 1, found 1e999"
            ),
            (
                #"{"id": "a", "retry": {"attempts": 2, "backoff": "2s", "maxBackoff": "1s"}}"#,
                "22: operations[0].retry: 'maxBackoff' 1s is less than 'backoff' 2s"
            ),
            (
                #"{"id": "a", "retry": {"unless": [0]}}"#,
                "34: operations[0].retry.unless[0]: expected a whole number from 1 to 599, found 0"
            ),
        ] as [(String, String)]
    )
    func inAnOperation(_ text: String, _ message: String) {
        expect(wrap(text), "f.json:2:" + message)
    }

    @Test(
        "fault J7, J13: In the work of an operation",
        arguments: [
            ("{}", "21: operations[0].work: expected one kind of work, 'simulate', 'compute', 'command' or 'http', found nothing"),
            (
                #"{"url": "https://b.example"}"#,
                "22: operations[0].work.url: unknown kind of work 'url'; expected 'simulate', 'compute', 'command' or 'http'"
            ),
            (
                #"{"sleep": "1s"}"#,
                "22: operations[0].work.sleep: unknown kind of work 'sleep'; expected 'simulate', 'compute', 'command' or 'http'"
            ),
            (
                #"{"simulate": "1s", "compute": "1s"}"#,
                "21: operations[0].work: expected one kind of work, 'simulate', 'compute', 'command' or 'http', found 'simulate' and 'compute'"
            ),
            (#"{"simulate": "nan"}"#, "34: operations[0].work.simulate: 'nan' is not a duration; \(zero)"),
            (#"{"command": []}"#, "33: operations[0].work.command: the command is empty; expected a program and its arguments"),
            (#"{"command": [" "]}"#, "33: operations[0].work.command: the command's program is blank"),
            (
                #"{"command": ["a", "\u0000"]}"#,
                "39: operations[0].work.command[1]: a word of a command cannot hold the character U+0000"
            ),
            (#"{"http": "https://a:secret@b"}"#, "30: operations[0].work.http: expected an object, found a string"),
            (#"{"http": {}}"#, "30: operations[0].work.http: missing key 'url'"),
            (
                #"{"http": {"url": "https://a:secret@b.example"}}"#,
                "38: operations[0].work.http.url: the address holds a user name; put credentials in a header"
            ),
            (
                #"{"http": {"method": "get"}}"#,
                "41: operations[0].work.http.method: unknown method 'get'; \(methods); did you mean 'GET'?"
            ),
            (#"{"http": {"method": "BREW"}}"#, "41: operations[0].work.http.method: unknown method 'BREW'; \(methods)"),
            (#"{"http": {"headers": {"a b": ""}}}"#, "43: operations[0].work.http.headers['a b']: 'a b' is not the name of a header"),
            (
                #"{"http": {"headers": {"A": "", "a": ""}}}"#,
                "52: operations[0].work.http.headers.a: the header 'a' is given twice"
            ),
            (
                #"{"http": {"headers": {"A": "secret\r\nB: c"}}}"#,
                "48: operations[0].work.http.headers.A: the header's value holds a control character"
            ),
        ] as [(String, String)]
    )
    func inTheWork(_ text: String, _ message: String) {
        expect(wrap(#"{"id": "a", "work": \#(text)}"#), "f.json:2:" + message)
    }

    @Test(
        "fault G6, J11: Between operations",
        arguments: [
            (
                #"{"id": "a"},\#n{"id": "b"},\#n{"id": "a"}"#,
                "f.json:4:8: operations[2].id: duplicate id 'a'; operations[0] has it already, at 2:8"
            ),
            (
                #"{"id": "fetch-config"},\#n{"id": "login", "after": ["fetch-confg"]}"#,
                "f.json:3:27: operations[1].after[0]: unknown dependency 'fetch-confg' of 'login'; did you mean 'fetch-config'?"
            ),
            (#"{"id": "a", "after": ["zzzz"]}"#, "f.json:2:23: operations[0].after[0]: unknown dependency 'zzzz' of 'a'"),
            (#"{"id": "a", "after": ["a"]}"#, "f.json:2:23: operations[0].after[0]: 'a' depends on itself"),
            (
                #"{"id": "a"}, {"id": "b", "after": [{"id": "a", "onFailure": "skip"}]}"#,
                "f.json:2:36: operations[1].after[0]: 'a' is required, so its failure ends the launch; give it another 'onFailure'"
            ),
            (
                #"{"id": "a", "fallback": ""}, {"id": "b", "after": [{"id": "a", "onFailure": "skip"}]}"#,
                "f.json:2:52: operations[1].after[0]: 'a' has a fallback, so it does not fail for operations that wait for it"
            ),
            (
                #"{"id": "a", "onFailure": "continue", "deferrable": true}, {"id": "b", "after": [{"id": "a", "onFailure": "skip"}]}"#,
                "f.json:2:81: operations[1].after[0]: 'a' is deferrable, so operations that wait for it may go on before it has run"
            ),
            (
                #"{"id": "a"}, {"id": "b", "after": ["a", "a"]}"#,
                "f.json:2:41: operations[1].after[1]: the dependency 'a' is given twice"
            ),
        ] as [(String, String)]
    )
    func betweenOperations(_ operations: String, _ message: String) {
        expect(wrap(operations), message)
    }

    @Test("A hostile file name cannot move the cursor")
    func hostileFileName() {
        let error = #expect(throws: ScenarioError.self) { try parseScenario([], file: "a\u{1B}[2J\n.json") }
        #expect(error?.description.hasPrefix("a\\u{1B}[2J\\n.json:1:1: ") == true)
    }

    private func wrap(_ operations: String) -> String {
        #"{"schema": "sequencer.scenario/1", "name": "n", "operations": [\#n\#(operations)]}"#
    }

    private func expect(_ text: String, _ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: ScenarioError.self, sourceLocation: sourceLocation) {
            try parseScenario(Array(text.utf8), file: "f.json")
        }
        #expect(error?.description == message, sourceLocation: sourceLocation)
    }
}
