import Foundation

/// What is in a store's file: one line that says how to read it, then the value.
///
///     sequencer.value/1 crc32=1c291ca3 length=12
///
/// The checksum covers the file's name too, so a file that was copied over another one is found out.
enum StoredFile {
    /// Why a file makes no sense.
    struct Corruption: Error, Equatable {
        let reason: String
    }

    private static let format = "sequencer.value/"
    private static let version = "1"
    static let longestHeader = 100

    static func encode(_ value: Data, for name: StoreFileName) -> Data {
        let checksum = hexadecimalText(checksum(of: value, name))
        return Data("\(format)\(version) crc32=\(checksum) length=\(value.count)\n".utf8) + value
    }

    static func decode(_ contents: Data, for name: StoreFileName) throws(Corruption) -> Data {
        if contents.isEmpty { throw Corruption(reason: "it is empty") }
        guard let end = contents.prefix(longestHeader).firstIndex(of: UInt8(ascii: "\n")),
            let header = String(data: contents[..<end], encoding: .utf8), header.hasPrefix(format)
        else { throw Corruption(reason: "it does not begin with the header \(format)\(version)") }
        let fields = header.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.first == "\(format)\(version)" else {
            throw Corruption(reason: "it was written in a format of another version, expected \(format)\(version)")
        }
        let value = contents[contents.index(after: end)...]
        // Built anew and compared as a whole: whatever else the line may say is wrong.
        guard fields.count == 3, fields[2] == "length=\(value.count)" else {
            throw Corruption(reason: "it is cut short or has grown: \(value.count) bytes are not what its header says")
        }
        guard fields[1] == "crc32=\(hexadecimalText(checksum(of: value, name)))" else {
            throw Corruption(reason: "its checksum does not match its content")
        }
        return Data(value)
    }

    private static func checksum(of value: Data, _ name: StoreFileName) -> UInt32 {
        var checksum = Checksum()
        checksum.update(name.description.utf8)
        checksum.update(value)
        return checksum.value
    }
}
