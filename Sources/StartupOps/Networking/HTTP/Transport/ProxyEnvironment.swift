import Foundation

/// Which requests libcurl sends through a proxy because a variable says so.
///
/// Requests over TLS go through a tunnel, so the proxy learns the host and nothing else. Plain requests, which only go to this machine, would be
/// read by the proxy, token and all. On Apple platforms these variables mean nothing.
struct ProxyEnvironment {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
        #if canImport(FoundationNetworking)
            self.environment = environment
        #else
            self.environment = [:]
        #endif
    }

    /// The variable that sends a plain request for `url` to a proxy.
    func plainProxyVariable(for url: URL) -> String? {
        guard url.scheme?.lowercased() == "http", let host = url.host()?.lowercased(), !isExcepted(host) else { return nil }
        // libcurl leaves HTTP_PROXY out: a server can be made to set it.
        return ["http_proxy", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
    }

    /// Whether no_proxy surely names the host. libcurl knows more spellings; what is not known here is refused, never sent.
    private func isExcepted(_ host: String) -> Bool {
        let names = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased().split { $0 == "," || $0 == " " }
        return names.contains { name in
            let name = name.hasPrefix(".") ? name.dropFirst() : name
            return name == "*" && names.count == 1 || name == host || host.hasSuffix("." + name)
        }
    }
}
