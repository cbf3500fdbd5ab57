import Sequencer

extension JSONWriter {
    /// Writes a number to six decimals; what is no number, or too large to be one, is null.
    mutating func write(decimal value: Double?, for key: String? = nil) {
        guard let value, let millionths = Int64(exactly: (value * 1e6).rounded()) else { return writeNull(for: key) }
        // Milliseconds are written as decimal numbers, exact to the nanosecond.
        write(milliseconds: .nanoseconds(millionths), for: key)
    }

    /// Writes nanoseconds as milliseconds.
    mutating func write(nanoseconds value: Double?, for key: String? = nil) {
        write(decimal: value.map { $0 / 1e6 }, for: key)
    }
}
