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

    /// Where objects begin and end that enclose each other nowhere; the last one may lack its end. Linear.
    private static func documents(in bytes: [UInt8]) -> [Range<Int>] {
        var documents: [Range<Int>] = []
        var (start, depth) = (0, 0)
        var isText = false, isEscaped = false
        bytes.withUnsafeBufferPointer { bytes in
            for (offset, byte) in bytes.enumerated() {
                if isText {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == ASCII.backslash {
                        isEscaped = true
                    } else {
                        isText = byte != ASCII.quote
                    }
                    continue
                }
                switch byte {
                case ASCII.quote: isText = true
                case ASCII.openBrace, ASCII.openBracket: depth += 1
                case ASCII.closeBrace, ASCII.closeBracket:
                    depth -= 1
                    guard depth == 0 else { continue }
                    documents.append(start..<offset + 1)
                    start = offset + 1
                default: break
                }
            }
        }
        let rest = bytes[start...]
        if !rest.allSatisfy(ASCII.isWhitespace) { documents.append(start..<bytes.count) }
        return documents
    }
}
