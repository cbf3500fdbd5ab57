import Foundation
import Sequencer
import StartupNetworking

/// A way into the app that it defines: a handoff, a tab that another device has sent, a widget, an intent.
///
/// It is kept, stored and delivered as a link is, and its content with it. Nothing that prints it shows the content.
///
/// ```swift
/// mailbox.receive(.app(try AppEntryPoint("handoff", SentTab(url: url), needsLogin: true)))
/// ```
public struct AppEntryPoint: Sendable, Hashable, Codable, SecretHolding {
    /// The app's name for the kind. It is shown in reports, and must hold no secret.
    public let kind: String
    /// The content, in JSON.
    private let json: Data
    /// Whether it needs a logged-in user.
    let needsLogin: Bool
    /// Whether it changes something, so that the user has to confirm it first.
    let changesState: Bool

    /// An entry point of this kind.
    ///
    /// - Throws: an `EncodingError` when the content cannot be written as JSON, such as a number that is infinite.
    public init(_ kind: String, _ content: some Encodable, needsLogin: Bool = false, changesState: Bool = false) throws {
        self.kind = kind
        // The same content has to be the same entry point.
        json = try JSONEncoder.sorted().encode(content)
        self.needsLogin = needsLogin
        self.changesState = changesState
    }

    /// The content.
    ///
    /// - Throws: a `DecodingError` when it is of another type, such as one of an earlier version of the app.
    public func content<Content: Decodable>(as type: Content.Type) throws -> Content { try JSONDecoder().decodeForeign(type, from: json) }

    /// The kind.
    public var description: String { printable(kind, limit: 80) }
}

/// An entry point came that the app's presenter does not take.
struct EntryPointNotTakenError: DescribedError, Sendable, Hashable {
    /// The entry point, without its texts and values.
    let entryPoint: String
    /// The method of the presenter that takes such ones.
    let method: String

    /// The message, in one sentence.
    var description: String { "\(entryPoint) was not taken: the presenter has no method \(method)" }
}
