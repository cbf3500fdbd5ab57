/// A response model: what the service sends, in the service's words, which becomes what the app works with, in the app's.
///
/// ```swift
/// struct SpeakerResponse: Decodable, DomainConvertible {
///     let id: String, name: String
///     func domain() throws -> Speaker { Speaker(id: id, title: name) }
/// }
/// let speakers = try await client.query(.speakers, throughEach: SpeakerResponse.self, deadline: deadline)
/// ```
public protocol DomainConvertible: Decodable, Sendable {
    /// The app's own model of what was sent.
    associatedtype Domain: Sendable

    /// The app's model. What is thrown fails the request with `invalidData`.
    func domain() throws -> Domain
}
