/// The mistakes that were found so far.
final class ScenarioFaults {
    private(set) var all: [ScenarioFault] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var isFull: Bool { all.count >= limit }

    /// Reads something, and goes on after a mistake in it.
    ///
    /// - Throws: the mistake after which nothing more is read.
    func keep(_ read: () throws(ScenarioFault) -> Void) throws(ScenarioFault) {
        let count = all.count
        do throws(ScenarioFault) {
            try read()
        } catch {
            // Full by a mistake further inside, which is there already.
            if isFull, all.count > count { throw error }
            all.append(error)
            if isFull { throw error }
        }
    }
}
