/// A fault to bring about on purpose in one operation of a run.
struct Injection: Equatable, Sendable {
    enum Effect: Equatable, Sendable {
        /// The work throws.
        case fail
        /// The work never ends by itself.
        case hang
        /// The process ends where the work should begin.
        case crash
        /// The work begins later by this much.
        case delay(Duration)
        /// The check finds that an update is required.
        case required
    }

    let operation: String
    let effect: Effect

    /// Reads `OP=EFFECT`; the identifier may hold `=`, an effect never does.
    static func parse(_ text: String) throws(ValueError) -> Injection {
        guard let separator = text.lastIndex(of: "="), separator > text.startIndex else {
            throw ValueError(message: "\(quoted(text)) is not of the form OP=EFFECT; an EFFECT is \(alternatives(effects))")
        }
        let word = String(text[text.index(after: separator)...])
        return Injection(operation: String(text[..<separator]), effect: try parseEffect(word))
    }

    /// The injections of a command line, one for each operation at most.
    static func all(in arguments: ScannedArguments) throws(UsageError) -> [Injection] {
        let injections = try arguments.all("inject", parse)
        var seen: Set<String> = []
        for injection in injections where !seen.insert(injection.operation).inserted {
            throw arguments.failure("option '--inject': the operation \(quoted(injection.operation)) is given twice")
        }
        return injections
    }

    private static let effects = ["fail", "hang", "crash", "delay:500ms", "required"]

    private static func parseEffect(_ word: String) throws(ValueError) -> Effect {
        switch word {
        case "fail": return .fail
        case "hang": return .hang
        case "crash": return .crash
        case "required": return .required
        default: break
        }
        if word.hasPrefix("delay:") {
            return .delay(try DurationText.parse(String(word.dropFirst("delay:".count)), minimum: .zero))
        }
        throw ValueError(message: unknownWord(word, called: "effect", among: effects))
    }
}
