import Foundation

/// The bytes of a JSON text (RFC 8259): UTF-8, without the mark some editors put in front.
struct JSONText {
    let data: Data

    init(_ body: Data) {
        data = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(body.dropFirst(3)) : body
    }

    /// Why it cannot be JSON, whatever it says; nil when it may be. Decoders differ here, so they are not asked.
    var violation: String? {
        // In UTF-16 and UTF-32, every other byte or more is one of these.
        if let index = data.firstIndex(of: 0) { return "the byte at \(index - data.startIndex) is zero, where JSON in UTF-8 was expected" }
        if String(validating: data, as: UTF8.self) == nil { return "it is not UTF-8, where JSON was expected" }
        return nil
    }

    /// What is at a place, in words: "a number", "null".
    func kind(at path: [any CodingKey]) -> String? {
        guard var value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else { return nil }
        for key in path {
            if let array = value as? [Any], let index = key.intValue, array.indices.contains(index) {
                value = array[index]
            } else if let member = (value as? [String: Any])?[key.stringValue] {
                value = member
            } else {
                return nil
            }
        }
        switch value {
        case is NSNull: return "null"
        case is String: return "a string"
        case is [Any]: return "an array"
        case is [String: Any]: return "an object"
        case let number as NSNumber: return number.isBoolean ? "true or false" : "a number"
        default: return nil
        }
    }
}

extension NSNumber {
    fileprivate var isBoolean: Bool { String(cString: objCType) == "c" }
}
