import Foundation

/// Numbers as people read them.
enum Figures {
    /// Three significant digits, as `0.0123`, `1.23`, `123`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let size = abs(value)
        if size >= 100 || size == 0 { return String(format: "%.0f", value) }
        if size >= 10 { return String(format: "%.1f", value) }
        if size >= 1 { return String(format: "%.2f", value) }
        return String(format: "%.\(min(8, 2 - Int(log10(size).rounded(.down))))f", value)
    }

    /// `12.3 µs`, from nanoseconds.
    static func duration(_ nanoseconds: Double) -> String {
        switch abs(nanoseconds) {
        case ..<1e3: "\(number(nanoseconds)) ns"
        case ..<1e6: "\(number(nanoseconds / 1e3)) µs"
        case ..<1e9: "\(number(nanoseconds / 1e6)) ms"
        default: "\(number(nanoseconds / 1e9)) s"
        }
    }

    /// `12.3 MB`, from bytes.
    static func bytes(_ bytes: Double) -> String {
        switch abs(bytes) {
        case ..<1e3: "\(number(bytes)) B"
        case ..<1e6: "\(number(bytes / 1e3)) kB"
        case ..<1e9: "\(number(bytes / 1e6)) MB"
        default: "\(number(bytes / 1e9)) GB"
        }
    }

    /// `10,000`.
    static func count(_ value: Int) -> String {
        let digits = String(value)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
