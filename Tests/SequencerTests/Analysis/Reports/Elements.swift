import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What an XML parser finds in a text.
final class Elements: NSObject, XMLParserDelegate {
    private(set) var names: Set<String> = []
    private(set) var texts: [String] = []
    private(set) var classes: [String: Int] = [:]
    /// Bars in the lines of lanes.
    private(set) var lanes = 0
    private(set) var ids: [String] = []
    private(set) var attributes: Set<String> = []
    /// How deep the parser is in a legend, whose samples are counted nowhere.
    private var legendDepth = 0
    private var error: (any Error)?

    init(_ text: String) throws {
        super.init()
        // XML knows no `<!DOCTYPE html>` without a document type, and needs none.
        let parser = XMLParser(data: Data(text.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "").utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func count(_ name: String, _ style: String) -> Int { classes["\(name).\(style)"] ?? 0 }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes found: [String: String]
    ) {
        names.insert(name)
        texts.append("")
        attributes.formUnion(found.keys)
        if let id = found["id"] { ids.append(id) }
        if found["data-lane"] != nil || name == "g" && found["class"] == "lanes" { lanes += found["data-lane"] == nil ? 0 : 1 }
        if legendDepth > 0 || found["class"] == "legend" {
            legendDepth += 1
            return
        }
        for style in (found["class"] ?? "").split(separator: " ") { classes["\(name).\(style)", default: 0] += 1 }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if legendDepth > 0 { legendDepth -= 1 }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard !texts.isEmpty else { return }
        texts[texts.count - 1] += string
    }
}
