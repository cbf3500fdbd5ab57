import Sequencer

/// Lets so many transfers to each host begin at a time, in the order they came.
///
/// A transfer that takes long gives its place to the next and goes on: a few that hang do not keep the others from the
/// host.
///
/// The line is here, where each transfer has its deadline, and not in libcurl, which `URLSession` is made of on Linux:
/// of a burst, that now and then forgets one in its own line, which then meets its deadline while the host is idle. It
/// never does where no more are handed to it than may be under way.
final class HostLine: Sendable {
    private typealias Waiting = (transfer: Transfer, begin: @Sendable () -> Void)

    private struct Host {
        var waiting: [Waiting] = []
        var underWay: Set<ObjectIdentifier> = []
        /// The transfers under way that have a place, each with the timer that takes it away.
        var places: [ObjectIdentifier: DeadlineTimer] = [:]
    }

    /// How many times the limit are under way at a time, with the transfers that have lost their places.
    static let slowFactor = 4

    private let limit: Int
    private let slowAfter: Duration
    private let hosts = Locked<[HTTPOrigin: Host]>([:])

    /// - Parameters:
    ///   - limit: how many transfers to a host have a place at a time.
    ///   - slowAfter: how long a transfer has its place.
    init(limit: Int, slowAfter: Duration) {
        (self.limit, self.slowAfter) = (max(limit, 1), slowAfter)
    }

    /// Calls `begin` at once, or when there is a place; not for a transfer that has ended by then. A transfer whose
    /// token has been refused by then is answered with 401.
    func enter(_ transfer: Transfer, begin: @escaping @Sendable () -> Void) {
        let host = HTTPOrigin(transfer.request.url)
        hosts.withLock { $0[host, default: Host()].waiting.append((transfer, begin)) }
        // Before it may begin: from here on, each end is told.
        transfer.whenOver { [self] in leave(transfer, host) }
        beginNext(host)
    }

    /// How many others are under way while a transfer waits; nil for one that does not.
    func othersUnderWay(before transfer: Transfer) -> Int? {
        hosts.withLock { $0.values.first { $0.waiting.contains { $0.transfer === transfer } }?.underWay.count }
    }

    private func leave(_ transfer: Transfer, _ host: HTTPOrigin) {
        let id = ObjectIdentifier(transfer)
        let hasBegun = hosts.withLock { hosts in
            let hasBegun = hosts[host]?.underWay.remove(id) != nil
            hosts[host]?.places[id] = nil
            if !hasBegun { hosts[host]?.waiting.removeAll { $0.transfer === transfer } }
            if let left = hosts[host], left.underWay.isEmpty, left.waiting.isEmpty { hosts[host] = nil }
            return hasBegun
        }
        if hasBegun { beginNext(host) }
    }

    private func beginNext(_ host: HTTPOrigin) {
        let (refused, next) = hosts.withLock { hosts -> (ArraySlice<Waiting>, Waiting?) in
            // Divided: the limit may be the highest of numbers.
            guard let line = hosts[host], line.places.count < limit, line.underWay.count / Self.slowFactor < limit
            else { return ([], nil) }
            // Together: if each began the next, many in a row would end inside one another's ends.
            let refused = line.waiting.prefix { $0.transfer.request.ticket.isRefused() }
            let next = line.waiting.dropFirst(refused.count).first
            hosts[host]?.waiting.removeFirst(refused.count + (next == nil ? 0 : 1))
            if let id = next.map({ ObjectIdentifier($0.transfer) }) {
                hosts[host]?.underWay.insert(id)
                hosts[host]?.places[id] = DeadlineTimer(after: slowAfter) { [self] in
                    self.hosts.withLock { $0[host]?.places[id] = nil }
                    beginNext(host)
                }
            }
            return (refused, next)
        }
        // Outside the lock: what begins may end at once.
        for waiting in refused { waiting.transfer.handle { $0.end(with: HTTPResponse(status: 401)) } }
        next?.begin()
    }
}

/// What the line of its host has to know of a request. No two requests differ in it.
struct LineTicket: Sendable, Hashable {
    /// Whether the request is for a token, which other requests wait for.
    var isForTokens = false
    /// Whether the service has turned down the request's token.
    var isRefused: @Sendable () -> Bool = { false }

    static func == (one: LineTicket, other: LineTicket) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
