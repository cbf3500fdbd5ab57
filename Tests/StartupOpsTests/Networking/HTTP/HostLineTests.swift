import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("The line of transfers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HostLineTests {
    private let begun = Locked<[Int]>([])

    private func line(_ limit: Int, slowAfter: Duration = .seconds(3_600)) -> HostLine {
        HostLine(limit: limit, slowAfter: slowAfter)
    }

    private func enter(
        _ line: HostLine,
        _ number: Int,
        _ host: String = "a.example",
        isRefused: @escaping @Sendable () -> Bool = { false }
    ) throws -> Transfer {
        var request = HTTPRequest(.get, try webAddress("https://\(host)/\(number)"))
        request.ticket.isRefused = isRefused
        let transfer = Transfer(request, maximumBodySize: 10)
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
        let line = line(2)
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
        let line = line(1)
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

    @Test("those that take long give their places to the next, up to a bound")
    func slow() async throws {
        let line = line(1, slowAfter: .zero)
        let transfers = try (0...5).map { try enter(line, $0) }
        while begun.withLock({ $0.count }) < 4 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(begun.withLock { $0 } == [0, 1, 2, 3])
        #expect(line.othersUnderWay(before: transfers[4]) == 4 && line.othersUnderWay(before: transfers[3]) == nil)
        end(transfers[0])
        while begun.withLock({ $0.count }) < 5 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(begun.withLock { $0 } == [0, 1, 2, 3, 4])
        for transfer in transfers { end(transfer) }
    }

    @Test("transfers with a token that is refused meanwhile are not sent, and answered as the one that was")
    func refused() async throws {
        let line = line(1)
        let isRefused = Locked(false)
        let first = try enter(line, 0)
        let refused = try (1...2_000).map { number in
            try enter(line, number) { isRefused.withLock { $0 } }
        }
        let last = try enter(line, 2_001)
        #expect(begun.withLock { $0 } == [0])
        isRefused.withLock { $0 = true }
        end(first)
        for transfer in refused { #expect(try await transfer.answer.value.status == 401) }
        #expect(begun.withLock { $0 } == [0, 2_001])
        end(last)
    }
}
