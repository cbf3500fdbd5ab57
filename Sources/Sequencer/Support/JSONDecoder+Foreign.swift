import Foundation

extension JSONDecoder {
    /// Decodes a text that may be damaged, or come from anywhere.
    ///
    /// swift-foundation (6.3) ends the process for a text that ends with its 513th open array. No JSON ends so.
    package func decodeForeign<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value {
        // In UTF-16 and UTF-32, zeros may follow.
        if text.last(where: { $0 != 0 }) == UInt8(ascii: "[") {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text ends in an array."))
        }
        return try decode(type, from: text)
    }
}
