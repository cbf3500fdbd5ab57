/// A GraphQL operation: its name, its text, and where in the answer's data its result is.
///
/// ```swift
/// let speakers = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id name } }", field: "speakers")
/// ```
public struct GraphQLOperation: Sendable, Hashable {
    /// What an operation does.
    public enum Kind: Sendable, Hashable {
        /// Asks; answers may be cached.
        case query
        /// Changes something.
        case mutation
    }

    /// What it does.
    public let kind: Kind
    /// Its name, as in its text.
    public let name: String
    /// Its text.
    public let query: String
    /// The member of `data` that is its result; nil: `data` as a whole, for operations that combine several.
    public let field: String?
    /// The variable that takes the language to answer in; nil: it takes none. An empty language is the service's default.
    public let languageVariable: String?

    /// An operation.
    public init(_ kind: Kind, _ name: String, _ query: String, field: String? = nil, languageVariable: String? = nil) {
        self.kind = kind
        self.name = name
        self.query = query
        self.field = field
        self.languageVariable = languageVariable
    }
}
