import Foundation
import Sequencer

/// The files of other tools that can be read.
enum ImportFormat: String, CaseIterable, Sendable {
    case chrome, otlp

    /// In bytes: a file that is larger is not read.
    static let sizeLimit = 256 * 1024 * 1024
}

/// The launches of a file of another tool, and how much of it they are.
struct ImportedFile {
    private(set) var launches: [ImportedLaunch] = []
    /// How many there were of each kind.
    var read: [String: Int] = [:]
    /// How many were left out for each reason.
    var leftOut: [String: Int] = [:]

    /// - Parameters:
    ///   - file: its name in messages.
    ///   - format: nil to recognize it by the content.
    /// - Complexity: linear in the file, apart from sorting its entries by time.
    init(_ bytes: [UInt8], file: String, format: ImportFormat? = nil) throws(ScenarioError) {
        // A collector writes a document a line; an array of events is one document.
        let isArray = bytes.first { !$0.isJSONSpace } == UInt8(ascii: "[")
        let documents =
            isArray
            ? [try decodeDocument(TraceDocument.self, from: Self.closed(bytes), file: file)]
            : try SavedReports.decode(TraceDocument.self, from: bytes, file: file)
        var spans = OTLPSpans()
        for document in documents {
            let found: ImportFormat = document.trace == nil ? .otlp : .chrome
            if let format, format != found {
                throw ScenarioError(file: file, message: "this file has the format '\(found.rawValue)', not '\(format.rawValue)'")
            }
            if let trace = document.trace { trace.add(to: &self) } else { spans.add(document.resourceSpans) }
        }
        spans.addLaunches(to: &self)
        if launches.contains(where: { $0.operations.count > ScenarioDocument.operationLimit }) {
            throw ScenarioError(file: file, message: "a launch of more than \(ScenarioDocument.operationLimit) operations")
        }
    }

    /// Adds a launch, unless it is empty.
    ///
    /// - Parameters:
    ///   - root: the operation that is the launch itself.
    ///   - links: the file's word for the source of dependencies.
    mutating func add(_ launch: ImportedLaunch, root: Int?, links: String) {
        var launch = launch
        let all = launch.operations.reduce(0) { $0 + $1.dependencies.count }
        if let root { launch.takeRoot(root) }
        let kept = launch.settle()
        read[links, default: 0] += kept
        leftOut["\(links) between what ran at once", default: 0] += all - kept
        if !launch.operations.isEmpty { launches.append(launch) }
    }

    /// How much was read, and how much was not and why, in one line.
    var summary: String {
        func text(_ counts: [String: Int]) -> String? {
            let counts = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            return counts.isEmpty ? nil : counts.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
        return "read \(text(read) ?? "nothing")" + (text(leftOut).map { "; left out \($0)" } ?? "")
    }

    /// The array, also of a program that was killed while it wrote events: the format allows to leave out the end.
    private static func closed(_ bytes: [UInt8]) -> [UInt8] {
        var text = bytes[...]
        for end in [UInt8(ascii: "]"), UInt8(ascii: ",")] {
            while let last = text.last, last.isJSONSpace { text = text.dropLast() }
            if text.last == end { text = text.dropLast() }
        }
        return text + [UInt8(ascii: "]")]
    }
}

/// A document of one of the formats, recognized by its keys.
private struct TraceDocument: Decodable {
    private enum Key: String, CodingKey { case traceEvents, resourceSpans, schema }

    private(set) var trace: ChromeTrace?
    private(set) var resourceSpans: [OTLPResource] = []

    init(from decoder: any Decoder) throws {
        let document = try? decoder.container(keyedBy: Key.self)
        guard let document, !document.contains(.traceEvents) else {
            trace = try ChromeTrace(from: decoder)
            return
        }
        let isOwn = document.contains(.schema)
        guard document.contains(.resourceSpans), !isOwn else {
            let known = "expected an array of events, or an object with 'traceEvents' (chrome) or 'resourceSpans' (otlp)"
            // An import would lose most of it.
            let message = isOwn ? "this is a file of this tool already; it needs no import" : "unknown format; \(known)"
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: message))
        }
        resourceSpans = try document.decode([OTLPResource].self, forKey: .resourceSpans)
    }
}

/// A text, or a number: some tools put numbers into quotes, and others identifiers into none.
struct LooseText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let number = { (try? value.decode(Int64.self)).map { String($0) } ?? (try? value.decode(Double.self)).map { String($0) } }
        text = try (try? value.decode(String.self)) ?? number() ?? value.decode(String.self)
    }
}
