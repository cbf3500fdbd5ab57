import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("The line of transfers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HostLineTests {
    private let begun = Locked<[Int]>([])

    private func enter(_ line: HostLine, _ number: Int, _ host: String = "a.example") throws -> Transfer {
        let transfer = Transfer(HTTPRequest(.get, try webAddress("https://\(host)/\(number)")), maximumBodySize: 10)
        line.enter(transfer) { [begun] in begun.withLock { $0.append(number) } }
        return transfer
    }

    private func end(_ transfer: Transfer) { transfer.handle { $0.fail(.timedOut, "there was no answer") } }

    //     line of a.example      under way
    //     2 3 4                  0 1           5 goes to another host
    //     2   4                  0 1           3 meets its deadline in the line
    //     4                      1 2           0 ends
    //                            2 4           1 ends
    @Test("so many are under way at a time; each end lets the next one begin, and one that ends in the line never begins")
    func places() throws {
        let line = HostLine(limit: 2)
        let transfers = try (0...4).map { try enter(line, $0) }
        #expect(begun.withLock { $0 } == [0, 1])
        let other = try enter(line, 5, "b.example")
        #expect(begun.withLock { $0 } == [0, 1, 5])
        end(transfers[3])
        #expect(begun.withLock { $0 } == [0, 1, 5])
        end(transfers[0])
        // Twice ended is ended once.
        end(transfers[0])
        #expect(begun.withLock { $0 } == [0, 1, 5, 2])
        end(transfers[1])
        #expect(begun.withLock { $0 } == [0, 1, 5, 2, 4])
        for transfer in transfers + [other] { end(transfer) }
        _ = try (6...7).map { try enter(line, $0) }
        #expect(begun.withLock { $0 } == [0, 1, 5, 2, 4, 6, 7])
    }

    @Test("a transfer that has ended before it comes takes no place, and one that ends as it begins leaves its place")
    func ends() throws {
        let line = HostLine(limit: 1)
        let ended = Transfer(HTTPRequest(.get, try webAddress("https://a.example/")), maximumBodySize: 10)
        end(ended)
        line.enter(ended) { Issue.record("it began") }
        for number in 0..<3 {
            let transfer = Transfer(HTTPRequest(.get, try webAddress("https://a.example/\(number)")), maximumBodySize: 10)
            line.enter(transfer) { [begun] in
                begun.withLock { $0.append(number) }
                transfer.handle { $0.fail(.unreachable, "there is no network") }
            }
        }
        #expect(begun.withLock { $0 } == [0, 1, 2])
    }
}
