import Sequencer

/// `text` fit to be shown to a person: what a screen or a terminal would obey rather than show is removed, line ends and tabs become
/// spaces, and what is longer than `limit` characters is cut.
///
/// It stays text: whoever shows it as markup has to escape it.
func plainText(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    // A character can be any number of scalars: without a bound on both, the result would have none.
    for scalar in text.unicodeScalars.prefix(limit * 8) {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
        default: if scalar.isPrintable { result.append(scalar) }
        }
    }
    return String(String(result).prefix(limit))
}
