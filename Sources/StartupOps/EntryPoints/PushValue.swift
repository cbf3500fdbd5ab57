import Foundation
import StartupNetworking

/// A value in a push payload: read with bounds, from JSON or from a dictionary.
enum PushValue {
    case string(String)
    case object([String: PushValue])
    case array([PushValue])
    case number(Double)
    case boolean(Bool)
    case null
    /// A number that Swift cannot hold.
    case other

    /// The deepest a payload may be nested.
    static let maximumDepth = 16

    /// Its kind, in words.
    var kind: String {
        switch self {
        case .string: "a string"
        case .object: "an object"
        case .array: "an array"
        case .number, .boolean, .null, .other: "a number, a boolean or null"
        }
    }

    /// The same as any JSON value; what Swift cannot hold is null.
    var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .object(let members): .object(members.mapValues(\.json))
        case .array(let elements): .array(elements.map(\.json))
        case .number(let number): Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
        case .boolean(let value): .bool(value)
        case .null, .other: .null
        }
    }
}

extension PushValue: Decodable {
    init(from decoder: any Decoder) throws {
        if (try? decoder.singleValueContainer().decodeNil()) == true {
            self = .null
        } else if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var object: [String: PushValue] = [:]
            for key in container.allKeys { object[key.stringValue] = try container.decode(PushValue.self, forKey: key) }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var array: [PushValue] = []
            while !container.isAtEnd { array.append(try container.decode(PushValue.self)) }
            self = .array(array)
        } else if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .string(text)
        } else if let number = try? decoder.singleValueContainer().decode(Double.self) {
            self = .number(number)
        } else if let value = try? decoder.singleValueContainer().decode(Bool.self) {
            self = .boolean(value)
        } else {
            self = .other
        }
    }
}

extension PushValue {
    /// Reads a dictionary as the system hands it over. Keys that are not texts are left out.
    ///
    /// - Parameter room: how many bytes there is room for, counted as JSON without escapes; less than zero afterwards when there was too little.
    init(_ value: Any, depth: Int, room: inout Int) throws(PushPayloadError) {
        // Before anything is looked at: the recursion is never deeper.
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
                // Quotes, a colon and a comma.
                room -= key.utf8.count + 4
                object[key] = try PushValue(value, depth: depth + 1, room: &room)
            }
            self = .object(object)
        case let elements as [Any]:
            var array: [PushValue] = []
            for element in elements {
                // The comma.
                room -= 1
                array.append(try PushValue(element, depth: depth + 1, room: &room))
            }
            self = .array(array)
        default:
            room -= 1
            guard room >= 0 else { throw .tooLarge }
            // Not by a cast, which would make a Foundation object of any value.
            if type(of: value) == NSNull.self {
                self = .null
                return
            }
            if let value = Self.truth(of: value) {
                self = .boolean(value)
                return
            }
            self = (value as? Double ?? (value as? Int).map(Double.init)).map { .number($0) } ?? .other
        }
    }

    /// nil unless it is a boolean: the system's are numbers as well, of a class of their own.
    private static func truth(of value: Any) -> Bool? {
        if type(of: value) == Bool.self { return value as? Bool }
        #if canImport(Darwin)
            return type(of: value) == type(of: NSNumber(value: true)) ? value as? Bool : nil
        #else
            return nil
        #endif
    }
}
