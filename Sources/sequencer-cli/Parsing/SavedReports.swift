import Foundation
import Sequencer

/// The reports of a file: one or many, one after the other, each in one line or in many.
enum SavedReports {
    /// Whether the first document of a file is a report.
    static func begin(_ bytes: [UInt8]) -> Bool {
        struct Head: Decodable {
            let schema: String
        }
        guard let first = documents(in: bytes).first else { return false }
        return (try? JSONDecoder().decode(Head.self, from: Data(bytes[first])))?.schema == "sequencer.report/1"
    }

    /// - Parameter file: the name of the file in messages.
    /// - Throws: the first mistake, with its place in the file.
    static func decode(_ bytes: [UInt8], file: String) throws(ScenarioError) -> [LaunchReport] {
        let documents = documents(in: bytes)
        if documents.count < 2 { return [try decodeDocument(LaunchReport.self, from: bytes, file: file)] }
        var reports: [LaunchReport] = []
        for document in documents {
            if let report = try? JSONDecoder().decode(LaunchReport.self, from: Data(bytes[document])) {
                reports.append(report)
                continue
            }
            // Once more, to find the place: with nothing but lines before it.
            let blank = bytes[..<document.lowerBound].map { $0 == ASCII.newline ? $0 : ASCII.space }
            reports.append(try decodeDocument(LaunchReport.self, from: blank + bytes[document], file: file))
        }
        return reports
    }

    /// Where the values of a file begin and end. From the first mistake on, the rest is one: its decoder says the place. Linear.
    private static func documents(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.withUnsafeBufferPointer { bytes in
            var documents: [Range<Int>] = []
            var json = JSONTokenizer(bytes)
            json.skipWhitespace()
            while json.offset < bytes.count {
                let start = json.offset
                do throws(JSONFault) { try json.skipValue() } catch { json.offset = bytes.count }
                documents.append(start..<json.offset)
                json.skipWhitespace()
            }
            return documents
        }
    }
}
