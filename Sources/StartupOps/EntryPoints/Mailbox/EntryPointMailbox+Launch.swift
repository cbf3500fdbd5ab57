extension EntryPointMailbox {
    /// Hands over one entry point before the main screen has appeared: the push that a launch is for, whose content comes first.
    ///
    /// - Returns: whether it was accepted; false as well when it does not wait any more, or nothing is delivered in this launch.
    @discardableResult
    public func deliver(_ id: String, to handler: @Sendable (EntryPointDelivery) async throws -> Void) async -> Bool {
        guard state.withLock({ $0.phase != .stopped }) else { return false }
        let others = Set(waiting().map(\.id)).subtracting([id])
        guard let delivery = claimNext(for: .loggedIn, except: others) else { return false }
        guard delivery.id == id else {
            // It has arrived just now.
            transact { $0.release(delivery.id, counts: false) }
            return false
        }
        return await handOver(delivery, to: handler)
    }

    /// What started the app, as far as the mailbox knows: what would be delivered first.
    public var origin: LaunchContext.Origin {
        switch waiting().first?.entryPoint {
        case .push: .push
        case .link: .link
        case .shortcut: .shortcut
        case nil: .icon
        }
    }
}
