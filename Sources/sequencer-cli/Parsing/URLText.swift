import Foundation
import StartupNetworking

/// Web addresses that a launch may talk to: those that requests accept. Messages never repeat the address: its query
/// may hold a secret.
enum URLText {
    static func parse(_ text: String) throws(ValueError) -> URL {
        guard let url = URL(plain: text) else {
            throw ValueError("the address is not a valid URL; every character that has no place in one must be percent-encoded")
        }
        if let violation = url.requestViolation { throw ValueError(violation) }
        return url
    }

    /// Reads the address of the services that the built-in steps talk to, without anything behind its path: the paths
    /// of services are put there.
    static func parseBackend(_ text: String) throws(ValueError) -> URL {
        let url = try parse(text)
        // In the text, for an empty query is one, too.
        if text.contains(where: { $0 == "?" || $0 == "#" }) {
            throw ValueError("the address of services ends with its path; expected no '?' and no '#'")
        }
        return url
    }
}
