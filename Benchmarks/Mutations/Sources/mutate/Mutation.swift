/// One change of the sources, behind a switch of its own.
struct Mutation: Encodable {
    enum Kind: String, Encodable {
        /// A condition turned round.
        case condition
        /// A comparison that begins or ends one further, or asks for the opposite.
        case comparison
        /// "And" for "or".
        case logic
        /// Plus for minus, the smallest for the largest.
        case arithmetic
        /// A number or the end of a range, off by one.
        case bound
        /// The other truth value.
        case truth
        /// A call left out.
        case call
        /// An assignment left out.
        case assignment
    }

    /// From 1, in the order of the files and of the places in each.
    var number = 0
    let file: String
    let line: Int
    let kind: Kind
    let original: String
    let mutated: String
    /// Where the original's text is, in bytes of the file.
    let range: Range<Int>
    /// What comes before the original's text and what after it, with `#` for the switch; without a line break, so that lines keep their numbers.
    let prefix: String
    let suffix: String

    private enum CodingKeys: String, CodingKey {
        case number, file, line, kind, original, mutated
    }
}
