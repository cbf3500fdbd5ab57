import Foundation
import StartupNetworking

/// The entry points that were received and not yet accepted, and the rules for them: a value without a clock, a lock or
/// a store, which is stored as it is.
struct EntryPointLedger: Sendable, Hashable {
    /// A delivery that has begun and not ended.
    struct Claim: Sendable, Hashable, Codable {
        /// The mailbox that delivers.
        let owner: String
        /// The process it is in.
        let process: Int32
        let since: Date
    }

    struct Record: Sendable, Hashable, Codable {
        let id: String
        let entryPoint: EntryPoint
        var receivedAt: Date
        /// Counts up from launch to launch. Clocks are set, this is not.
        var number = 0
        /// How many deliveries have begun.
        var attempts = 0
        var claim: Claim?
        /// The account that it is for; nil when it is for every account.
        var account: String?
        /// When it is of no use any more, where it says so.
        var expiresAt: Date?
        /// Whether the mailbox has made its identifier up, so that nobody will come with it again; nil for no.
        var isUnnamed: Bool?

        /// Its next delivery.
        var delivery: EntryPointDelivery {
            EntryPointDelivery(id: id, entryPoint: entryPoint, isRedelivery: attempts > 0, account: account)
        }

        /// Whether it may be delivered while this one's session is open.
        func isFor(_ session: EntryPointSession) -> Bool {
            // Bound to an account: a guest, or somebody else, must not see it.
            switch session {
            case .guest: account == nil && !entryPoint.needsLogin
            case .loggedIn(let recipient): account == nil || areSame(account, recipient)
            }
        }

        /// Whether a clock that was wrong at that time, or is now, says that it has still to come.
        func isFromFuture(at date: Date) -> Bool { expiresAt == nil && receivedAt > date }

        func hasExpired(at date: Date) -> Bool { (expiresAt ?? receivedAt.addingTimeInterval(EntryPointLedger.lifetime)) <= date }
    }

    /// How many deliveries begin before an entry point is given up: one that kills the app must not do so for ever.
    static let maximumAttempts = 3
    /// How long an entry point without an expiry is kept, in seconds: a week. Nobody expects to be led anywhere by a
    /// link of last year.
    static let lifetime: TimeInterval = 7 * 24 * 3600
    /// How many identifiers of accepted entry points are remembered, and how many bytes they may have together.
    static let maximumAccepted = 1000
    static let maximumAcceptedBytes = 64 << 10

    var records: [Record] = []
    var nextNumber = 0
    /// The identifiers, given by the app, of the last accepted entry points.
    var accepted: [String] = []
    /// The records that could not be read, such as those of a later version of the app: they are stored again as they
    /// are.
    private(set) var unreadable: [JSONValue] = []

    /// Whether an entry point of this identifier is here, or was accepted a short while ago.
    func knows(_ id: String) -> Bool { accepted.contains(id) || records.contains { $0.id == id } }

    /// Keeps an entry point. Of too many, the oldest are given up first, and those whose delivery has begun last: the
    /// user is after the newest.
    mutating func add(_ record: Record, capacity: Int) -> [DroppedEntryPoint] {
        let waiting = records.sorted { ($0.claim == nil ? 0 : 1, $0.number) < ($1.claim == nil ? 0 : 1, $1.number) }
        let excess = Set(waiting.prefix(max(0, records.count + 1 - max(1, capacity))).map(\.id))
        append(record)
        return drop(because: "more than \(max(1, capacity)) entry points were waiting, and it was the oldest") { excess.contains($0.id) }
    }

    /// Appends a record behind all others.
    mutating func append(_ record: Record) {
        records.append(record)
        records[records.endIndex - 1].number = nextNumber
        // Out of a stored value: it may be anything.
        nextNumber = nextNumber == .max ? 0 : nextNumber + 1
    }

