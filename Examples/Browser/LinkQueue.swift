//  Links come at any time: before the launch, during it, and long after. Each is opened once, after its window is shown.

import Foundation
import Sequencer

/// Keeps links until they are opened.
///
/// A link is on the disk from the moment at which it comes: a launch that fails, or a process that dies, leaves it to the next one.
nonisolated final class LinkQueue: @unchecked Sendable {
    // @unchecked: `waiting` is only touched while `lock` is held; the rest is constant.

    private let phone: Phone
    /// Those that earlier launches have left.
    private let earlier: [String]
    private let lock = NSLock()
    private var waiting: [ExternalEvent<Bool>] = []

    init(_ phone: Phone) {
        self.phone = phone
        earlier = phone.keptLinks
    }

    /// Takes a link, from any thread.
    func receive(_ link: String, for window: Window) {
        phone.keep(link)
        deliver(link, to: window)
    }

    func deliverEarlier(to window: Window) {
        for link in earlier { deliver(link, to: window) }
    }

    /// Waits until each link that has come up to now was opened, or is left to the next launch.
    func settled() async {
        for link in lock.withLock({ waiting }) { _ = try? await link.value }
    }

    private func deliver(_ link: String, to window: Window) {
        let opened = ExternalEvent<Bool>("link-opened")
        lock.withLock { waiting.append(opened) }
        window.shown.whenSettled(on: .main) { [phone] result in
            switch result {
            case .success:
                phone.open(link)
                opened.fulfill(true)
            case .failure: opened.fulfill(false)
            }
        }
    }
}
