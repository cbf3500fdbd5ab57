import Foundation
import Sequencer

extension DecodingError {
    /// Where a value was not what was expected, what it was and what it should have been; never the value itself, which may be a secret.
    func reason(in text: JSONText) -> String {
        switch self {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let found = text.kind(at: context.codingPath).map { ", found \($0)" } ?? ""
            return "\(Self.place(context.codingPath)): \(Self.words(for: type)) was expected\(found)"
        case .keyNotFound(let key, let context):
            return "\(Self.place(context.codingPath + [key])): it is missing"
        case .dataCorrupted(let context):
            if !context.codingPath.isEmpty { return "\(Self.place(context.codingPath)): the value is not one of those that are allowed" }
            return text.kind(at: []) == nil ? "it is no JSON" : "a value in it is not one of those that are allowed"
        @unknown default:
            return "it is not what was expected"
        }
    }

    /// `speakers[0].name`.
    private static func place(_ path: [any CodingKey]) -> String {
        if path.isEmpty { return "the top level" }
        return path.reduce(into: "") { result, key in
            if let index = key.intValue {
                result += "[\(index)]"
            } else {
                result += (result.isEmpty ? "" : ".") + name(of: key)
            }
        }
    }

    /// Names that the app has declared are enumerations' cases. Others come from the answer, like the keys of a dictionary: what is not short and
    /// plain may be a secret, too.
    private static func name(of key: any CodingKey) -> String {
        let name = key.stringValue
        if Mirror(reflecting: key).displayStyle == .enum { return printable(name, limit: 60) }
        let isPlain = name.utf8.count <= 20 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) }
        return isPlain ? name : "…"
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type, is NSNumber.Type: "a number"
        default:
            String(describing: type).hasPrefix("Array<")
                ? "an array" : String(describing: type).hasPrefix("Dictionary<") ? "an object" : "\(type)"
        }
    }
}
