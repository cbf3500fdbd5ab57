import Foundation
import Sequencer

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
        Data("\(format)\(version) crc32=\(checksum(of: value, name)) length=\(value.count)\n".utf8) + value
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
        let matches = hasLength && fields[1] == "crc32=\(checksum(of: value, name))"
        // A newer format may say more in its header. The fields that this version knows must still be right.
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

    // The name first: the same bytes under another name have another checksum.
    private static func checksum(of value: Data, _ name: StoreFileName) -> String {
        String(format: "%08x", CRC32.checksum(of: Array(name.description.utf8) + value))
    }
}

/// The name of the file that keeps a key's value: another one for every key, safe in any directory, readable where it
/// can be.
///
/// Lowercase letters, digits, `-` and `_` stand for themselves, every other byte of the key's UTF-8 is `%` and two
/// digits. So no name holds a path separator or a dot (names with dots are the store's own), and no two differ in case
/// only, which many file systems ignore. A name that would be longer than file systems allow is its beginning, `%%` and
/// a hash: no other name has a `%%`.
package struct StoreFileName: Hashable, CustomStringConvertible {
    /// Leaves room in 255 bytes for `.corrupt-N`.
    private static let maximumLength = 180
    private static let keptOfLong = 80

    package let description: String

    package init(_ key: StoreKey) {
        let text = key.description
        let kept = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_")
        let name = text.addingPercentEncoding(withAllowedCharacters: kept)?.lowercased() ?? ""
        if name.utf8.count <= Self.maximumLength {
            // An empty name is not a file; no other key has a single percent sign for a name.
            description = name.isEmpty ? "%" : name
        } else {
            // The hash and the length are of the whole key; the beginning is there for people.
            description = "\(name.prefix(Self.keptOfLong))%%\(text.utf8.count)-\(hexadecimal(fnv1a(text.utf8)))"
        }
    }
}

/// CRC-32 as Ethernet, gzip and PNG use it: finds accidents (a torn write, a flipped bit), not forgeries.
///
/// The algorithm is the table-driven one of RFC 1952, section 8: polynomial 0xEDB88320, bits reflected, initial value
/// and final XOR all ones.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func checksum(of bytes: [UInt8]) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
