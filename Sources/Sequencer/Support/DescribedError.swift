import Foundation

/// An error that says in one sentence what happened: the sentence is its description, and its `localizedDescription`, which an alert shows.
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
    // Public, although the protocol is not: it is how public values conform to the public `CustomStringConvertible`.
    /// The name.
    public var description: String { name }
}
