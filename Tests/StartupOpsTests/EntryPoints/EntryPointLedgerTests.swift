import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("The ledger of entry points", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EntryPointLedgerTests {
    private let date = Date(timeIntervalSince1970: 0)

    private func claim(_ owner: String) -> EntryPointLedger.Claim { EntryPointLedger.Claim(owner: owner, process: 1, since: date) }

    private func record(_ id: String) -> EntryPointLedger.Record {
        EntryPointLedger.Record(id: id, entryPoint: EntryPointSamples.shortcut(id), receivedAt: date)
    }

    @Test("fault L20: random receipts, deliveries, failures and drops: each entry point ends once, and none is lost")
    func conservation() throws {
        var random = SplitMix64(seed: 20)
        for _ in 0..<100 {
            var ledger = EntryPointLedger()
            var received = 0
            var ended: [String] = []
            var claimed: [String] = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    ended += ledger.add(record("\(received)"), capacity: 5).map(\.id)
                    received += 1
                    claimed.removeAll { ended.contains($0) }
                case 2, 3:
                    let isAlone = Bool.random(using: &random)
                    let next = ledger.claim(claim("me"), session: .guest, except: [], isAbandoned: { _ in isAlone })
                    ended += next.dropped.map(\.id)
                    claimed.removeAll { ended.contains($0) }
                    if let id = next.delivery?.id, !claimed.contains(id) { claimed.append(id) }
                case 4:
                    guard let id = claimed.popLast() else { continue }
                    if Bool.random(using: &random) {
                        ledger.finish(id)
                        ended.append(id)
                    } else {
                        ledger.release(id, counts: Bool.random(using: &random))
                    }
                default:
                    ended += ledger.drop(because: "test") { $0.claim == nil && $0.number % 7 == 0 }.map(\.id)
                }
                ledger = try JSONDecoder().decode(EntryPointLedger.self, from: JSONEncoder().encode(ledger))
                #expect(Set(ended).count == ended.count, "none ends twice")
                #expect(Set(ended).union(ledger.records.map(\.id)) == Set((0..<received).map(String.init)), "none is lost")
                #expect(ledger.records.count <= 5)
                #expect(Set(ledger.records.map(\.number)).count == ledger.records.count)
            }
        }
    }

    @Test("B59: a number that a store made up does not trap")
    func extremes() throws {
        var largest = record("x")
        (largest.number, largest.attempts) = (.max, .max)
        var ledger = EntryPointLedger()
        ledger.records = [largest]
        ledger.nextNumber = .max
        #expect(ledger.add(record("y"), capacity: .min).map(\.id) == ["x"])
        ledger.records = [largest]
        #expect(ledger.claim(claim("me"), session: .guest, except: [], isAbandoned: { _ in true }).dropped.map(\.id) == ["x"])
        ledger.records = [
            EntryPointLedger.Record(id: "z", entryPoint: EntryPointSamples.shortcut(), receivedAt: date, number: 0, attempts: .min)
        ]
        #expect(ledger.claim(claim("me"), session: .guest, except: [], isAbandoned: { _ in true }).delivery?.id == "z")
        ledger.release("z", counts: false)
        let most = EntryPointLedger.maximumAccepted
        for number in 0..<most + 100 { ledger.finish("\(number)") }
        #expect(ledger.accepted.count == most)
        #expect(ledger.knows("\(most + 99)") && !ledger.knows("0"))
        // However long the app's identifiers are.
        for number in 0..<100 { ledger.finish(String(repeating: "\(number)", count: 1000)) }
        #expect(ledger.accepted.reduce(0) { $0 + $1.utf8.count } <= EntryPointLedger.maximumAcceptedBytes)
    }
}