    /// Begins a delivery: of pushes, then links, then shortcuts, each in the order they came in.
    ///
    /// - Parameter isAbandoned: whether nobody is left to end a delivery.
    mutating func claim(
        _ claim: Claim,
        session: EntryPointSession,
        except postponed: Set<String>,
        isAbandoned: (Claim) -> Bool
    ) -> (delivery: EntryPointDelivery?, dropped: [DroppedEntryPoint]) {
        let dropped =
            // Expired first: they must not use up an attempt.
            dropExpired(at: claim.since, isAbandoned: isAbandoned)
            + drop(because: "\(Self.maximumAttempts) deliveries began and none ended well") {
                // A delivery in progress may still succeed.
                $0.attempts >= Self.maximumAttempts && ($0.claim.map(isAbandoned) ?? true)
            }
        let next = records.indices.filter { index in
            let record = records[index]
            return !postponed.contains(record.id) && (record.claim.map(isAbandoned) ?? true) && record.isFor(session)
        }.min { Self.isSooner(records[$0], records[$1]) }
        guard let next else { return (nil, dropped) }
        let record = records[next]
        records[next].claim = claim
        // Counted at the begin: a delivery that kills the process has to count.
        records[next].attempts = record.attempts + 1
        return (record.delivery, dropped)
    }

    /// Gives up expired entry points, and recognises them when they come again. A time of arrival in the future is set
    /// to now: otherwise it would be kept for as long as the clock was wrong.
    mutating func dropExpired(at date: Date, isAbandoned: (Claim) -> Bool) -> [DroppedEntryPoint] {
        for index in records.indices where records[index].isFromFuture(at: date) { records[index].receivedAt = date }
        let expired = drop(because: "its time was over") { $0.hasExpired(at: date) && ($0.claim.map(isAbandoned) ?? true) }
        for dropped in expired { remember(dropped.id) }
        return expired
    }

    /// The order of deliveries.
    static func isSooner(_ left: Record, _ right: Record) -> Bool {
        (left.entryPoint.rank, left.number) < (right.entryPoint.rank, right.number)
    }

    /// A delivery was accepted.
    mutating func finish(_ id: String) {
        // A made-up identifier never comes again, and would push a real one out.
        let isUnnamed = records.contains { $0.id == id && $0.isUnnamed == true }
        records.removeAll { $0.id == id }
        if !isUnnamed { remember(id) }
    }

    /// Takes it for a duplicate when one of this identifier comes again.
    private mutating func remember(_ id: String) {
        accepted.removeAll { $0 == id }
        accepted.append(id)
        accepted.removeFirst(max(0, accepted.count - Self.maximumAccepted))
        // Both limits: identifiers come from outside, and may be long.
        var bytes = accepted.reduce(0) { $0 + $1.utf8.count }
        while bytes > Self.maximumAcceptedBytes, accepted.count > 1 { bytes -= accepted.removeFirst().utf8.count }
    }

    /// A delivery was not accepted.
    ///
    /// - Parameter counts: whether it counts as one that has begun.
    mutating func release(_ id: String, counts: Bool) {
        guard let index = records.firstIndex(where: { $0.id == id }) else { return }
        records[index].claim = nil
        // Below zero it would be delivered once more than others.
        if !counts { records[index].attempts = max(0, records[index].attempts - 1) }
    }

    /// Gives up what `isChosen`, in order.
    mutating func drop(because reason: String, where isChosen: (Record) -> Bool) -> [DroppedEntryPoint] {
        let chosen = records.filter(isChosen).sorted { $0.number < $1.number }
        guard !chosen.isEmpty else { return [] }
        let ids = Set(chosen.map(\.id))
        records.removeAll { ids.contains($0.id) }
        return chosen.map { DroppedEntryPoint(id: $0.id, entryPoint: $0.entryPoint, reason: reason) }
    }
}

extension EntryPointLedger: Codable {
    private enum CodingKeys: String, CodingKey {
        case records, nextNumber, accepted
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var entries = try container.nestedUnkeyedContainer(forKey: .records)
        while !entries.isAtEnd {
            let entry = try entries.superDecoder()
            if let record = try? Record(from: entry) {
                records.append(record)
            } else {
                // An entry of a later version of the app, say, is kept as it is, and does not lose the others.
                unreadable.append((try? JSONValue(from: entry)) ?? .null)
            }
        }
        // Lenient: a ledger of another version must not lose its records for a number.
        nextNumber = (try? container.decode(Int.self, forKey: .nextNumber)) ?? 0
        accepted = (try? container.decode([String].self, forKey: .accepted)) ?? []
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Of more than a mailbox ever holds, the newest are kept: nothing here may grow for ever.
        var entries = container.nestedUnkeyedContainer(forKey: .records)
        for value in unreadable.suffix(64) { try entries.encode(value) }
        for record in records { try entries.encode(record) }
        try container.encode(nextNumber, forKey: .nextNumber)
        try container.encode(accepted, forKey: .accepted)
    }
}
