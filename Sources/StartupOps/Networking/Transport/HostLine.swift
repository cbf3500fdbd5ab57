import Sequencer

/// Lets so many transfers to each host begin at a time, in the order they came.
///
/// One that takes long gives its place to the next and goes on: a few that hang do not keep the others from the host.
/// Transfers for tokens have a line of their own, so that none waits for those that need the token.
///
/// The line is here, where each transfer has its deadline, and not in libcurl, which `URLSession` is made of on Linux:
/// of a burst, that now and then forgets one in its own line, which then meets its deadline while the host is idle. It
/// never does where no more are handed to it than may be under way.
final class HostLine: Sendable {
    private struct Key: Hashable {
        let origin: HTTPOrigin
        let isForTokens: Bool
    }

    private struct Waiting {
        let transfer: Transfer
        let ticket: LineTicket
        let begin: @Sendable () -> Void
    }

    private struct Line {
        var waiting: [Waiting] = []
        var underWay: Set<ObjectIdentifier> = []
        /// Those of them that have a place, each with the timer that takes it away.
        var places: [ObjectIdentifier: DeadlineTimer] = [:]
    }

    private let limit: Int
    private let most: Int
    private let slowAfter: Duration
    private let lines = Locked<[Key: Line]>([:])

    /// - Parameters:
    ///   - limit: how many transfers of a line have a place at a time.
    ///   - most: how many are under way at a time, with those that have lost their places.
    ///   - slowAfter: how long a transfer has its place.
    init(limit: Int, most: Int, slowAfter: Duration) {
        self.limit = max(limit, 1)
        self.most = max(most, 1)
        self.slowAfter = slowAfter
    }

    /// Calls `begin` at once, or when there is a place; not for a transfer that has ended by then, and one whose token
    /// has been refused by then is answered with 401.
    func enter(_ transfer: Transfer, _ ticket: LineTicket = LineTicket(), begin: @escaping @Sendable () -> Void) {
        let key = Key(origin: HTTPOrigin(transfer.request.url), isForTokens: ticket.isForTokens)
        let waiting = Waiting(transfer: transfer, ticket: ticket, begin: begin)
        lines.withLock { $0[key, default: Line()].waiting.append(waiting) }
        // Before it may begin: from here on, each end is told.
        transfer.whenOver { [self] in leave(transfer, key) }
        beginNext(key)
    }

    /// How many others are under way while a transfer waits; nil for one that does not.
    func othersUnderWay(before transfer: Transfer) -> Int? {
        lines.withLock { lines in
            lines.values.first { $0.waiting.contains { $0.transfer === transfer } }?.underWay.count
        }
    }

    private func leave(_ transfer: Transfer, _ key: Key) {
        let id = ObjectIdentifier(transfer)
        let hasBegun = lines.withLock { lines in
            let hasBegun = lines[key]?.underWay.remove(id) != nil
            lines[key]?.places[id] = nil
            if !hasBegun, let index = lines[key]?.waiting.firstIndex(where: { $0.transfer === transfer }) {
                lines[key]?.waiting.remove(at: index)
            }
            if let left = lines[key], left.underWay.isEmpty, left.waiting.isEmpty { lines[key] = nil }
            return hasBegun
        }
        if hasBegun { beginNext(key) }
    }

    private func beginNext(_ key: Key) {
        while let (next, isRefused) = takeNext(key) {
            // Outside the lock: what begins may end at once.
            if !isRefused { return next.begin() }
            next.transfer.handle { $0.end(with: HTTPResponse(status: 401)) }
        }
    }

    private func takeNext(_ key: Key) -> (Waiting, isRefused: Bool)? {
        lines.withLock { lines -> (Waiting, isRefused: Bool)? in
            guard let line = lines[key], let next = line.waiting.first else { return nil }
            if line.places.count >= limit || line.underWay.count >= most { return nil }
            lines[key]?.waiting.removeFirst()
            // In the lock, and never under way: many in a row would end inside one another's ends.
            if next.ticket.isRefused() { return (next, isRefused: true) }
            let id = ObjectIdentifier(next.transfer)
            lines[key]?.underWay.insert(id)
            if limit < .max {
                lines[key]?.places[id] = DeadlineTimer(after: slowAfter) { [self] in
                    self.lines.withLock { $0[key]?.places[id] = nil }
                    beginNext(key)
                }
            }
            return (next, isRefused: false)
        }
    }
}

/// What the line knows of a request beside the request. Of the task that sends it: it passes through clients of the
/// app's own.
package struct LineTicket: Sendable {
    @TaskLocal static var current = LineTicket()

    /// Whether it is for a token, which others wait for.
    var isForTokens = false
    /// Whether the service has turned down the token that it has.
    var isRefused: @Sendable () -> Bool = { false }

    /// Runs what asks for a token, which waits for no other requests.
    package static func forTokens<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        try await $current.withValue(LineTicket(isForTokens: true), operation: body)
    }
}
