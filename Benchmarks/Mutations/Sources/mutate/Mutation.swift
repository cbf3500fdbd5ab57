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
        /// Another default: of a parameter, of a stored property, of a constant of the file.
        case standard
        /// A call left out.
        case call
        /// An assignment left out.
        case assignment
        /// Two neighbouring effects, a call and another one, the other way round.
        case swap
    }

    /// What is put around a piece of the file.
    struct Edit {
        /// Where the piece is, in bytes of the file.
        let range: Range<Int>
        /// What comes before the piece and what after it, with `#` for the switch; without a line break, so that lines keep their numbers.
        let prefix: String
        let suffix: String
    }

    /// From 1, in the order of the files and of the places in each.
    var number = 0
    let file: String
    let line: Int
    let kind: Kind
    let original: String
    let mutated: String
    /// One, or as many as the mutation has places.
    let edits: [Edit]

    private enum CodingKeys: String, CodingKey {
        case number, file, line, kind, original, mutated
    }
}
