import Foundation

/// Dates as headers hold them, in the preferred form (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// The date of a text such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other text.
    static func parse(_ text: String) -> Date? {
        // A header's text may be as long as all headers together.
        if text.utf8.count > 29 { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.isLenient = false
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}

extension HTTPResponse {
    /// How long the server asks to wait before the next try (Retry-After: RFC 9110, section 10.2.3).
    ///
    /// Nil when the header makes no sense: a negative number, a time that has passed, or neither number nor date. A
    /// wait of more than a day counts as a day: no mistake of a server should silence an app for longer.
    ///
    /// - Parameter now: the time that a date is compared with.
    func retryAfter(now: Date) -> Duration? {
        guard let text = headers["Retry-After"]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        let longest = 86_400.0
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Too many digits for a number are a long time, too.
            return .seconds(min(Double(text) ?? longest, longest))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 ? .seconds(min(seconds, longest)) : nil
    }
}
