/// What travels over the network holds secrets in places that cannot be told from others: header fields, queries, bodies. Whatever prints, dumps
/// or reflects it sees none of these.
extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, never their values.
    public var description: String { "[\(map(\.name).joined(separator: ", "))]" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Nothing of the values.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension HTTPRequest: CustomDebugStringConvertible, CustomReflectable {
    /// The same as the description.
    public var debugDescription: String { description }
    /// What the description says, and the names of the header fields.
    public var customMirror: Mirror { Mirror(self, children: ["request": description, "headers": headers]) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the length of the body.
    public var description: String { "\(status), \(body.count) bytes" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// What the description says, and the names of the header fields.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "headers": headers]) }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, host and path of the request; never its query and its body.
    public var description: String { HTTPRequest(method, url).description }
    /// The same as the description.
    public var debugDescription: String { description }
    /// What the description says.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
