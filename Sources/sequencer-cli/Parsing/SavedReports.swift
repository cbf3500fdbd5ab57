import Foundation
import Sequencer

/// The key `schema` of the files that launches leave: its values.
enum SavedSchema {
    static let report = "sequencer.report/1"
    static let crash = "sequencer.crash/1"
    static let bench = "sequencer.bench/1"
}

/// The reports of a file: one or many, one after the other or in an array, in any layout.
enum SavedReports {
    /// A larger report among others is refused by `stats`: it has to be in the memory as a whole.
    static let sizeLimit = 16 << 20

    /// The reports with their critical paths; nil if the first document of the file is not a report.
    ///
    /// - Parameter file: the name of the file in messages.
    /// - Throws: the first mistake, with its place in the file.
    static func read(_ bytes: [UInt8], file: String) throws(ScenarioError) -> [LaunchReport]? {
        struct Head: Decodable { let schema: String }
        // Only the head is decoded here: a bench is told by its schema before anything else in it matters.
        let first = documents(in: bytes, limit: 1).documents.first.map { Data(bytes[$0]) }
        let head = first.flatMap { try? JSONDecoder().decodeForeign(Head.self, from: $0) }
        guard head?.schema == SavedSchema.report else { return nil }
        return try decode(LaunchReport.self, from: bytes, file: file).map(\.withCriticalPath)
    }

    /// Reads documents of any type, as ``read(_:file:)`` reads reports.
    static func decode<Document: Decodable>(
        _ type: Document.Type,
        from bytes: [UInt8],
        file: String
    ) throws(ScenarioError) -> [Document] {
        let places = documents(in: bytes).documents
        // An empty file, or array: the decoder has the message, and its place.
        if places.isEmpty { return [try decodeDocument(type, from: bytes, file: file)] }
        return try places.map { place throws(ScenarioError) in
            do throws(ScenarioError) {
                return try decodeDocument(type, from: Array(bytes[place]), file: file)
            } catch {
                throw error.moved(by: .start.moved(over: bytes[..<place.lowerBound]))
            }
        }
    }

    /// Where the next objects in a text begin and end, those of an array each by itself, and any other text between
    /// them. After an object that has broken off, they continue at the next line that begins with one.
    ///
    /// - Parameter isAtEnd: whether the text ends here; otherwise an object that is not whole may continue.
    /// - Returns: also how far the text has been looked at: the rest continues in the next batch.
    ///
    /// - Complexity: O(bytes).
    static func documents(
        in text: [UInt8],
        isAtEnd: Bool = true,
        limit: Int = .max
    ) -> (documents: [Range<Int>], end: Int) {
        text.withUnsafeBufferPointer { bytes in
            var json = JSONReader(bytes)
            var documents: [Range<Int>] = []
            while documents.count < limit {
                while json.offset < bytes.count, isBetweenDocuments(json.current) { json.offset += 1 }
                let start = json.offset
                if start == bytes.count { break }
                do throws(ScenarioError) {
                    guard json.current == UInt8(ascii: "{") else { throw json.expected("an object") }
                    try json.value()
                    documents.append(start..<json.offset)
                } catch {
                    let isWhole = isAtEnd || bytes.count - start > sizeLimit
                    var next = isWhole || json.offset < bytes.count ? endOfBroken(from: start, in: bytes) : nil
                    if isWhole { next = next ?? bytes.count }
                    // It may continue in the next batch.
                    guard let next else { return (documents, start) }
                    json.offset = next
                    // Blank lines behind it are nobody's mistake.
                    let last = bytes[start..<next].lastIndex { !$0.isJSONSpace } ?? start
                    documents.append(start..<last + 1)
                }
            }
            return (documents, json.offset)
        }
    }

    /// Brackets and commas are those of an array of reports.
    private static func isBetweenDocuments(_ byte: UInt8) -> Bool {
        byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    /// The start of the next line that begins with a brace or, behind white space or a bracket, with a report; nil
    /// without such a line.
    private static func endOfBroken(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = start
        while let newline = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            place = newline + 1
            let line = bytes[place...].drop { $0 != UInt8(ascii: "\n") && isBetweenDocuments($0) }
            guard line.first == UInt8(ascii: "{") else { continue }
            // Within a report, objects are indented and have no schema.
            let isReport = line.dropFirst().drop(while: \.isJSONSpace).starts(with: "\"schema\"".utf8)
            if isReport || line.startIndex == place { return place }
        }
        return nil
    }
}
