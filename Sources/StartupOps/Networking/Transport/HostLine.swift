import Sequencer

/// Lets so many transfers to each host begin at a time, in the order they came.
///
/// The line is here, where each transfer has its deadline, and not in libcurl, which `URLSession` is made of on Linux:
/// of a burst, that now and then forgets one in its own line, which then meets its deadline while the host is idle. It
/// never does where no more are handed to it than may be under way.
final class HostLine: Sendable {
    private struct Host {
        var waiting: [(transfer: Transfer, begin: @Sendable () -> Void)] = []
        var underWay = 0
    }

    private let limit: Int
    private let hosts = Locked<[HTTPOrigin: Host]>([:])

    /// - Parameter limit: how many transfers to a host are under way at a time.
    init(limit: Int) { self.limit = max(limit, 1) }

    /// Calls `begin` at once, or when enough of the transfers before it have ended; not for a transfer that has ended
    /// by then.
    func enter(_ transfer: Transfer, begin: @escaping @Sendable () -> Void) {
        let host = HTTPOrigin(transfer.request.url)
        hosts.withLock { $0[host, default: Host()].waiting.append((transfer, begin)) }
        // Before it may begin: from here on, each end is told.
        transfer.whenOver { [self] in leave(transfer, host) }
        beginNext(host)
    }

    private func leave(_ transfer: Transfer, _ host: HTTPOrigin) {
        hosts.withLock { hosts in
            if let index = hosts[host]?.waiting.firstIndex(where: { $0.transfer === transfer }) {
                hosts[host]?.waiting.remove(at: index)
            } else {
                hosts[host]?.underWay -= 1
            }
            if let left = hosts[host], left.underWay == 0, left.waiting.isEmpty { hosts[host] = nil }
        }
        beginNext(host)
    }

    private func beginNext(_ host: HTTPOrigin) {
        let next = hosts.withLock { hosts -> (@Sendable () -> Void)? in
            guard let line = hosts[host], line.underWay < limit, !line.waiting.isEmpty else { return nil }
            hosts[host]?.underWay += 1
            return hosts[host]?.waiting.removeFirst().begin
        }
        // Outside the lock: what begins may end at once.
        next?()
    }
}
