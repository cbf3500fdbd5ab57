import Sequencer
import Tracing

extension StepContext {
    /// Runs `body` in a span of this step: the span is the parent of all that is traced in it.
    ///
    /// ```swift
    /// graph.add("config") { step in
    ///     try await step.withSpan(in: tracer) { _ in try await client.get("/config") }
    /// }
    /// ```
    ///
    /// `ServiceContext.current` is the span's in `body` and in the tasks that it makes. The span has the step's name and
    /// the number of its attempt; each attempt has one. Its parent is the span in which the launch was started. It ends
    /// with `body`, and has the error that `body` throws.
    public func withSpan<Value>(
        in tracer: some Tracer,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (any Span) async throws -> Value
    ) async rethrows -> Value {
        try await tracer.withSpan(operation, isolation: isolation) { span in
            span.attributes["sequencer.attempt"] = attempt
            return try await body(span)
        }
    }

    /// Does the same for a step that blocks.
    public func withSpan<Value>(in tracer: some Tracer, _ body: (any Span) throws -> Value) rethrows -> Value {
        try tracer.withSpan(operation) { span in
            span.attributes["sequencer.attempt"] = attempt
            return try body(span)
        }
    }
}
