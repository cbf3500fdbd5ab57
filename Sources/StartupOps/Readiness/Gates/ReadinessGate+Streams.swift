extension ReadinessGate {
    /// Lets a stream of values say whether a condition is met, until the gate is open or the stream ends.
    ///
    /// ```swift
    /// gate.follow("authorised", authorisationStatuses) { $0 != .notDetermined }
    /// ```
    ///
    /// The gate is not kept alive by it. A stream that ends while the condition is unmet is named in ``diagnosis``.
    ///
    /// - Parameters:
    ///   - source: what the values come from, for the diagnosis.
    ///   - isMet: whether a value meets the condition; nil when it says nothing about it.
    /// - Returns: the task that reads the stream; cancelling it stops that.
    @discardableResult
    public func follow<Values: AsyncSequence & Sendable>(
        _ condition: ConditionName,
        _ values: Values,
        by source: String? = nil,
        isMet: @escaping @Sendable (Values.Element) -> Bool?
    ) -> Task<Void, Never> where Values.Failure == Never, Values.Element: Sendable {
        Task { [weak self] in
            for await value in values {
                guard let self else { return }
                guard let isMet = isMet(value) else { continue }
                let change = set(condition, to: isMet, by: source)
                if change == .opened || change == .tooLate || change == .unknown { return }
            }
            if !Task.isCancelled { self?.sourceEnded(condition) }
        }
    }
}
