import Foundation
import Sequencer

/// The bytes of a JSON text (RFC 8259): UTF-8, without the mark some editors put in front.
struct JSONText {
    let data: Data

    init(_ body: Data) {
        data = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(body.dropFirst(3)) : body
    }

    /// Why the bytes cannot be JSON; nil when they may be. Decoders differ here, so they are not asked.
    var violation: String? {
        // In UTF-16 and UTF-32, every other byte or more is one of these.
        if let index = data.firstIndex(of: 0) { return "the byte at \(index - data.startIndex) is zero, where JSON in UTF-8 was expected" }
        if String(validUTF8: data) == nil { return "it is not UTF-8, where JSON was expected" }
        return nil
    }

    /// Whether it is JSON, with any values.
    var isJSON: Bool { (try? JSONDecoder().decode(EmptyResponse.self, from: data)) != nil }
}

extension DecodingError {
    /// The place of the wrong value, its kind and the expected kind; never the value itself, which may be a secret.
    func reason(in text: JSONText) -> String {
        switch self {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            return "\(Self.place(context.codingPath)): \(Self.words(for: type)) was expected"
        case .keyNotFound(let key, let context):
            return "\(Self.place(context.codingPath + [key])): it is missing"
        case .dataCorrupted(let context):
            // Foundation reports broken JSON in the same way, with an empty path: the text is looked at once more.
            if !context.codingPath.isEmpty { return "\(Self.place(context.codingPath)): the value is not one of those that are allowed" }
            return text.isJSON ? "a value in it is not one of those that are allowed" : "it is no JSON"
        @unknown default:
            return "it is not what was expected"
        }
    }

    /// `speakers[0].name`.
    private static func place(_ path: [any CodingKey]) -> String {
        if path.isEmpty { return "the top level" }
        return path.reduce(into: "") { result, key in
            result += key.intValue.map { "[\($0)]" } ?? (result.isEmpty ? "" : ".") + name(of: key)
        }
    }

    /// Names that the app has declared are enumerations' cases. Others come from the answer, like the keys of a
    /// dictionary: one that is not short and plain may be a secret, too.
    private static func name(of key: any CodingKey) -> String {
        let name = key.stringValue
        if Mirror(reflecting: key).displayStyle == .enum { return printable(name, limit: 60) }
        let isPlain = name.utf8.count <= 20 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) }
        return isPlain ? ForeignText.shown(name) : "…"
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type, is NSNumber.Type: "a number"
        case _ where "\(type)".hasPrefix("Array<"): "an array"
        case _ where "\(type)".hasPrefix("Dictionary<"): "an object"
        default: "\(type)"
        }
    }
}
