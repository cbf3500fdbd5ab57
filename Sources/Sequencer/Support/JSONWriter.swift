/// Makes a ``JSONTree`` of one object, member by member: the same calls give the same bytes.
///
/// ```swift
/// let text = JSONWriter.object(pretty: false) { json in
///     json.write("regular", for: "scenario")
///     json.write(milliseconds: .microseconds(1_330_200), for: "makespanMs")
/// }                                                       // {"scenario":"regular","makespanMs":1330.2}
/// ```
///
/// Inside an object every value needs a key, inside an array values have none.
package struct JSONWriter {
    private var members: [(key: String, value: JSONTree?)] = []

    /// The text of one object.
    package static func object(pretty: Bool, _ members: (inout JSONWriter) -> Void) -> String {
        JSONTree.object(nested(members)).document(pretty: pretty)
    }

    static func nested(_ body: (inout JSONWriter) -> Void) -> [(key: String, value: JSONTree?)] {
        var writer = JSONWriter()
        body(&writer)
        return writer.members
    }

    private mutating func add(_ key: String?, _ value: JSONTree) { members.append((key ?? "", value)) }

    /// Adds the members of an object.
    mutating func add(_ object: JSONTree) {
        if case .object(let others) = object { members += others }
    }

    package mutating func write(_ value: String, for key: String? = nil) { add(key, .text(value)) }
    package mutating func write(_ value: Int, for key: String? = nil) { add(key, .number(value)) }
    package mutating func write(_ value: Bool, for key: String? = nil) { add(key, .flag(value)) }
    package mutating func write(milliseconds value: Duration?, for key: String? = nil) {
        add(key, value.map { .milliseconds($0) } ?? .null)
    }
    package mutating func writeNull(for key: String? = nil) { add(key, .null) }
    package mutating func write(_ values: some Sequence<String>, for key: String? = nil) { add(key, .texts(values)) }

    package mutating func writeArray(for key: String? = nil, _ elements: (inout JSONWriter) -> Void) {
        add(key, .array(Self.nested(elements).compactMap(\.value)))
    }

    package mutating func writeObject(for key: String? = nil, _ members: (inout JSONWriter) -> Void) {
        add(key, .object(Self.nested(members)))
    }

    /// Writes an array of objects, one for each element.
    package mutating func writeObjects<Element>(
        _ elements: some Sequence<Element>,
        for key: String,
        _ members: (inout JSONWriter, Element) -> Void
    ) {
        add(key, .array(elements.map { element in .object(Self.nested { members(&$0, element) }) }))
    }
}
