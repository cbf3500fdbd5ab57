import Foundation
import Sequencer
import StartupOps

/// The programs and requests of a scenario file, which may be somebody else's: the user reads them before the first one
/// runs.
struct WorkQuestion: Equatable, Sendable {
    /// The programs and requests of the file, one per line; of operations with the same work, the first one is named.
    let lines: [String]
    private let file: String

    /// - Parameter file: its name in messages.
    /// - Returns: nil for a scenario that runs no program and sends no request.
    init?(_ document: ScenarioDocument, file: String) {
        // Only work that will run: the user would read in vain.
        let works = document.operations.filter(document.runs).compactMap { operation in operation.work.foreignText.map { (operation, $0) } }
        if works.isEmpty { return nil }
        let counts = Dictionary(works.map { ($1, 1) }, uniquingKeysWith: +)
        var told: Set<String> = []
        lines = works.filter { told.insert($0.1).inserted }.map { operation, text in
            let more = (counts[text] ?? 1) - 1
            return "  \(printable(operation.id, limit: 60))\(more > 0 ? " and \(more) more" : ""): \(text)"
        }
        self.file = file
    }

    /// `launch.json runs:`, and these.
    var text: String { (["\(file) runs:"] + lines).joined(separator: "\n") }

    /// Names the programs and requests of the file and, on a terminal, asks whether they may run. Elsewhere nobody
    /// could answer: the launch continues.
    ///
    /// - Parameter scenario: the file; where it is standard input, the answer is read from the process's terminal.
    /// - Throws: a ``ToolError`` unless the answer is yes.
    func ask(about scenario: String) async throws(ToolError) {
        // Also without a question: a log shows afterwards which programs were run.
        message(text)
        guard let input = Self.terminal(for: scenario) else { return }
        let view = LiveView.current.withLock { $0 }
        view?.pause()
        defer { view?.resume() }
        var reading: Reading<String>?
        repeat {
            reading = await input.line { Terminal.standardError.write("Run this? [y/N] ") }
            if case .answer(let text)? = reading, ["y", "yes"].contains(text.trimmed.lowercased()) { return }
            // Nonsense is neither yes nor no.
        } while reading?.isNonsense == true
        // Nothing has been run so far: the launch is refused as a whole.
        throw ToolError(.failed, "\(file) may not run its work, so nothing was run")
    }

    /// Where the user reads standard error and can answer; nil off a terminal.
    private static func terminal(for scenario: String) -> TerminalInput? {
        guard Terminal.standardError.isTerminal else { return nil }
        // Standard input first, as it is where other questions are answered.
        if let input = TerminalInput(terminalOf: STDIN_FILENO) { return input }
        guard isStandardInput(scenario) else { return nil }
        // The scenario comes by standard input, so the user has to be asked elsewhere.
        let own = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        return own < 0 ? nil : TerminalInput(descriptor: own)
    }
}

extension WorkDocument {
    /// A program and its arguments as a shell would take them, or a request's method and address, fit for one line; nil
    /// for work that is the tool's own.
    ///
    /// Nothing is cut: a hidden part could be the harmful one. Only a query is left out, which may be a secret.
    fileprivate var foreignText: String? {
        switch self {
        case .command(let words):
            words.map(Self.shellWord).joined(separator: " ")
        case .http(let request):
            "\(request.method.rawValue) \(printable(String(request.url.absoluteString.prefix { $0 != "?" && $0 != "#" })))"
                + (request.url.query == nil ? "" : "?…")
        case .simulate, .compute, .expected, .none: nil
        }
    }

    private static func shellWord(_ word: String) -> String {
        // Letters of either case; everything else is quoted, so that a space in a word cannot pass for two words.
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || plain.contains($0) }
        return isPlain ? word : "'" + printable(word.replacing("'", with: "'\\''")) + "'"
    }

    private static let plain = Set("0123456789-_./:=,@%+".utf8)
}
