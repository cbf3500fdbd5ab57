import Foundation
import Sequencer

/// Dates as headers hold them (RFC 9110, section 5.6.7): the preferred form, and the two obsolete ones that have to be understood.
package enum HTTPDate {
    /// The date; nil for any other text.
    ///
    /// - Parameter now: decides the century of two-digit years.
    package static func parse(_ text: String, now: Date) -> Date? {
        let words = text.split { $0 == " " || $0 == "-" || $0 == "," }.map(String.init)
        // A header's text may be as long as all headers together.
        guard text.utf8.count < 64, words.count >= 5 else { return nil }
        // Sun, 06 Nov 1994 08:49:37 GMT | Sunday, 06-Nov-94 08:49:37 GMT | Sun Nov  6 08:49:37 1994
        if words.count == 6, words[5] == "GMT" {
            return date(year: year(words[3], now: now), month: words[2], day: words[1], time: words[4])
        }
        if words.count == 5 { return date(year: year(words[4], now: now), month: words[1], day: words[2], time: words[3]) }
        return nil
    }

    /// The date in the preferred form.
    static func text(_ date: Date) -> String {
        let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        // Division rounds towards zero: before 1970 that is the day after.
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let (year, month, day) = civil(days)
        let time = seconds - days * 86_400
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let clock = "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
        // 1 January 1970 was a Thursday.
        let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
        return "\(weekday), \(two(day)) \(months[Int(month - 1)]) \(year) \(clock) GMT"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func date(year: Int64?, month: String, day: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { digits(String($0), 2...2) }
        guard let year, let month = months.firstIndex(of: month), let day = digits(day, 1...2), (1...31).contains(day), clock.count == 3,
            let hour = clock[0], hour < 24, let minute = clock[1], minute < 60, let second = clock[2], second <= 60
        else { return nil }
        let days = daysFromCivil(year, Int64(month) + 1, day)
        // Back again: 31 April becomes 1 May, and does not pass.
        guard civil(days) == (year, Int64(month) + 1, day) else { return nil }
        // A leap second has no place in seconds since 1970.
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + min(second, 59)))
    }

    /// Two digits are the year that is nearest, and not more than 50 years ahead.
    private static func year(_ text: String, now: Date) -> Int64? {
        if let year = digits(text, 4...4) { return year }
        guard let short = digits(text, 2...2) else { return nil }
        let seconds = Int64(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
        let thisYear = civil(seconds / 86_400).0
        let year = thisYear - thisYear % 100 + short
        return year > thisYear + 50 ? year - 100 : year
    }

    private static func digits(_ text: String, _ count: ClosedRange<Int>) -> Int64? {
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }

    // Days since 1970 and back, in the proleptic Gregorian calendar: the algorithms of Howard Hinnant's "chrono-Compatible Low-Level Date
    // Algorithms", which count years from March on and eras of 400 years.

    private static func daysFromCivil(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension HTTPResponse {
    /// How long the server asks to wait before the next try (Retry-After: RFC 9110, section 10.2.3).
    ///
    /// Nil when the header makes no sense: a negative number, a time that has passed, or neither number nor date. A wait of more than a day
    /// counts as a day: no mistake of a server should silence an app for longer.
    ///
    /// - Parameter now: the time that a date is compared with.
    package func retryAfter(now: Date) -> Duration? {
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
    package func clockSkew(now: Date) -> Duration? {
        guard let text = headers["Date"], let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        // A Duration traps on numbers beyond its range.
        return abs(seconds) < 1e12 ? .seconds(seconds) : nil
    }
}
