import Foundation
import Sequencer
import StartupOps

/// The programs and requests of a scenario file, which may be somebody else's: a person reads them before the first one
/// runs.
struct WorkQuestion: Equatable, Sendable {
    /// The programs and requests of the file, one per line; of operations with the same work, the first one is named.
    let lines: [String]
    private let file: String
    private let programs: Int
    private let requests: Int

    /// - Parameter file: its name in messages.
    /// - Returns: nil for a scenario that runs no program and sends no request.
    init?(_ document: ScenarioDocument, file: String) {
        // Only work that will run: a person would read in vain.
        let works = document.operations.filter(document.runs).compactMap { operation in operation.work.foreignText.map { (operation, $0) } }
        if works.isEmpty { return nil }
        let counts = Dictionary(works.map { ($1, 1) }, uniquingKeysWith: +)
        var told: Set<String> = []
        lines = works.filter { told.insert($0.1).inserted }.map { operation, text in
            let more = (counts[text] ?? 1) - 1
            return "  \(printable(operation.id, limit: 60))\(more > 0 ? " and \(more) more" : ""): \(text)"
        }
        self.file = file
        programs = works.count { if case .command = $0.0.work { true } else { false } }
        requests = works.count - programs
    }

    /// `launch.json runs 2 programs and sends 1 request:`, and these.
    var text: String {
        let runs = programs > 0 ? "runs \(programs) program\(programs == 1 ? "" : "s")" : nil
        let sends = requests > 0 ? "sends \(requests) request\(requests == 1 ? "" : "s")" : nil
        return (["\(file) \([runs, sends].compactMap(\.self).joined(separator: " and ")):"] + lines).joined(separator: "\n")
    }

    /// Names the programs and requests of the file and, on a terminal, asks whether they may run. Elsewhere nobody
    /// could answer: the launch goes on.
    ///
    /// - Parameters:
    ///   - scenario: the file; where it is standard input, the answer is read from the process's terminal.
    ///   - withdraw: receives the closure that withdraws the question.
    /// - Throws: a ``ToolError`` unless the answer is yes.
    func ask(about scenario: String, withdrawnBy withdraw: (@escaping @Sendable () -> Void) -> Void = { _ in }) async throws(ToolError) {
        // Also without a question: a log shows afterwards which programs were run.
        message(text)
        guard let input = Self.terminal(for: scenario) else { return }
        // A task, so that a signal can withdraw the question.
        let question = Task {
            while true {
                switch await input.line(prompt: { Terminal.standardError.write("Run this? [y/N] ") }) {
                case .answer(let text)?: return ["y", "yes"].contains(text.trimmed.lowercased())
                case nil: return false
                // Nonsense is neither yes nor no.
                case .nonsense?: continue
                }
            }
        }
        withdraw { question.cancel() }
        if await question.value { return }
        // Nothing has been run so far: the launch is refused as a whole.
        throw ToolError(.failed, "\(file) may not run its work, so nothing was run")
    }

    /// Where a person reads standard error and can answer; nil off a terminal.
    private static func terminal(for scenario: String) -> TerminalInput? {
        guard Terminal.standardError.isTerminal else { return nil }
        // Standard input first, as it is where other questions are answered.
        if let input = TerminalInput(terminalOf: STDIN_FILENO) { return input }
        guard isStandardInput(scenario) else { return nil }
        // The scenario comes by standard input, so the person has to be asked elsewhere.
        let own = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own < 0 ? nil : TerminalInput(descriptor: own, ownsDescriptor: true)
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
