import Foundation
import Sequencer
import SequencerAnalysis

/// The result of `verify`, in the formats of other programs.
struct Verification: Sendable {
    enum Level: String, Sendable {
        /// The command fails because of it.
        case error
        case warning
    }

    struct Problem: Equatable, Sendable {
        let level: Level
        /// Fit for programs: `mistake`, `unreadable`, or the code of a warning.
        let code: String
        let message: String
        /// Nil where it has no place, and in built-in scenarios.
        let position: SourcePosition?
    }

    /// The path of the scenario file, as it was given; nil for a built-in scenario, and for standard input.
    let file: String?
    /// The scenario's name; that of the input, where nothing could be read.
    let scenario: String
    let problems: [Problem]

    // MARK: Compilers

    /// A line for each problem, as compilers write them: `launch.json:3:45: error: ...`. Xcode and editors find the
    /// place by it.
    var compilerLines: String {
        problems.map { problem in
            // Xcode and editors look for `path:line:column: severity: message`, and nothing else on the line.
            let place = [file ?? scenario, problem.position.map(\.description)].compactMap(\.self).joined(separator: ":")
            return "\(place): \(problem.level.rawValue): \(problem.message)\n"
        }.joined()
    }

    // MARK: GitHub

    /// A command of GitHub Actions for each problem, which annotates the file's line in a pull request.
    var githubCommands: String {
        problems.map { problem in
            var properties = file.map { ["file=\(Self.escapedProperty($0))"] } ?? []
            if let position = problem.position { properties += ["line=\(position.line)", "col=\(position.column)"] }
            properties.append("title=\(Self.escapedProperty("\(scenario): \(problem.code)"))")
            return "::\(problem.level.rawValue) \(properties.joined(separator: ","))::\(Self.escapedData(problem.message))\n"
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

    // MARK: JUnit

    /// A test case for the scenario, which fails when there is an error, as Jenkins and GitLab read them. Some readers
    /// demand a time.
    var junit: String {
        let errors = problems.filter { $0.level == .error }
        func lines(_ problems: [Problem]) -> String {
            problems.map { Markup.text(($0.position.map { "\($0): " } ?? "") + $0.message) }.joined(separator: "\n")
        }
        let failure = errors.first.map { first in
            "      <failure type=\"\(Markup.text(first.code))\" message=\"\(Markup.text(first.message))\">\(lines(errors))</failure>\n"
        }
        let warnings = problems.filter { $0.level == .warning }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="sequencer-cli verify" tests="1" failures="\(errors.isEmpty ? 0 : 1)" errors="0" skipped="0" time="0">
                <testcase classname="\(Markup.text(file ?? "built-in"))" name="\(Markup.text(scenario))" time="0">

            """ + (failure ?? "") + (warnings.isEmpty ? "" : "      <system-out>\(lines(warnings))</system-out>\n")
                + "    </testcase>\n  </testsuite>\n</testsuites>\n"
    }

    // MARK: SARIF

    /// The format of code scanning: SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    func sarif() throws -> String {
        // The rules of a SARIF tool are unique. GitHub's code scanning asks for all three texts.
        let rules = Set(problems.map(\.code)).sorted().map { code -> [String: Any] in
            // `impliedDependency` as `implied dependency`.
            let text = ["text": code.replacing(/[A-Z]/) { " " + $0.output.lowercased() }]
            return ["id": code, "shortDescription": text, "fullDescription": text, "help": text]
        }
        let driver: [String: Any] = ["name": CommandLineTool.name, "version": CommandLineTool.version, "rules": rules]
        // As ``SourcePosition`` counts; a run with results has to say it (SARIF 2.1.0, section 3.14.27).
        let run: [String: Any] = ["tool": ["driver": driver], "results": problems.map(result), "columnKind": "unicodeCodePoints"]
        let log: [String: Any] = ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: log, options: options), as: UTF8.self) + "\n"
    }

    private func result(_ problem: Problem) -> [String: Any] {
        var result: [String: Any] = ["ruleId": problem.code, "level": problem.level.rawValue, "message": ["text": problem.message]]
        // A viewer opens the place in the file; a built-in scenario has neither.
        guard let file else { return result }
        var place: [String: Any] = ["artifactLocation": ["uri": Self.address(of: file)]]
        // A region needs its line.
        if let position = problem.position { place["region"] = ["startLine": position.line, "startColumn": position.column] }
        result["locations"] = [["physicalLocation": place]]
        return result
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
