import Foundation

/// The process a mailbox is in, among those that share its store: claims deliveries, and tells which claims nobody is left to end.
struct EntryPointProcess: Sendable {
    /// Nobody works on a delivery for longer. A process number may have gone to another process, so a claim cannot hold for ever.
    static let longestDelivery: TimeInterval = 600

    let owner = UUID().uuidString
    var number = getpid()
    var isAlive: @Sendable (Int32) -> Bool = { $0 > 0 && (kill($0, 0) == 0 || errno == EPERM) }

    func claim(at date: Date) -> EntryPointLedger.Claim {
        EntryPointLedger.Claim(owner: owner, process: number, since: date)
    }

    /// Whether whoever has claimed is gone. There is one mailbox per process: another claim of the same process is of one that had its number
    /// before.
    func hasAbandoned(_ claim: EntryPointLedger.Claim, at date: Date) -> Bool {
        if claim.owner == owner { return false }
        let age = date.timeIntervalSince(claim.since)
        return claim.process == number || !isAlive(claim.process) || abs(age) > Self.longestDelivery
    }
}
