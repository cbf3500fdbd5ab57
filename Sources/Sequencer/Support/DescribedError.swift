import Foundation

// Not internal: optimised, the module would keep the public members of an internal protocol's extension to itself, and
// programs that call them would not link.

/// An error that says in one sentence what happened: the sentence is its description, and its `localizedDescription`,
/// which an alert shows.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    // Public, although the protocol is not: it is how public errors conform to the public `LocalizedError`.
    /// The description.
    public var errorDescription: String? { description }
}

/// A value that is told by its name alone: the name is its description.
package protocol NamedValue: CustomStringConvertible {
    var name: String { get }
}

extension NamedValue {
    // Public, as above.
    /// The name.
    public var description: String { name }
}

// Not internal, as above.
/// A value that an app writes as the string of its name.
package protocol NamedLiteral: NamedValue, ExpressibleByStringInterpolation {
    init(_ name: String)
}

extension NamedLiteral {
    // Public, as above.
    /// The value of this name.
    public init(stringLiteral name: String) { self.init(name) }
}

/// An error in the engine's own words: an operation ends with it, and nobody asks for more than the words.
struct EngineError: DescribedError {
    let description: String
}
