/// Tries all cases beside each other: for those that wait most of the time. It ends with the last of them, or with the first error.
package func atOnce<Case: Sendable>(
    _ cases: some Sequence<Case>,
    _ body: @escaping @Sendable (Case) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for value in cases { group.addTask { try await body(value) } }
        try await group.waitForAll()
    }
}
