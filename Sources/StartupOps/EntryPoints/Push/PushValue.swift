import Foundation

/// What is in a push payload, as far as it is looked at: read with bounds, whether it came as JSON or as a dictionary.
enum PushValue {
    case string(String)
    case object([String: PushValue])
    case array([PushValue])
    /// A number, a boolean or null.
    case other

    /// The deepest a payload may be nested.
    static let maximumDepth = 16

    /// What it is, in words.
    var kind: String {
        switch self {
        case .string: "a string"
        case .object: "an object"
        case .array: "an array"
        case .other: "a number, a boolean or null"
        }
    }

    /// How deep JSON is nested, by its brackets: told before anything recursive reads it. What is no JSON has some depth too.
    static func depth(ofJSON data: Data) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in data {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

extension PushValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var object: [String: PushValue] = [:]
            for key in container.allKeys { object[key.stringValue] = try container.decode(PushValue.self, forKey: key) }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var array: [PushValue] = []
            while !container.isAtEnd { array.append(try container.decode(PushValue.self)) }
            self = .array(array)
        } else if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .string(text)
        } else {
            self = .other
        }
    }
}

extension PushValue {
    /// Reads a dictionary as the system hands it over. Keys that are no texts are left out.
    ///
    /// - Parameter room: how many bytes there is room for, counted as JSON without escapes; less than zero afterwards when there was too little.
    init(_ value: Any, depth: Int, room: inout Int) throws(PushPayloadError) {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        switch value {
        case let text as String:
            room -= text.utf8.count + 2
            guard room >= 0 else { throw .tooLarge }
            self = .string(text)
        case let dictionary as [AnyHashable: Any]:
            var object: [String: PushValue] = [:]
            for (key, value) in dictionary {
                guard let key = key as? String else { continue }
                room -= key.utf8.count + 4
                object[key] = try PushValue(value, depth: depth + 1, room: &room)
            }
            self = .object(object)
        case let elements as [Any]:
            var array: [PushValue] = []
            for element in elements {
                room -= 1
                array.append(try PushValue(element, depth: depth + 1, room: &room))
            }
            self = .array(array)
        default:
            room -= 1
            guard room >= 0 else { throw .tooLarge }
            self = .other
        }
    }
}
