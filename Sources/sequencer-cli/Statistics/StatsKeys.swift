/// The keys that times are grouped by, besides scenario, version and outcome.
struct StatsKeys: Equatable, Sendable {
    var hasOperations = false
    /// The name of an attribute of reports.
    var attribute: String?

    /// Reads `operation`, the name of an attribute, or both with a comma between them.
    static func parse(_ text: String) throws(ValueError) -> StatsKeys {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let attributes = words.filter { $0 != "operation" }
        if attributes.count > 1 || words.count > attributes.count + 1 || words.contains("") {
            let expected = "'operation', the name of an attribute, or both with a comma"
            throw ValueError("\(quoted(text)) is not \(expected)")
        }
        return StatsKeys(hasOperations: words.count > attributes.count, attribute: attributes.first)
    }
}
