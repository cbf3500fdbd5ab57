import Foundation
import Sequencer

/// The files of other tools that can be read.
enum ImportFormat: String, CaseIterable, Sendable {
    case chrome, otlp, systemd, ninja, npm, github

    /// In bytes: a file that is larger is not read.
    static let sizeLimit = 256 * 1024 * 1024

    /// The name of the format for people, as the tool that writes it calls it.
    var title: String {
        switch self {
        case .chrome: "Chrome trace events"
        case .otlp: "OTLP spans as JSON"
        case .systemd: "the output of 'systemd-analyze plot --json=short'"
        case .ninja: "a .ninja_log"
        case .npm: "a package-lock.json"
        case .github: "a workflow of GitHub Actions as JSON"
        }
    }
}

/// Reads a file of another tool.
///
/// - Parameters:
///   - file: its name in messages.
///   - format: nil to recognize it by the content.
/// - Complexity: linear in the file, apart from sorting its entries by time.
func importLaunch(_ bytes: [UInt8], file: String, format: ImportFormat? = nil) throws(ScenarioError) -> ImportedLaunch {
    do throws(JSONError) {
        // Before the cursor, whose messages would only speak of an unexpected byte.
        try requireUTF8Start(bytes)
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            var json = JSONCursor(buffer)
            do throws(JSONFault) {
                // On the buffer, which lives as long as this closure: the cursor points into it.
                switch try recognizedFormat(buffer, named: format) {
                case .chrome: return try readChromeTrace(&json)
                case .otlp: return try readOTLP(&json)
                case .systemd: return try readSystemdPlot(&json)
                case .ninja: return try readNinjaLog(buffer)
                case .npm: return try readPackageLock(&json)
                case .github: return try readGitHubWorkflow(&json)
                }
            } catch {
                throw JSONError(offset: error.offset, message: json.json.message(for: error))
            }
        }
    } catch {
        // Lines are counted only for a mistake: a trace of a hundred megabytes needs none otherwise.
        throw ScenarioError(file: file, position: SourceLines(bytes).position(of: error.offset), path: "", message: error.message)
    }
}

/// The format that a text begins like, unless it was named; no more is read than it takes to tell.
private func recognizedFormat(_ bytes: UnsafeBufferPointer<UInt8>, named format: ImportFormat?) throws(JSONFault) -> ImportFormat {
    if let format { return format }
    // Not JSON: it has to be recognized first.
    if bytes.starts(with: "# ninja log".utf8) { return .ninja }
    var json = JSONCursor(bytes)
    let first = json.next()
    if first == ASCII.openBracket {
        // The first element is enough, and all of its keys: they come in any order.
        var names: [String] = []
        _ = json.skip(ASCII.openBracket)
        if json.next() == ASCII.openBrace {
            try json.object { json, key throws(JSONFault) in
                names.append(key)
                try json.skipValue()
            }
        }
        if names.contains("ph") { return .chrome }
        if names.contains("activating") { return .systemd }
    }
    if first == ASCII.openBrace {
        _ = json.skip(ASCII.openBrace)
        // Key by key, so that the values that come first, which may be large, are skipped and never kept.
        while json.next() == ASCII.quote {
            let key = try json.text()
            if key == "traceEvents" { return .chrome }
            if key == "resourceSpans" { return .otlp }
            if key == "lockfileVersion" { return .npm }
            if key == "jobs" { return .github }
            // A file of this tool has `schema` as its first key; an import would lose most of it.
            if key == "schema" { throw JSONFault(0, .mistake("this is a file of this tool already; it needs no import")) }
            guard json.skip(ASCII.colon) else { throw json.expected("':' after the key \(quoted(key))") }
            try json.skipValue()
            if !json.skip(ASCII.comma) { break }
        }
    }
    let titles = ImportFormat.allCases.map(\.title).joined(separator: ", ")
    // Its own sentence: no format could be named that would help.
    if bytes.allSatisfy(ASCII.isWhitespace) { throw JSONFault(0, .mistake("the text is empty; expected one of: \(titles)")) }
    throw JSONFault(0, .mistake("unknown format; expected one of: \(titles); '--format' names it"))
}
