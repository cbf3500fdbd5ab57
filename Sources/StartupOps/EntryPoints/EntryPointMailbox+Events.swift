import Foundation
import Sequencer

// Entry points that wait for an event: a link of a window that has yet to be connected.

extension EntryPointMailbox {
    /// Keeps an entry point that is not delivered before an event, such as that of the window that it belongs to.
    ///
    /// It is stored at once, as any other. Where the event fails, it waits no longer; nor does it in a later process,
    /// which knows nothing of this event. It is handed over by the delivery that runs then, or by the next: deliver
    /// again when the event has come, as after a login.
    ///
    /// ```swift
    /// mailbox.receive(.link(link), after: window)   // an ExternalEvent<Scene>
    /// window.whenSettled { _ in Task { await mailbox.deliver(to: show) } }
    /// ```
    ///
    /// - Parameter event: the event. The others are as those of ``receive(_:id:for:expiresAt:)``.
    @discardableResult
    public func receive<Value: Sendable>(
        _ entryPoint: EntryPoint,
        id: String? = nil,
        for account: String? = nil,
        expiresAt: Date? = nil,
        after event: ExternalEvent<Value>
    ) -> EntryPointReceipt {
        let name = id ?? UUID().uuidString
        // Before it is kept: a delivery that runs could take it otherwise.
        state.withLock { $0.heldBack[name, default: 0] += 1 }
        let receipt = keep(entryPoint, name, isUnnamed: id == nil, for: account, expiresAt: expiresAt)
        // The other call holds it, too, and lets go by itself.
        if receipt == .duplicate {
            letGo(name)
        } else {
            event.whenSettled(.atOnce) { [weak self] _ in self?.letGo(name) }
        }
        return receipt
    }

    /// Whether it waits for an event.
    func isHeldBack(_ id: String) -> Bool { state.withLock { $0.heldBack[id] != nil } }

    private func letGo(_ id: String) {
        state.withLock { state in
            guard let holds = state.heldBack[id] else { return }
            state.heldBack[id] = holds > 1 ? holds - 1 : nil
            // The delivery that runs may have passed it over.
            if holds == 1, state.isDelivering { state.hasNews = true }
        }
    }
}
