import Foundation

/// The routes under `/_admin`: what tests and demonstrations steer the service with.
extension SampleServiceState {
    private struct FaultOrder: Decodable {
        let path: String
        let fault: String
        let times: Int?
    }

    mutating func administer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, "/_admin/counts"): return .json(counts)
        case (.post, "/_admin/reset"): reset()
        case (.post, "/_admin/expire-tokens"): sessions.expireAccessTokens()
        case (.post, "/_admin/end-sessions"): sessions.endSessions()
        case (.put, "/_admin/version-policy"): return replaceVersionPolicy(request)
        case (.put, "/_admin/faults"): return orderFault(request)
        case (.delete, "/_admin/faults"): removeFaults()
        default: return .problem(404, "not_found", "there is no such administration route")
        }
        return .done
    }

    /// The policy is kept as it is written, so that clients can be shown one that makes no sense.
    private mutating func replaceVersionPolicy(_ request: HTTPRequest) -> HTTPResponse {
        guard let body = request.body, (try? JSONSerialization.jsonObject(with: body)) is [String: Any] else {
            return .problem(400, "invalid_request", "expected a version policy as a JSON object")
        }
        versionPolicy = .json(data: body)
        return .done
    }

    private mutating func orderFault(_ request: HTTPRequest) -> HTTPResponse {
        guard let order = request.json(FaultOrder.self), order.path.hasPrefix("/"), order.times.map({ $0 > 0 }) ?? true else {
            return .problem(400, "invalid_request", "expected a JSON object with path, fault and perhaps times, which is 1 or more")
        }
        do {
            setFault(try SampleFault(parsing: order.fault), for: order.path, times: order.times)
            return .done
        } catch {
            return .problem(422, "invalid_fault", error.description)
        }
    }
}
