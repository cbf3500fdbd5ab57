import Foundation
import StartupNetworking

/// Web addresses that a launch may talk to: those that requests accept. Messages never repeat the address: its query may
/// hold a secret.
enum URLText {
    static func parse(_ text: String) throws(ValueError) -> URL {
        guard let url = exactURL(text) else {
            throw ValueError(message: "the address is not a valid URL; every character that has no place in one must be percent-encoded")
        }
        if let violation = url.requestViolation { throw ValueError(message: violation) }
        return url
    }

    /// The address as it is written: a character or an escape that is not one would be taken differently by each reader.
    private static func exactURL(_ text: String) -> URL? {
        // Earlier systems encode nothing.
        if #available(macOS 14, *) { URL(string: text, encodingInvalidCharacters: false) } else { URL(string: text) }
    }

    /// Reads the address of the services that the built-in steps talk to, without anything behind its path: the paths
    /// of services are put there.
    static func parseBackend(_ text: String) throws(ValueError) -> URL {
        let url = try parse(text)
        // In the text, for an empty query is one, too.
        if text.contains(where: { $0 == "?" || $0 == "#" }) {
            throw ValueError(message: "the address of services ends with its path; expected no '?' and no '#'")
        }
        return url
    }
}
