import Foundation
import Sequencer
import StartupNetworking

/// The content of a push notification, checked and cleaned.
///
/// Nothing that prints it shows a text: pushes are letters to the user.
public struct PushPayload: Sendable, Hashable, Codable, SecretHolding {
    /// A category that the app knows; nil when the push has none of these, and is shown as any other.
    var category: String?
    /// The title, as plain text: escape it before it is shown as markup.
    public internal(set) var title: String?
    /// The text, as plain text.
    public internal(set) var body: String?
    /// Where it leads, when it carries a link that the app takes.
    public internal(set) var link: DeepLink?
    /// The reasons why parts of it were left out, without their values.
    var problems: [String] = []
    /// The account that it is for; nil when it does not say.
    var account: String?
    /// When it is of no use any more; nil when it does not say, or that cannot be read.
    var expiresAt: Date?
    /// The values for the app, by the keys that the parser was told of; nil without any.
    var carried: [String: JSONValue]?
    /// Whether it is only for the app; nil for no.
    var isOnlyForApp: Bool?

    /// Whether it is only for the app, and the user must not see it: `content-available` is 1, and it has neither an
    /// alert, a sound nor a badge.
    public var isSilent: Bool { isOnlyForApp == true }

    /// The values for the app, by the keys that ``PushPayloadParser`` was told of. They are as they came: none has been
    /// checked.
    public var content: [String: JSONValue] { carried ?? [:] }

    /// The category and the link's route, without texts and values.
    public var description: String {
        "\(isSilent ? "silent push" : "push")\(category.map { " of category \($0)" } ?? "")\(link.map { " with a \($0)" } ?? "")"
    }

    // Reading the parts of a payload: a wrong one is left out, and named.

    fileprivate mutating func part<Part>(
        _ value: JSONValue?,
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Part?
    ) -> Part? {
        guard let value else { return nil }
        if let part = read(value) { return part }
        problems.append("\(name) is \(value.kind) where \(expected) was expected")
        return nil
    }

    fileprivate mutating func text(_ value: JSONValue?, _ name: String, limit: Int) -> String? {
        part(value, name, "a text", \.text).map { plainText($0, limit: limit) }
    }

    fileprivate mutating func takeCategory(_ value: JSONValue?, knowing categories: Set<String>) {
        guard let category = text(value, "aps.category", limit: 128) else { return }
        if categories.holds(category) { return self.category = category }
        // Sorted: of two that are as near, the same one each time.
        let nearest = nearestName(to: category, in: categories.sorted())
        problems.append("aps.category is unknown\(nearest.map { "; the nearest is \($0)" } ?? "")")
    }

    fileprivate mutating func takeLink(_ value: JSONValue?, judgedBy links: DeepLinkRouter?) {
        guard let text = part(value, "url", "a link", \.text) else { return }
        guard let links else { return problems.append("url was ignored: the app follows no links in pushes") }
        do throws(DeepLinkError) {
            let link = try links.link(text)
            // Nobody is there to confirm it.
            if isSilent, link.changesState {
                let reason = "it changes something, and a silent push has nobody who confirms it"
                return problems.append("url was ignored: \(reason)")
            }
            self.link = link
        } catch {
            problems.append("url: \(error)")
        }
    }
}

/// Why a push payload was rejected as a whole. Nothing of it is shown.
struct PushPayloadError: DescribedError, Sendable, Hashable {
    /// The event and the expectation.
    let reason: String

    /// The message, in one sentence.
    var description: String { "push rejected: \(reason)" }

    static let tooLarge = PushPayloadError(reason: "it is larger than \(PushPayloadParser.maximumSize) bytes")
    static let tooDeep = PushPayloadError(reason: "it is nested more than \(PushPayloadParser.maximumDepth) levels deep")
    static let malformed = PushPayloadError(reason: "it is no JSON object in UTF-8")

    static let strangeAccount = PushPayloadError(
        reason: "the account that it is for is neither a text nor a whole number, so nobody may be shown it"
    )

    static func missingAPS(_ found: JSONValue?) -> PushPayloadError {
        PushPayloadError(reason: found.map { "aps is \($0.kind) where an object was expected" } ?? "it has no aps, which every push has")
    }
}

/// Reads push payloads, which may come from anybody.
///
/// A payload that is too large, nested too deep, without `aps` or not a JSON object is rejected. Any other wrong part
/// is left out and named in `PushPayload/problems`, so that the user still sees the rest. Beside `aps` it may have a
/// link under `url`, its account under `account`, and its expiry under `expires`, in seconds since 1970. Without a
/// valid number there, it expires after a week. A link it carries is judged like every other; a silent push carries
/// none that changes something, for nobody is asked to confirm it.
///
/// ```swift
/// let parser = PushPayloadParser(categories: ["now-playing"], links: router)
/// let push = try parser.payload(from: notification.request.content.userInfo)
/// ```
public struct PushPayloadParser: Sendable {
    /// The most bytes a payload may have: what Apple's push service lets through.
    static let maximumSize = 4_096
    /// The deepest a payload may be nested.
    static let maximumDepth = 16

