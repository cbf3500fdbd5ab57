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
    /// The reports with their critical paths; nil where the first document of the file is no report.
    ///
    /// - Parameter file: the name of the file in messages.
    /// - Throws: the first mistake, with its place in the file.
    static func read(_ bytes: [UInt8], file: String) throws(ScenarioError) -> [LaunchReport]? {
        struct Head: Decodable { let schema: String }
        // Only the head is decoded here: a bench is told by its schema before anything else in it matters.
        let head = documents(in: bytes).first.flatMap { try? JSONDecoder().decode(Head.self, from: Data(bytes[$0])) }
        guard head?.schema == SavedSchema.report else { return nil }
        return try decode(LaunchReport.self, from: bytes, file: file).map(\.withCriticalPath)
    }

    /// Reads documents of any type, as ``read(_:file:)`` reads reports.
    static func decode<Document: Decodable>(
        _ type: Document.Type,
        from bytes: [UInt8],
        file: String
    ) throws(ScenarioError) -> [Document] {
        let places = documents(in: bytes)
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

    /// Where the values of a file begin and end, those of an array each by itself. From the first mistake on, the rest
    /// is one: its decoder says the place.
    ///
    /// - Complexity: O(bytes).
    static func documents(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.withUnsafeBufferPointer { bytes in
            var documents: [Range<Int>] = []
            var json = JSONReader(bytes)
            json.skipWhitespace()
            while json.offset < bytes.count {
                let start = json.offset
                do throws(JSONError) {
                    documents += try skipDocuments(&json)
                } catch {
                    // A mistake ends the list, and the decoder finds its place.
                    json.offset = bytes.count
                    documents.append(start..<json.offset)
                }
                json.skipWhitespace()
            }
            return documents
        }
    }

    /// Skips a value.
    ///
    /// - Returns: its place, or those of the elements of an array.
    private static func skipDocuments(_ json: inout JSONReader) throws(JSONError) -> [Range<Int>] {
        var documents: [Range<Int>] = []
        let isArray = json.skip(ASCII.openBracket)
        var count = 0
        while isArray ? try json.hasNext(before: ASCII.closeBracket, &count) : documents.isEmpty {
            let start = json.offset
            try json.value()
            documents.append(start..<json.offset)
        }
        return documents
    }
}
