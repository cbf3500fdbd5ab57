/// A fact, and its values for which an operation runs.
struct FactCondition: Equatable, Sendable {
    let fact: String
    let values: [String]
}

/// A fact as the command line gives it.
struct FactArgument: Equatable, Sendable {
    let name: String
    let value: String

    /// Reads facts of the form `NAME=VALUE`, each once; a name holds no `=`.
    static func all(_ texts: [String]) throws(ValueError) -> [FactArgument] {
        var facts: [FactArgument] = []
        var seen: Set<String> = []
        for text in texts {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw ValueError(message: "\(quoted(text)) is not of the form NAME=VALUE, such as account=known")
            }
            let fact = FactArgument(name: String(text[..<sign]), value: String(text[text.index(after: sign)...]))
            if !seen.insert(fact.name).inserted { throw ValueError(message: "the fact \(quoted(fact.name)) is given twice") }
            facts.append(fact)
        }
        return facts
    }
}

extension ScenarioDocument {
    /// Whether the conditions of an operation hold.
    func runs(_ operation: OperationDocument) -> Bool {
        operation.when
            ?? operation.conditions.allSatisfy { condition in
                facts[condition.fact]?.first.map { condition.values.contains($0) } ?? false
            }
    }
}

extension ScenarioParser {
    /// The facts of a scenario, each with the values that it may have.
    func parseFacts(_ object: ScenarioField) throws(ScenarioFault) -> [String: [String]] {
        var facts: [String: [String]] = [:]
        for member in try object.object() {
            if let complaint = ScenarioField.complaint(about: member.key, called: "the name") { throw member.fault(complaint, in: object) }
            // The command line divides a fact at its first sign.
            if member.key.contains("=") { throw member.fault("the name of a fact cannot hold '='", in: object) }
            facts[member.key] = try values(value(of: member, in: object))
        }
        return facts
    }

    /// The conditions of an operation: for each fact its value, or the values that it may have.
    func parseConditions(_ object: ScenarioField) throws(ScenarioFault) -> [FactCondition] {
        var conditions: [FactCondition] = []
        for member in try object.object() {
            let field = value(of: member, in: object)
            // One value without an array is the usual condition.
            if case .string = field.value.content {
                conditions.append(FactCondition(fact: member.key, values: [try field.label("the value")]))
            } else {
                conditions.append(FactCondition(fact: member.key, values: try values(field)))
            }
        }
        // No condition at all would be true always, and hide that something is missing.
        if conditions.isEmpty { throw object.fault("the condition is empty; expected facts and their values") }
        return conditions
    }

    private func value(of member: JSONMember, in object: ScenarioField) -> ScenarioField {
        ScenarioField(value: member.value, path: .key(member.key, of: object.path))
    }

    private func values(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        let values = try field.labels("the value")
        if values.isEmpty { throw field.fault("no value is given; expected one or more") }
        // A value twice is a slip for another one.
        if Set(values).count < values.count { throw field.fault("a value is given twice") }
        return values
    }
}
