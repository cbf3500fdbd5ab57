import Foundation
import Sequencer
import SequencerAnalysis

/// A mistake or a warning about a scenario.
struct Finding: Equatable, Sendable {
    enum Severity: String, Sendable {
        /// The command fails because of it.
        case error
        case warning
    }

    let severity: Severity
    /// Fit for programs: `mistake`, `unreadable`, or the code of a warning.
    let code: String
    let message: String
    /// Nil where it has no place, and in built-in scenarios.
    var position: SourcePosition?
}

extension Finding {
    init(_ mistake: ScenarioError) {
        let text = mistake.path.isEmpty ? mistake.message : "\(mistake.path): \(mistake.message)"
        self.init(severity: .error, code: "mistake", message: text, position: mistake.position)
    }

    /// An input that cannot be read at all; nil for errors that are not the input's.
    init?(unreadable error: any Error) {
        switch error {
        case let error as ScenarioError: self.init(error)
        case let error as InputError:
            self.init(severity: .error, code: "unreadable", message: "cannot be read: \(error.reason)")
        case let error as ToolError where error.exitCode == .noInput:
            self.init(severity: .error, code: "unreadable", message: error.description)
        default: return nil
        }
    }
}

/// The findings about a scenario, in the formats of other programs.
struct FindingList {
    /// The path of the scenario file, as it was given; nil for a built-in scenario, and for standard input.
    let file: String?
    /// The scenario's name; that of the input, where nothing could be read.
    let scenario: String
    let findings: [Finding]

    /// Lines as compilers write them: `launch.json:3:45: error: ...`. Xcode and editors look for
    /// `path:line:column: severity: message`, and nothing else on the line.
    var compilerLines: String {
        findings.map { finding in
            let place = [file ?? scenario, finding.position?.description].compactMap(\.self).joined(separator: ":")
            return "\(place): \(finding.severity.rawValue): \(finding.message)\n"
        }.joined()
    }

    /// Commands of GitHub Actions, which annotate the file's lines in a pull request.
    var githubCommands: String {
        findings.map { finding in
            var properties = file.map { ["file=\(Self.escapedProperty($0))"] } ?? []
            if let position = finding.position { properties += ["line=\(position.line)", "col=\(position.column)"] }
            properties.append("title=\(Self.escapedProperty("\(scenario): \(finding.code)"))")
            let place = properties.joined(separator: ",")
            return "::\(finding.severity.rawValue) \(place)::\(Self.escapedData(finding.message))\n"
        }.joined()
    }

    /// A value of a workflow command goes to the end of its line; a percent sign begins an escape
    /// (https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts).
    static func escapedData(_ text: String) -> String {
        // A carriage return and a line feed are one character.
        [("%", "%25"), ("\r\n", "%0D%0A"), ("\r", "%0D"), ("\n", "%0A")].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// In a property, colons and commas mean something, too.
    static func escapedProperty(_ text: String) -> String {
        // After the data's escapes, whose `%` these two would otherwise double.
        escapedData(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    /// A test case for the scenario, which fails when there is an error, as Jenkins and GitLab read them. Some readers
    /// demand a time.
    var junit: String {
        func lines(_ severity: Finding.Severity) -> String {
            findings.filter { $0.severity == severity }.map { finding in
                Markup.text((finding.position.map { "\($0): " } ?? "") + finding.message)
            }.joined(separator: "\n")
        }
        let (failures, warnings) = (lines(.error), lines(.warning))
        let first = findings.first { $0.severity == .error }
        let failure = first.map { "type=\"\(Markup.text($0.code))\" message=\"\(Markup.text($0.message))\"" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="sequencer-cli verify" tests="1" failures="\(first == nil ? 0 : 1)" errors="0" skipped="0" time="0">
                <testcase classname="\(Markup.text(file ?? "built-in"))" name="\(Markup.text(scenario))" time="0">

            """ + (failure.map { "      <failure \($0)>\(failures)</failure>\n" } ?? "")
                + (warnings.isEmpty ? "" : "      <system-out>\(warnings)</system-out>\n")
                + "    </testcase>\n  </testsuite>\n</testsuites>\n"
    }

    /// The format of code scanning: SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    var sarif: String {
        // The rules of a SARIF tool are unique. GitHub's code scanning asks for all three texts.
        let rules = Set(findings.map(\.code)).sorted().map { code -> JSONTree in
            // `impliedDependency` as `implied dependency`.
            let text: JSONTree = ["text": .text(code.replacing(/[A-Z]/) { " " + $0.output.lowercased() })]
            return ["id": .text(code), "shortDescription": text, "fullDescription": text, "help": text]
        }
        let (name, version) = (CommandLineTool.name, CommandLineTool.version)
        let driver: JSONTree = ["name": .text(name), "version": .text(version), "rules": .array(rules)]
        let run: JSONTree = [
            "tool": ["driver": driver], "results": .array(findings.map(result)),
            // As ``SourcePosition`` counts; a run with results has to say it (SARIF 2.1.0, section 3.14.27).
            "columnKind": "unicodeCodePoints",
        ]
        let schema: JSONTree = "https://json.schemastore.org/sarif-2.1.0.json"
        let log: JSONTree = ["$schema": schema, "version": "2.1.0", "runs": [run]]
        return log.document(pretty: true) + "\n"
    }

    private func result(_ finding: Finding) -> JSONTree {
        // A viewer opens the place in the file; a built-in scenario has neither.
        let place = file.map { file -> JSONTree in
            let region = finding.position.map { position -> JSONTree in
                ["startLine": .number(position.line), "startColumn": .number(position.column)]
            }
            return ["artifactLocation": ["uri": .text(Self.address(of: file))], "region": region]
        }
        return [
            "ruleId": .text(finding.code), "level": .text(finding.severity.rawValue),
            "message": ["text": .text(finding.message)], "locations": place.map { [["physicalLocation": $0]] },
        ]
    }

    /// A path as a reference of RFC 3986: relative, or of the scheme `file`.
    static func address(of path: String) -> String {
        // Without the colon: in the first segment of a relative reference it would end a scheme (RFC 3986, section
        // 4.2).
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return path.hasPrefix("/") ? "file://" + escaped : escaped
    }
}
