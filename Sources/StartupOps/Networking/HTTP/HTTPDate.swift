import Foundation

/// Dates as headers hold them (RFC 9110, section 5.6.7): the preferred form, and the two obsolete ones that have to be understood.
package enum HTTPDate {
    /// The date; nil for any other text.
    ///
    /// - Parameter now: decides the century of two-digit years.
    package static func parse(_ text: String, now: Date) -> Date? {
        // The longest weekday in the longest form. A header's text may be as long as all headers together.
        if text.utf8.count > 33 { return nil }
        return formats.lazy.compactMap { format in
            let strategy = Date.ParseStrategy(
                format: format,
                locale: Locale(identifier: "en_US_POSIX"),
                timeZone: .gmt,
                isLenient: false,
                // A year is not more than 50 years ahead.
                twoDigitStartDate: now.addingTimeInterval(-50 * 365.25 * 86_400)
            )
            return try? strategy.parse(text)
        }.first
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    private static let formats: [Date.FormatString] = [
        """
        \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
        """,
        """
        \(weekday: .wide), \(day: .twoDigits)-\(month: .abbreviated)-\(year: .twoDigits) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
        """,
        """
        \(weekday: .abbreviated) \(month: .abbreviated) \(day: .defaultDigits) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) \(year: .padded(4))
        """,
    ]
}

extension HTTPResponse {
    /// How long the server asks to wait before the next try (Retry-After: RFC 9110, section 10.2.3).
    ///
    /// Nil when the header makes no sense: a negative number, a time that has passed, or neither number nor date. A wait of more than a day
    /// counts as a day: no mistake of a server should silence an app for longer.
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

    /// How far the server's clock is ahead of ours, by the answer's Date; negative when it is behind, nil when the server does not say.
    ///
    /// The answer took its time, so this is right to a second or two. It is for reports.
    ///
    /// - Parameter now: when the answer was received.
    func clockSkew(now: Date) -> Duration? {
        guard let text = headers["Date"], let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        // A Duration traps on numbers beyond its range.
        return abs(seconds) < 1e12 ? .seconds(seconds) : nil
    }
}
