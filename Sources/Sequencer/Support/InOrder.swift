extension Sequence {
    /// As `sorted(by:)`, of which the compiler makes 4 KB anew for each type and each place: here only places are
    /// sorted, by one code for all.
    func inOrder(by isBefore: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return sortedPlaces(elements.count) { isBefore(elements[$0], elements[$1]) }.map { elements[$0] }
    }
}

@inline(never)
private func sortedPlaces(_ count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] { (0..<count).sorted(by: isBefore) }
