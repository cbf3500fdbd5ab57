import Sequencer

/// Something that happened to a request, for traces: it shows methods, hosts, paths and statuses, never headers, bodies or queries.
public struct HTTPEvent: Sendable, CustomStringConvertible {
    /// The things that can happen.
    public enum Kind: Sendable {
        /// The request is sent.
        case sent
        /// An answer has arrived: its status, the size of its body, and how far the server's clock is ahead of ours.
        case answered(status: Int, bodySize: Int, clockSkew: Duration?)
        /// There is no answer.
        case failed(NetworkError)
        /// An answer led to another address, which is asked now.
        case redirected(to: String)
        /// There will be another attempt after a pause.
        case waiting(Duration)
        /// There would have been another attempt, if there were time for it before the deadline.
        case outOfTime
        /// The host had asked to be left alone, for this much longer.
        case throttled(Duration)
    }

    /// The request, as method, host and path.
    public let request: String
    /// The number of the attempt, from 1; one that only waits is counted by the attempt it waits for.
    public let attempt: Int
    /// What happened.
    public let kind: Kind

    /// The event in one line.
    public var description: String {
        let what =
            switch kind {
            case .sent: "sent"
            case .answered(let status, let size, let skew):
                "answered \(status), \(size) bytes\(skew.map { ", server's clock \(durationText($0)) ahead" } ?? "")"
            case .failed(let error): "failed: \(error.code): \(error.reason)"
            case .redirected(let target): "redirected to \(target)"
            case .waiting(let pause): "waits \(durationText(pause))"
            case .outOfTime: "no time left before the deadline"
            case .throttled(let pause): "the host asked to wait \(durationText(pause))"
            }
        return "\(request) (attempt \(attempt)): \(what)"
    }
}
