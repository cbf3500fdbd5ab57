import Foundation
import Sequencer

/// Reads push payloads, which come from whoever can send them.
///
/// A payload that is too large, nested too deep, no JSON object or without `aps` is rejected. Whatever else is wrong with it is left out
/// and named in ``PushPayload/problems``, so that the person still sees the rest. A link it carries is judged like every other.
///
/// ```swift
/// let parser = PushPayloadParser(categories: ["now-playing"], links: router)
/// let push = try parser.payload(from: notification.request.content.userInfo)
/// ```
public struct PushPayloadParser: Sendable {
    /// The most bytes a payload may have: what Apple's push service lets through.
    public static let maximumSize = 4_096

    private let categories: Set<String>
    private let links: DeepLinkRouter?
    private let linkKey: String

    /// A parser of payloads of these categories.
    ///
    /// - Parameters:
    ///   - categories: those the app knows.
    ///   - links: judges links; nil when pushes carry none that are followed.
    ///   - linkKey: the key, beside `aps`, that a link stands under.
    public init(categories: Set<String>, links: DeepLinkRouter? = nil, linkKey: String = "url") {
        self.categories = categories
        self.links = links
        self.linkKey = linkKey
    }

    /// Reads a payload from JSON in UTF-8.
    public func payload(from data: Data) throws(PushPayloadError) -> PushPayload {
        guard data.count <= Self.maximumSize else { throw .tooLarge }
        guard PushValue.depth(ofJSON: data) <= PushValue.maximumDepth else { throw .tooDeep }
        // Foundation would take other encodings too, whose brackets were not counted.
        guard String(validating: data, as: UTF8.self) != nil, !data.contains(0),
            let value = try? JSONDecoder().decode(PushValue.self, from: data)
        else { throw .malformed }
        return try payload(from: value)
    }

    /// Reads a payload from a dictionary, as the system hands it over.
    public func payload(from dictionary: [AnyHashable: Any]) throws(PushPayloadError) -> PushPayload {
        var room = Self.maximumSize
        let value = try PushValue(dictionary, depth: 1, room: &room)
        guard room >= 0 else { throw .tooLarge }
        return try payload(from: value)
    }

    private func payload(from value: PushValue) throws(PushPayloadError) -> PushPayload {
        guard case .object(let payload) = value else { throw .malformed }
        guard case .object(let aps)? = payload["aps"] else { throw .missingAPS(payload["aps"]) }
        var problems: [String] = []
        var alert: [String: PushValue] = [:]
        switch aps["alert"] {
        case .object(let object)?: alert = object
        case .string(let text)?: alert = ["body": .string(text)]
        case let other?: problems.append("aps.alert is \(other.kind) where a text or an object was expected")
        case nil: break
        }
        return PushPayload(
            category: category(aps["category"], &problems),
            title: text(alert["title"], "aps.alert.title", limit: 256, &problems),
            body: text(alert["body"], "aps.alert.body", limit: 2_048, &problems),
            link: link(payload[linkKey], &problems),
            problems: problems
        )
    }

    private func text(_ value: PushValue?, _ name: String, limit: Int, _ problems: inout [String]) -> String? {
        switch value {
        case .string(let text)?: return plainText(text, limit: limit)
        case let other?:
            problems.append("\(name) is \(other.kind) where a text was expected")
            return nil
        case nil: return nil
        }
    }

    private func category(_ value: PushValue?, _ problems: inout [String]) -> String? {
        guard let category = text(value, "aps.category", limit: 128, &problems) else { return nil }
        if categories.contains(category) { return category }
        let nearest = nearestName(to: category, in: categories.sorted())
        problems.append("aps.category is unknown\(nearest.map { "; the nearest is \($0)" } ?? "")")
        return nil
    }

    private func link(_ value: PushValue?, _ problems: inout [String]) -> DeepLink? {
        guard let value else { return nil }
        guard case .string(let text) = value else {
            problems.append("\(linkKey) is \(value.kind) where a link was expected")
            return nil
        }
        guard let links else {
            problems.append("\(linkKey) was ignored: the app follows no links in pushes")
            return nil
        }
        do throws(DeepLinkError) {
            return try links.link(text)
        } catch {
            problems.append("\(linkKey): \(error)")
            return nil
        }
    }
}
