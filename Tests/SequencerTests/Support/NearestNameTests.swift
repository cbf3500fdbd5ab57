import TestSupport
import Testing

@testable import Sequencer

@Suite("The nearest name", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct NearestNameTests {
    private static let names = [
        "splash", "force-update", "fetch-config", "login", "tutorial", "connect-speaker", "present-push-information", "deeplink",
        "main-app",
    ]

    @Test("the nearest wins, and of equally near names the first")
    func order() {
        #expect(nearestName(to: "step-10", in: ["step-11", "step-1", "step-12"]) == "step-11")
        #expect(nearestName(to: "login", in: ["logins-", "logins", "logout"]) == "logins")
        #expect(nearestName(to: "login", in: ["LOGIN", "login"]) == "LOGIN")
    }

    @Test("letters count, not bytes")
    func scripts() {
        #expect(nearestName(to: "загрузка", in: ["загрузкa", "вход"]) == "загрузкa")
        #expect(nearestName(to: "ЗАГРУЗКА", in: ["загрузка"]) == "загрузка")
        #expect(nearestName(to: "設定取得", in: ["設定を取得"]) == "設定を取得")
        #expect(nearestName(to: "caf\u{E9}s", in: ["cafe\u{301}"]) == nil)
        #expect(nearestName(to: "go🚀🚀", in: ["go🚀"]) == "go🚀")
    }

    @Test("texts too long to be names have none near, whatever the names")
    func longTexts() {
        let long = String(repeating: "x", count: 100_000)
        #expect(nearestName(to: long, in: [long, "login"]) == nil)
        #expect(nearestName(to: "login", in: [long, "logn"]) == "logn")
        let name = String(repeating: "ab", count: 128)
        #expect(nearestName(to: name + "c", in: ["a", name]) == name)
    }

    @Test("the distance is the one of the textbook", arguments: 0..<60)
    func textbook(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func word() -> String {
            String((0..<Int.random(in: 0...9, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
        }
        let (text, names) = (word(), (0..<6).map { _ in word() })
        let limit = min(4, max(1, text.count / 3))
        var expected: (name: String, distance: Int)?
        for name in names {
            let distance = Self.distance(Array(text), Array(name))
            if distance <= limit, distance < max(text.count, name.count), distance < expected?.distance ?? .max {
                expected = (name, distance)
            }
        }
        #expect(nearestName(to: text, in: names) == expected?.name)
    }

    /// Optimal string alignment, by its definition.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var table = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for row in 0...left.count {
            for column in 0...right.count {
                guard row > 0, column > 0 else {
                    table[row][column] = row + column
                    continue
                }
                let isSame = left[row - 1] == right[column - 1]
                var best = min(table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[left.count][right.count]
    }
}
