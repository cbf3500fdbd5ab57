import Foundation
import Sequencer

/// Says on standard error what a launch waits for: on SIGUSR1, and when no operation has ended for a while.
final class StatusReporter: Sendable {
    /// After how long without an operation's end a launch counts as stalled.
    static let stallLimit = Duration.seconds(5)

    private let pausing: LivePause?
    private let watch = Locked<SignalWatch?>(nil)
    private let status = Locked<(@Sendable () -> LaunchStatus?)?>(nil)

    /// - Parameter pausing: keeps a live view off the terminal meanwhile; nil when there is none.
    init(pausing: LivePause?) {
        self.pausing = pausing
        let watch = SignalWatch([SIGUSR1]) { [weak self] _ in
            guard let self, let status = status.withLock({ $0 })?() else { return }
            show(status)
        }
        self.watch.withLock { $0 = watch }
    }

    /// What SIGUSR1 asks for, from now on.
    func watch(_ status: @escaping @Sendable () -> LaunchStatus?) {
        self.status.withLock { $0 = status }
    }

    /// Tells of a launch that makes no progress.
    var stallWatch: StallWatch {
        StallWatch(after: Self.stallLimit) { [weak self] status in
            self?.show(status, headline: "no operation has ended for \(durationText(Self.stallLimit))")
        }
    }

    /// Lets SIGUSR1 end the process again.
    func end() {
        watch.withLock { watch in
            watch?.end()
            watch = nil
        }
    }

    private func show(_ status: LaunchStatus, headline: String? = nil) {
        let text = [headline, status.description].compactMap(\.self).joined(separator: "\n")
        guard let pausing else { return message(text) }
        Task {
            await pausing.pause()
            message(text)
            pausing.resume()
        }
    }
}
