import Foundation

/// The address under which the services are that the built-in steps talk to.
enum BackendAddress {
    /// Reads an address that ``URLText`` accepts, without anything behind its path: the paths of the services are put there.
    static func parse(_ text: String) throws(ValueError) -> URL {
        let url = try URLText.parse(text)
        if text.contains(where: { $0 == "?" || $0 == "#" }) {
            throw ValueError(message: "the address of services ends with its path; expected no '?' and no '#'")
        }
        return url
    }
}
