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

    /// A line for each problem, as compilers write them: `launch.json:3:45: error: ...`. Xcode and editors find the place by it.
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
        // By scalars: a carriage return and a line feed are one character.
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }

    /// In a property, colons and commas mean something, too.
    static func escapedProperty(_ text: String) -> String {
        // After the data's escapes, whose `%` these two would otherwise double.
        escapedData(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    // MARK: JUnit

    /// One test case for the scenario, which fails when there is an error, as Jenkins and GitLab read them.
    var junit: String {
        let errors = problems.filter { $0.level == .error }
        let warnings = problems.filter { $0.level == .warning }
        func lines(_ problems: [Problem]) -> String {
            problems.map { problem in
                Markup.text((problem.position.map { "\($0): " } ?? "") + problem.message)
            }.joined(separator: "\n")
        }
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="sequencer-cli verify" tests="1" failures="\(errors.isEmpty ? 0 : 1)" errors="0" skipped="0">
                <testcase classname="\(Markup.text(file ?? "built-in"))" name="\(Markup.text(scenario))">

            """
        if let first = errors.first {
            let type = Markup.text(first.code)
            text += "      <failure type=\"\(type)\" message=\"\(Markup.text(first.message))\">\(lines(errors))</failure>\n"
        }
        if !warnings.isEmpty { text += "      <system-out>\(lines(warnings))</system-out>\n" }
        return text + "    </testcase>\n  </testsuite>\n</testsuites>\n"
    }

    // MARK: SARIF

    /// The format of code scanning: SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    var sarif: String {
        var codes: [String] = []
        // The rules of a SARIF tool are unique; the order is that of their first results.
        for problem in problems where !codes.contains(problem.code) { codes.append(problem.code) }
        return JSONWriter.object(pretty: true) { json in
            json.write("https://json.schemastore.org/sarif-2.1.0.json", for: "$schema")
            json.write("2.1.0", for: "version")
            json.writeArray(for: "runs") { json in
                json.writeObject { json in
                    json.writeObject(for: "tool") { json in
                        json.writeObject(for: "driver") { json in
                            json.write(CommandLineTool.name, for: "name")
                            json.write(CommandLineTool.version, for: "version")
                            json.writeArray(for: "rules") { json in
                                for code in codes { json.writeObject { $0.write(code, for: "id") } }
                            }
                        }
                    }
                    json.writeArray(for: "results") { json in
                        for problem in problems { json.writeObject { write(problem, to: &$0) } }
                    }
                }
            }
        } + "\n"
    }

    private func write(_ problem: Problem, to json: inout JSONWriter) {
        json.write(problem.code, for: "ruleId")
        json.write(problem.level.rawValue, for: "level")
        json.writeObject(for: "message") { $0.write(problem.message, for: "text") }
        // A viewer opens the place in the file; a built-in scenario has neither.
        guard let file else { return }
        json.writeArray(for: "locations") { json in
            json.writeObject { json in
                json.writeObject(for: "physicalLocation") { json in
                    json.writeObject(for: "artifactLocation") { $0.write(Self.address(of: file), for: "uri") }
                    // A region needs its line.
                    guard let position = problem.position else { return }
                    json.writeObject(for: "region") { json in
                        json.write(position.line, for: "startLine")
                        json.write(position.column, for: "startColumn")
                    }
                }
            }
        }
    }

    /// A path as a reference of RFC 3986: relative, or of the scheme `file`.
    static func address(of path: String) -> String {
        // Without the colon: in the first segment of a relative reference it would end a scheme (RFC 3986, section 4.2).
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return path.hasPrefix("/") ? "file://" + escaped : escaped
    }
}
