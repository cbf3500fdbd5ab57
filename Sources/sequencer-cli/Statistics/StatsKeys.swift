/// The keys that times are grouped by, besides scenario, version and outcome.
struct StatsKeys: Equatable, Sendable {
    var hasOperations = false
    /// The name of an attribute of reports.
    var attribute: String?

    /// Reads `operation`, the name of an attribute, or both with a comma between them.
    static func parse(_ text: String) throws(ValueError) -> StatsKeys {
        var keys = StatsKeys()
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if word == "operation", !keys.hasOperations {
                keys.hasOperations = true
            } else if word != "operation", !word.isEmpty, keys.attribute == nil {
                keys.attribute = word
            } else {
                let words = "'operation', the name of an attribute, or both with a comma"
                throw ValueError(message: "\(quoted(text)) is not \(words)")
            }
        }
        return keys
    }
}
