import Foundation
import Testing

/// The rules of a page's style element.
struct StyleSheet {
    struct Rule {
        /// The `@media` around it; empty without one.
        let media: String
        let selectors: [String]
        let declarations: [String: String]
    }

    private(set) var rules: [Rule] = []

    init(of document: String) throws {
        let start = try #require(document.range(of: "<style>"))
        let end = try #require(document.range(of: "</style>"))
        var rest = document[start.upperBound..<end.lowerBound]
        var media = ""
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let head = rest[..<brace].trimmingCharacters(in: .whitespacesAndNewlines)
            let isOpening = rest[brace] == "{"
            rest = rest[rest.index(after: brace)...]
            if !isOpening || head.hasPrefix("@media") {
                media = isOpening ? head : ""
                continue
            }
            let close = try #require(rest.firstIndex(of: "}"))
            var declarations: [String: String] = [:]
            for declaration in rest[..<close].split(separator: ";") {
                let parts = declaration.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                if parts.count == 2 { declarations[parts[0]] = parts[1] }
            }
            rules.append(Rule(media: media, selectors: head.components(separatedBy: ", "), declarations: declarations))
            rest = rest[rest.index(after: close)...]
        }
    }

    /// The colours by name.
    func palette(isDark: Bool) throws -> [String: Colour] {
        var values: [String: String] = [:]
        for rule in rules where rule.selectors == [":root"] && (rule.media.isEmpty || isDark && rule.media.contains("dark")) {
            values.merge(rule.declarations) { $1 }
        }
        return try values.filter { $0.key.hasPrefix("--") }.mapValues { try Colour($0) }
    }
}

/// A colour as `#rrggbb` or `#rrggbbaa`.
struct Colour {
    /// Red, green and blue, 0 to 255.
    let channels: [Double]

    init(_ text: String) throws {
        let digits = text.dropFirst()
        try #require(text.hasPrefix("#") && [6, 8].contains(digits.count), "\(text)")
        let number = try #require(UInt32(digits, radix: 16), "\(text)")
        let value = digits.count == 8 ? number : number << 8 | 0xFF
        channels = [24, 16, 8].map { Double(value >> $0 & 0xFF) }
    }

    /// The contrast of two opaque colours, 1 to 21: <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>.
    func contrast(with other: Colour) -> Double {
        let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)
    }

    private var luminance: Double {
        let linear = channels.map { channel -> Double in
            let part = channel / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
