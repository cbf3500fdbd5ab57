import Foundation

/// Shares as people write them: `5%`, `2.5%`.
enum ShareText {
    /// Reads a number and a per cent sign; 5% is 0.05.
    static func parse(_ text: String) throws(ValueError) -> Double {
        let digits = text.dropLast()
        let isPlain = text.hasSuffix("%") && !digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E }
        guard isPlain, let percent = Double(digits), percent <= 1000 else {
            throw ValueError(message: "\(quoted(text)) is not a share; expected a number and '%' such as '5%', at most '1000%'")
        }
        return percent / 100
    }

    /// The share in per cent, to a tenth: `9.5%`.
    static func format(_ share: Double, signed: Bool = false) -> String {
        let tenths = (share * 1000).rounded() / 10
        return String(format: signed ? "%+.1f%%" : "%.1f%%", tenths == 0 ? 0 : tenths)
    }

    /// A threshold as it was given, without needless digits: `5%`.
    static func brief(_ share: Double) -> String {
        String(format: "%g%%", (share * 1e6).rounded() / 1e4)
    }
}
