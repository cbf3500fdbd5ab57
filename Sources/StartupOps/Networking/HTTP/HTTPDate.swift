import Foundation

/// Dates as headers hold them (RFC 9110, section 5.6.7): the preferred form, and the two obsolete ones that have to be
/// understood.
enum HTTPDate {
    /// The date; nil for any other text.
    ///
    /// - Parameter now: decides the century of two-digit years.
    static func parse(_ text: String, now: Date) -> Date? {
        // The longest weekday in the longest form. A header's text may be as long as all headers together.
        if text.utf8.count > 33 { return nil }
        return formats.lazy.compactMap { format in
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = .gmt
            formatter.isLenient = false
            formatter.dateFormat = format
            // A year is not more than 50 years ahead.
            formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.25 * 86_400)
            return formatter.date(from: text)
        }.first
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    private static let formats = ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"]
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
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 ? .seconds(min(seconds, longest)) : nil
    }
}
