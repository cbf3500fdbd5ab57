/// A set of small numbers that knows how many are below one of them, and which is the one at a place; each takes
/// logarithmic time.
///
/// P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994.
struct CountedNumbers: Sendable {
    private var isIn: [Bool] = []
    /// At each place from 1, how many numbers are in the stretch that ends there and is as long as the place's lowest
    /// bit. As many places as `isIn` has, a power of two.
    private var tree: [Int] = [0]
    private(set) var count = 0

    func contains(_ number: Int) -> Bool { number < isIn.count && isIn[number] }

    mutating func insert(_ number: Int) {
        while number >= isIn.count { grow() }
        if !isIn[number] { change(number, by: 1) }
    }

    mutating func remove(_ number: Int) {
        if contains(number) { change(number, by: -1) }
    }

    func count(below number: Int) -> Int {
        var (place, sum) = (min(number, isIn.count), 0)
        while place > 0 {
            sum += tree[place]
            place &= place - 1
        }
        return sum
    }

    /// The number that has so many before it; nil where there are not as many.
    func number(at place: Int) -> Int? {
        guard place < count else { return nil }
        var (number, left, step) = (0, place, isIn.count)
        while step > 0 {
            if number + step < tree.count, tree[number + step] <= left {
                number += step
                left -= tree[number]
            }
            step /= 2
        }
        return number
    }

    private mutating func change(_ number: Int, by difference: Int) {
        isIn[number].toggle()
        count += difference
        var place = number + 1
        while place < tree.count {
            tree[place] += difference
            place += place & -place
        }
    }

    private mutating func grow() {
        let numbers = isIn.indices.filter { isIn[$0] }
        let size = max(64, 2 * isIn.count)
        (isIn, tree, count) = (Array(repeating: false, count: size), Array(repeating: 0, count: size + 1), 0)
        for number in numbers { change(number, by: 1) }
    }
}
