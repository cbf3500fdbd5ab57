import Foundation

/// The entry points that were received and not yet accepted, and the rules for them: a value without a clock, a lock or a store, which is
/// stored as it is.
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
        let receivedAt: Date
        /// Counts up from launch to launch. Clocks are set, this is not.
        var number: Int
        /// How many deliveries have begun.
        var attempts = 0
        var claim: Claim?

        /// What its next delivery is.
        var delivery: EntryPointDelivery {
            EntryPointDelivery(id: id, entryPoint: entryPoint, receivedAt: receivedAt, isRedelivery: attempts > 0)
        }
    }

    struct Claimed: Sendable, Hashable {
        let delivery: EntryPointDelivery?
        let dropped: [DroppedEntryPoint]
    }

    /// How many deliveries begin before an entry point is given up: one that kills the app must not do so for ever.
    static let maximumAttempts = 3
    /// How many identifiers of accepted entry points are remembered.
    static let maximumAccepted = 64

    var records: [Record] = []
    var nextNumber = 0
    /// The identifiers, given by the app, of what was accepted last.
    var accepted: [String] = []
    /// How many records could not be read. It is not stored.
    private(set) var unreadable = 0

    /// Whether an entry point of this identifier is here, or was accepted a short while ago.
    func knows(_ id: String) -> Bool { accepted.contains(id) || records.contains { $0.id == id } }

    /// Keeps an entry point. Where there are too many, those that came first are given up, and those whose delivery has begun last: what came
    /// last is what the person is after.
    mutating func add(_ entryPoint: EntryPoint, id: String, at date: Date, capacity: Int) -> [DroppedEntryPoint] {
        let excess = Set(
            records.sorted { ($0.claim == nil ? 0 : 1, $0.number) < ($1.claim == nil ? 0 : 1, $1.number) }
                .prefix(max(0, records.count + 1 - max(1, capacity))).map(\.id)
        )
        records.append(Record(id: id, entryPoint: entryPoint, receivedAt: date, number: nextNumber))
        // Out of a stored value: it may be anything.
        nextNumber = nextNumber == .max ? 0 : nextNumber + 1
        return drop(because: "more than \(max(1, capacity)) entry points were waiting, and it was the oldest") { excess.contains($0.id) }
    }

    /// Begins a delivery: of pushes, then links, then shortcuts, each in the order they came in.
    ///
    /// - Parameter isAbandoned: whether nobody is left to end a delivery.
    mutating func claim(
        _ claim: Claim,
        session: EntryPointSession,
        except postponed: Set<String>,
        isAbandoned: (Claim) -> Bool
    ) -> Claimed {
        let dropped = drop(because: "\(Self.maximumAttempts) deliveries began and none ended well") {
            $0.attempts >= Self.maximumAttempts && ($0.claim.map(isAbandoned) ?? true)
        }
        let next = records.indices.filter { index in
            let record = records[index]
            return !postponed.contains(record.id) && (record.claim.map(isAbandoned) ?? true)
                && (session == .loggedIn || !record.entryPoint.needsLogin)
        }.min { Self.isSooner(records[$0], records[$1]) }
        guard let next else { return Claimed(delivery: nil, dropped: dropped) }
        let record = records[next]
        records[next].claim = claim
        records[next].attempts = record.attempts + 1
        return Claimed(delivery: record.delivery, dropped: dropped)
    }

    /// The order of deliveries.
    static func isSooner(_ left: Record, _ right: Record) -> Bool {
        (left.entryPoint.rank, left.number) < (right.entryPoint.rank, right.number)
    }

    /// A delivery was accepted.
    mutating func finish(_ id: String) {
        records.removeAll { $0.id == id }
        accepted.removeAll { $0 == id }
        accepted.append(id)
        accepted.removeFirst(max(0, accepted.count - Self.maximumAccepted))
    }

    /// A delivery was not accepted.
    ///
    /// - Parameter counts: whether it counts as one that has begun.
    mutating func release(_ id: String, counts: Bool) {
        guard let index = records.firstIndex(where: { $0.id == id }) else { return }
        records[index].claim = nil
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

    /// A record that cannot be read, such as one of a later version of the app, is left out and counted; the others are kept.
    private struct Lenient: Decodable {
        let record: Record?
        init(from decoder: any Decoder) { record = try? Record(from: decoder) }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let all = try container.decode([Lenient].self, forKey: .records)
        records = all.compactMap(\.record)
        unreadable = all.count - records.count
        nextNumber = (try? container.decode(Int.self, forKey: .nextNumber)) ?? 0
        accepted = (try? container.decode([String].self, forKey: .accepted)) ?? []
    }
}
