import Foundation

/// The content of a store's file: one line that says how to read it, then the value.
///
///     sequencer.value/1 crc32=1c291ca3 length=12
///
/// The checksum covers the file's name too, so a file that was copied over another one is found out.
enum StoredFile {
    /// Why a file cannot be read.
    struct Corruption: Error, Equatable {
        let reason: String
        /// The format, when it is a newer one: then nothing is damaged.
        var newerVersion: String?
    }

    private static let format = "sequencer.value/"
    private static let version = 1
    static let maximumHeaderLength = 100

    static func encode(_ value: Data, for name: StoreFileName) -> Data {
        let checksum = hexadecimalText(checksum(of: value, name))
        return Data("\(format)\(version) crc32=\(checksum) length=\(value.count)\n".utf8) + value
    }

    static func decode(_ contents: Data, for name: StoreFileName) throws(Corruption) -> Data {
        if contents.isEmpty { throw Corruption(reason: "it is empty") }
        // No longer than a header may be: a value without a line feed is not searched as a whole.
        guard let end = contents.prefix(maximumHeaderLength).firstIndex(of: UInt8(ascii: "\n")),
            let header = String(data: contents[..<end], encoding: .utf8), header.hasPrefix(format)
        else { throw Corruption(reason: "it does not begin with the header \(format)\(version)") }
        let fields = header.split(separator: " ", omittingEmptySubsequences: false)
        // Only a number that is higher is newer; any other text is damage.
        let isNewer = Int(fields[0].dropFirst(format.count)).map { $0 > version } ?? false
        guard isNewer || fields[0] == "\(format)\(version)" else {
            throw Corruption(reason: "it was written in a format of another version, expected \(format)\(version)")
        }
        // A slice with its own indices: it begins after the line.
        let value = contents[contents.index(after: end)...]
        // Built anew and compared as a whole, so that any other content of the line is an error.
        let hasLength = fields.count >= 3 && fields[2] == "length=\(value.count)"
        let matches = hasLength && fields[1] == "crc32=\(hexadecimalText(checksum(of: value, name)))"
        // A newer format may say more in its header. The fields that this version knows have to be right all the same.
        if isNewer {
            if matches { return Data(value) }
            throw Corruption(reason: "it was written in a newer format", newerVersion: String(fields[0].prefix(40)))
        }
        guard hasLength, fields.count == 3 else {
            throw Corruption(reason: "it is cut short or has grown: \(value.count) bytes are not what its header says")
        }
        if !matches { throw Corruption(reason: "its checksum does not match its content") }
        // A copy, so that the whole file is not kept for it.
        return Data(value)
    }

    private static func checksum(of value: Data, _ name: StoreFileName) -> UInt32 {
        var checksum = Checksum()
        // The name first: the same bytes under another name have another checksum.
        checksum.update(name.description.utf8)
        checksum.update(value)
        return checksum.value
    }
}

/// The name of the file that keeps a key's value: another one for every key, safe in any directory, readable where it can be.
///
/// Lowercase letters, digits, `-` and `_` stand for themselves, every other byte of the key's UTF-8 is `%` and two digits. So no name holds
/// a path separator or a dot (names with dots are the store's own), and no two differ in case only, which many file systems ignore.
/// A name that would be longer than file systems allow is its beginning, `%%` and a hash: no other name has a `%%`.
package struct StoreFileName: Hashable, CustomStringConvertible {
    /// Leaves room in 255 bytes for `.corrupt-N`.
    private static let maximumLength = 180
    private static let keptOfLong = 80

    package let description: String

    package init(_ key: StoreKey) {
        // Keys that are equal as texts may differ in their bytes: é is one code point or two.
        let bytes = Array(key.description.precomposedStringWithCanonicalMapping.utf8)
        let name = Self.encode(bytes.prefix(Self.maximumLength + 1))
        // An empty name is not a file; no other key has a single percent sign for a name.
        if bytes.isEmpty {
            description = "%"
        } else if name.utf8.count <= Self.maximumLength {
            description = name
        } else {
            // The hash covers the whole key, and the beginning is there for people.
            description = "\(name.prefix(Self.keptOfLong))%%\(SHA256.hexadecimal(of: bytes))"
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var name = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return name
    }
}

/// CRC-32 as Ethernet, gzip and PNG use it: finds accidents (a torn write, a flipped bit), not forgeries.
///
/// The algorithm is the table-driven one of RFC 1952, section 8: polynomial 0xEDB88320, bits reflected, initial value and final XOR all ones.
struct Checksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state: UInt32 = .max

    /// The checksum of everything so far.
    var value: UInt32 { ~state }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        Self.table.withUnsafeBufferPointer { table in
            var state = state
            for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
            self.state = state
        }
    }

    mutating func update(_ data: Data) {
        // Data's own iterator is several times slower.
        data.withUnsafeBytes { update($0) }
    }
}

/// SHA-256 (FIPS 180-4): gives long keys short file names that no two keys share, not even keys somebody chose with that in mind.
///
/// CryptoKit has it, but not on Linux. Nothing secret goes through it, so it need not run in constant time.
enum SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// The hash of `message`, as 64 hexadecimal digits.
    static func hexadecimal(of message: [UInt8]) -> String {
        var hash: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let padded = pad(message)
        for start in stride(from: 0, to: padded.count, by: 64) { compress(padded[start..<start + 64], into: &hash) }
        return hash.map { hexadecimalText($0) }.joined()
    }

    /// The message, one bit, zeros up to a whole number of blocks, and the message's length in bits.
    private static func pad(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        // Up to 8 bytes before the end of a block, where the length comes.
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(message.count) * 8
        padded += stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
        return padded
    }

    private static func compress(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
        var schedule = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            schedule.append(schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1)
        }
        var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
        var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let majority = a & b ^ a & c ^ b & c
            let first = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ constants[index] &+ schedule[index]
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
            // The working variables move on by one in each round (FIPS 180-4, section 6.2.2).
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }
}

/// Eight hexadecimal digits.
func hexadecimalText(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
