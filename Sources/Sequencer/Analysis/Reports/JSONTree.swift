import Sequencer

/// A document of JSON as a value: members keep the order in which they are written, and those that are nil are left out.
enum JSONTree: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    case text(String)
    case number(Int)
    case flag(Bool)
    case milliseconds(Duration)
    case null
    case array([JSONTree])
    case object([(key: String, value: JSONTree?)])

    init(dictionaryLiteral elements: (String, JSONTree?)...) { self = .object(elements.map { (key: $0, value: $1) }) }
    init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }

    static func texts(_ texts: some Sequence<String>) -> JSONTree { .array(texts.map { .text($0) }) }

    /// The members of both objects.
    static func + (left: JSONTree, right: JSONTree) -> JSONTree {
        guard case .object(let first) = left, case .object(let second) = right else { return left }
        return .object(first + second)
    }

    /// The text of a document, which is an object.
    func document(pretty: Bool) -> String {
        JSONWriter.object(pretty: pretty) { json in
            guard case .object(let members) = self else { return }
            for case (let key, let value?) in members { value.write(for: key, to: &json) }
        }
    }

    private func write(for key: String?, to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.write(text, for: key)
        case .number(let number): json.write(number, for: key)
        case .flag(let flag): json.write(flag, for: key)
        case .milliseconds(let time): json.write(milliseconds: time, for: key)
        case .null: json.writeNull(for: key)
        case .array(let elements): json.writeArray(for: key) { json in for element in elements { element.write(for: nil, to: &json) } }
        case .object(let members):
            json.writeObject(for: key) { json in
                for case (let key, let value?) in members { value.write(for: key, to: &json) }
            }
        }
    }
}
