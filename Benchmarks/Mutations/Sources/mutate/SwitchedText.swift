/// A file's text with mutations in it, each behind its switch.
func switchedText(_ text: String, _ mutations: [Mutation]) -> String {
    struct Insertion {
        let place: Int
        let text: String
        /// Of what goes in at one place: first what ends there, the innermost first, then what begins there, the outermost first.
        let order: (Int, Int, Int)
    }

    var insertions: [Insertion] = []
    for mutation in mutations {
        let gate = "__isMutated(\(mutation.number))"
        for edit in mutation.edits {
            let length = edit.range.count
            let prefix = edit.prefix.replacing("#", with: gate)
            let suffix = edit.suffix.replacing("#", with: gate)
            insertions.append(Insertion(place: edit.range.lowerBound, text: prefix, order: (1, -length, mutation.number)))
            insertions.append(Insertion(place: edit.range.upperBound, text: suffix, order: (0, length, -mutation.number)))
        }
    }
    insertions.sort { ($0.place, $0.order.0, $0.order.1, $0.order.2) < ($1.place, $1.order.0, $1.order.1, $1.order.2) }

    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var place = 0
    for insertion in insertions {
        result += bytes[place..<insertion.place]
        result += Array(insertion.text.utf8)
        place = insertion.place
    }
    result += bytes[place...]
    return String(decoding: result, as: UTF8.self)
}
