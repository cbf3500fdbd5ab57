// Without these declarations, the compiler reports a misspelt member in `graph.add("a") { step in step.nte("x") }` as
// "closure expects 0 arguments": of the overloads of `add`, it prefers the one without a context, because a parameter
// too many weighs less than an unknown member. With them, the member is found, in the right overload, and is
// unavailable.
extension StepContext {
    /// The type of a member that ``StepContext`` does not have.
    @_documentation(visibility: internal)
    @dynamicCallable
    public struct UnknownMember: Sendable {
        /// Does nothing.
        @discardableResult
        public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> UnknownMember { self }

        // For arguments such as `.seconds(1)` and `.forceUpdate`, which need a type.

        /// Does nothing.
        @_disfavoredOverload
        @discardableResult
        public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Duration>) -> UnknownMember { self }

        /// Does nothing.
        @_disfavoredOverload
        @discardableResult
        public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, AbortReason>) -> UnknownMember { self }
    }

    /// A member that is not there.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "a step's context has no member of this name")
    public subscript(dynamicMember name: String) -> UnknownMember { UnknownMember() }
}
