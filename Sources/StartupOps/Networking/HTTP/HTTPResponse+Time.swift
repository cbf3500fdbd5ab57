import Foundation
import Sequencer

extension HTTPResponse {
    /// How long the server asks to wait before the next try (Retry-After: RFC 9110, section 10.2.3).
    ///
    /// Nil when it asks for nothing that makes sense: a negative number, a time that has passed, or neither number nor date. What is longer than a
    /// day counts as a day: no mistake of a server should silence an app for longer.
    ///
    /// - Parameter now: what a date is compared with.
    public func retryAfter(now: Date) -> Duration? {
        guard let text = headers["Retry-After"]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        let longest = 86_400.0
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Too many digits for a number are a long time, too.
            return .seconds(min(Double(text) ?? longest, longest))
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 ? .seconds(min(seconds, longest)) : nil
    }

    /// How far the server's clock is ahead of ours, by the answer's Date; negative when it is behind, nil when the server does not say.
    ///
    /// The answer took its time, so this is right to a second or two. It is for reports, and for whoever is told to judge tokens by the server's time.
    ///
    /// - Parameter now: when the answer was received.
    public func clockSkew(now: Date) -> Duration? {
        guard let text = headers["Date"], let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return abs(seconds) < 1e12 ? .seconds(seconds) : nil
    }
}
