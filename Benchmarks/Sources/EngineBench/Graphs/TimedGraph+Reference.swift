import Foundation

extension TimedGraph {
    /// How long so many threads take for the lower bound, in nanoseconds: bodies one after the other, with no graph and no queue.
    ///
    /// On a machine that has nothing else to do, that is the lower bound. Where others use the processors as well, it is what the lower bound
    /// takes there and then.
    func runReference(_ lanes: Int) -> Double {
        let bound = lowerBound(lanes)
        let work = Double(durations.reduce(0, +))
        // A chain keeps one thread busy, however many there are.
        let threads = min(lanes, max(1, Int((work / bound).rounded(.up))))
        let piece = UInt64(work / Double(durations.count))
        let pieces = Int(bound) / Int(piece)
        let rest = UInt64(bound) - UInt64(pieces) * piece
        let isOver = DispatchGroup()
        let begin = now()
        for _ in 0..<threads {
            isOver.enter()
            let thread = Thread {
                for _ in 0..<pieces { spin(piece) }
                spin(rest)
                isOver.leave()
            }
            thread.start()
        }
        isOver.wait()
        return Double(now() - begin)
    }
}
