import Testing

/// A text as the argument of a test, which the log shows by its beginning and its length.
package struct LongText: Sendable, CustomTestStringConvertible, ExpressibleByStringInterpolation {
    package let value: String

    package init(_ value: String) { self.value = value }
    package init(stringLiteral value: String) { self.value = value }

    package var testDescription: String {
        let shown = value.utf8.count > 80 ? "\(value.prefix(60))… (\(value.utf8.count) bytes)" : value
        return shown.debugDescription
    }
}
