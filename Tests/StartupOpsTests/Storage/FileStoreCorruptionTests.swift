import Foundation
import TestSupport
import Testing

@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FileStoreCorruptionTests {
    private let folder: TemporaryFolder
    private let problems = Problems()
    private let store: FileStore

    init() throws {
        folder = try TemporaryFolder()
        store = try FileStore(directory: folder("store"), maximumSize: 1000, onProblem: problems.add)
    }

    private static let value = text("{\"country\":\"DE\"}")

    private static let whole = StoredFile.encode(value, for: StoreFileName("config"))

    private static let damaged: [(name: String, contents: Data)] = [
        ("empty", Data()),
        ("cut short", whole.dropLast()),
        ("cut in the header", whole.prefix(10)),
        ("grown", whole + text("x")),
        ("zeros", Data(count: whole.count)),
        ("zeros at the end", whole.dropLast(8) + Data(count: 8)),
        ("random", Data((0..<500).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7 &+ 3) })),
        ("only a line break", text("\n")),
        ("value without header", value),
        ("another version", text("sequencer.value/0 crc32=00000000 length=0\n")),
        ("huge length", text("sequencer.value/1 crc32=00000000 length=99999999999999999999999\nx")),
        ("negative length", text("sequencer.value/1 crc32=00000000 length=-1\nx")),
        ("too large", Data(count: 5000)),
        ("another key's", StoredFile.encode(value, for: StoreFileName("other"))),
    ]

    @Test("fault S4: A damaged value is moved aside as it is, counts as absent, and is reported once", arguments: damaged.indices)
    func damage(index: Int) throws {
        let (name, contents) = Self.damaged[index]
        try store.write(Self.value, for: "config")
        try contents.write(to: folder("store/config"))

        #expect(store.read("config") == .absent, "\(name)")
        #expect(store.read("config") == .absent)
        #expect(names(in: folder("store")) == ["config.corrupt-1"])
        #expect(try Data(contentsOf: folder("store/config.corrupt-1")) == contents)
        #expect(problems.all.count == 1 + (try permissionsWereRepaired() ? 1 : 0))
        let problem = try #require(problems.all.last)
        #expect(problem.code == .corrupt && problem.subject == folder("store/config").path)
        #expect(problem.description.contains("config.corrupt-1"))
        #expect(!problem.description.contains("country"))

        try store.write(Self.value, for: "config")
        #expect(store.read("config") == .value(Self.value))
    }

    /// Foundation wrote the damaged file, and gave it its usual mode.
    private func permissionsWereRepaired() throws -> Bool {
        problems.all.contains { $0.code == .accessDenied }
    }

    @Test("fault S4: Any flipped bit is noticed, but one that makes the format a newer one and leaves the value as it was")
    func flippedBits() throws {
        for index in Self.whole.indices {
            for bit in 0..<8 {
                var contents = Self.whole
                contents[index] ^= 1 << bit
                let place = "sequencer.value/".utf8.count
                if index == place, (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(contents[index]) {
                    #expect(try StoredFile.decode(contents, for: StoreFileName("config")) == Self.value)
                    continue
                }
                #expect(throws: StoredFile.Corruption.self, "byte \(index), bit \(bit)") {
                    try StoredFile.decode(contents, for: StoreFileName("config"))
                }
            }
        }
        #expect(try StoredFile.decode(Self.whole, for: StoreFileName("config")) == Self.value)
    }

    @Test("What is corrupt and cannot be moved aside counts as absent all the same")
    func stuck() throws {
        // A directory that is not empty is in the way.
        try FileManager.default.createDirectory(at: folder("store/config.corrupt-9223372036854775807/x"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: folder("store/config.corrupt-1/x"), withIntermediateDirectories: true)
        try text("nonsense").write(to: folder("store/config"))
        #expect(store.read("config") == .absent)
        #expect(names(in: folder("store")).contains("config.corrupt-2"))
    }

    @Test(
        "CRC-32 gives the values that are published",
        arguments: [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926), ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func crc32(input: String, expected: UInt32) {
        #expect(CRC32.checksum(of: Array(input.utf8)) == expected)
    }
}
