import Foundation
import TestSupport
import Testing

@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StoreFileNameTests {
    private static let long = String(repeating: "x", count: 10_000)

    private static let keys: [String] = [
        "k1", "K1", "\u{212A}1", "e\u{301}", "\u{E9}",
        "token", "Token", "TOKEN", "%54oken", "", "%", "%%", ".", "..", "../../etc/passwd",
        "/etc/passwd", "a/b", "a%2fb", "a\0b", "a",
        "a\0",
        ".lock", ".tmp-1", "token.corrupt-1", "CON", "con", "ü", "日本語", "a b", " a", "a\n", "~", "*", "x\u{202E}y", long, long + "y",
        "y" + long,
        String(repeating: "/", count: 300), String(repeating: "%", count: 300), String(repeating: "é", count: 500),
    ]

    @Test("fault S18: Keys with path separators, dots, zero bytes or no end become safe names")
    func safe() {
        for key in Self.keys {
            let name = StoreFileName(StoreKey(key)).description
            #expect(!name.isEmpty && name.utf8.count <= 200)
            #expect(name.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "\(name)")
            #expect(!name.contains("/") && !name.contains(".") && name == name.lowercased())
        }
    }

    @Test("fault S18: No two keys share a name, also where file systems ignore case")
    func injective() {
        let names = Self.keys.map { StoreFileName(StoreKey($0)).description.lowercased() }
        #expect(Set(names).count == Self.keys.count)
    }

    @Test("Plain keys stay readable")
    func readable() {
        #expect(StoreFileName("app-starts_2").description == "app-starts_2")
        #expect(StoreFileName("GET /v1").description == "%47%45%54%20%2fv1")
    }

    @Test("fault S18: A store keeps the values of such keys apart, and inside its directory")
    func inAStore() throws {
        let folder = try TemporaryFolder()
        let store = try FileStore(directory: folder("store"))
        for key in Self.keys { try store.write(text("value of \(key)"), for: StoreKey(key)) }
        for key in Self.keys { #expect(store.read(StoreKey(key)) == .value(text("value of \(key)"))) }
        #expect(names(in: folder.url) == ["store"])
        #expect(names(in: folder("store")).count == Self.keys.count)
    }
}