    private let categories: Set<String>
    private let links: DeepLinkRouter?
    private let contentKeys: Set<String>

    /// A parser of payloads of these categories.
    ///
    /// - Parameters:
    ///   - categories: those the app knows.
    ///   - links: judges links; nil when pushes carry none that are followed.
    ///   - contentKeys: the keys, beside `aps`, of the values that the app reads itself: ``PushPayload/content``.
    ///       Values of other keys are left out.
    public init(
        categories: Set<String>,
        links: DeepLinkRouter? = nil,
        contentKeys: Set<String> = []
    ) {
        self.contentKeys = contentKeys
        self.categories = categories
        self.links = links
    }

    /// Reads a payload from JSON in UTF-8.
    public func payload(from data: Data) throws -> PushPayload {
        guard data.count <= Self.maximumSize else { throw PushPayloadError.tooLarge }
        // Before it is decoded: depth is what makes decoders recurse.
        let limits = AnswerLimits(maximumSize: .max, maximumDepth: Self.maximumDepth, maximumCount: .max)
        guard limits.excess(in: data) == nil else { throw PushPayloadError.tooDeep }
        // Foundation would take other encodings too, whose brackets were not counted.
        guard String(validUTF8: data) != nil, !data.contains(0),
            let value = try? JSONDecoder().decode(JSONValue.self, from: data)
        else { throw PushPayloadError.malformed }
        return try payload(from: value)
    }

    /// Reads a payload from a dictionary, as the system hands it over.
    public func payload(from dictionary: [AnyHashable: Any]) throws -> PushPayload {
        // First: to write it as JSON takes a recursion, too.
        guard Self.isShallow(dictionary, Self.maximumDepth) else { throw PushPayloadError.tooDeep }
        guard let object = dictionary as? [String: Any], JSONSerialization.isValidJSONObject(object) else {
            throw PushPayloadError.malformed
        }
        return try payload(from: try JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes))
    }

    private static func isShallow(_ value: Any, _ levels: Int) -> Bool {
        switch value {
        case let members as [AnyHashable: Any]: levels > 0 && members.values.allSatisfy { isShallow($0, levels - 1) }
        case let elements as [Any]: levels > 0 && elements.allSatisfy { isShallow($0, levels - 1) }
        default: true
        }
    }

    private func payload(from value: JSONValue) throws(PushPayloadError) -> PushPayload {
        guard case .object(let payload) = value else { throw .malformed }
        guard case .object(let found)? = payload["aps"] else { throw .missingAPS(payload["aps"]) }
        let (fields, aps) = (Self.withoutBlanks(payload), Self.withoutBlanks(found))
        let carried = payload.filter { $0.key != "aps" && contentKeys.holds($0.key) }
        var push = PushPayload(account: try account(fields["account"]))
        push.carried = carried.isEmpty ? nil : carried
        push.isOnlyForApp = Self.isOnlyForApp(aps) ? true : nil
        let alert = push.part(aps["alert"], "aps.alert", "a text or an object") { alert -> [String: JSONValue]? in
            switch alert {
            case .object(let members): Self.withoutBlanks(members)
            // The short form of an alert is its body alone.
            case .string: ["body": alert]
            default: nil
            }
        }
        let seconds = push.part(fields["expires"], "expires", "a number", \.number)
        push.expiresAt = seconds.map(JSONWebToken.date(numericDate:))
        push.takeCategory(aps["category"], knowing: categories)
        push.title = push.text(alert?["title"], "aps.alert.title", limit: 256)
        push.body = push.text(alert?["body"], "aps.alert.body", limit: 2_048)
        push.takeLink(fields["url"], judgedBy: links)
        return push
    }

    /// A service may write null, or a blank text, for an absent value: it is neither a wrong part nor visible to a
    /// user.
    private static func withoutBlanks(_ members: [String: JSONValue]) -> [String: JSONValue] {
        members.filter { !$0.value.isBlank }
    }

    private static func isOnlyForApp(_ aps: [String: JSONValue]) -> Bool {
        // Apple's form of a push for the background: exactly 1, and none of the three that the user would notice.
        aps["content-available"] == 1 && aps["alert"] == nil && aps["sound"] == nil && aps["badge"] == nil
    }

    /// A push for an account that cannot be told would be shown to anybody, so it is rejected.
    private func account(_ value: JSONValue?) throws(PushPayloadError) -> String? {
        switch value {
        case .string(let text)?: text
        // Of larger ones a service in another language may have lost the last digits: it would be somebody else's.
        case .integer(let number)? where number.magnitude < 1 << 53: String(number)
        case .null?, nil: nil
        default: throw .strangeAccount
        }
    }
}

/// `text` fit to be shown to the user: characters that control a screen or a terminal are removed, line ends and tabs
/// become spaces, and a longer text is cut after `limit` characters.
///
/// It stays text: escape it before it is shown as markup.
package func plainText(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    // A character can be any number of scalars: without a bound on both, the result would have none.
    for (scalar, isShown) in judgedScalars(text).prefix(limit * 8) {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
        default: if isShown { result.append(scalar) }
        }
    }
    return String(String(result).prefix(limit))
}
