/// A priority queue, the smallest element first: a binary heap.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    package init() {}

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }
    var first: Element? { elements.first }

    package mutating func push(_ element: Element) {
        var hole = elements.count
        elements.append(element)
        while hole > 0, element < elements[(hole - 1) / 2] {
            elements[hole] = elements[(hole - 1) / 2]
            hole = (hole - 1) / 2
        }
        elements[hole] = element
    }

    package mutating func pop() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        // The last element sinks from the root to its place.
        var hole = 0
        while 2 * hole + 1 < elements.count {
            var child = 2 * hole + 1
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < last else { break }
            elements[hole] = elements[child]
            hole = child
        }
        elements[hole] = last
        return first
    }

    mutating func removeAll() { elements = [] }
}

extension Heap: Sendable where Element: Sendable {}

/// An operation in a heap: the smallest key goes first, and of equal ones the operation that was added first.
struct KeyedNode: Comparable, Sendable {
    let key: Nanoseconds
    let node: Int

    static func < (left: KeyedNode, right: KeyedNode) -> Bool { (left.key, left.node) < (right.key, right.node) }
}

/// A queue: taking the first element takes constant time, spread over all calls.
struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    /// The element that comes out next.
    var next: Element? { isEmpty ? nil : elements[first] }

    /// The places of all elements, which change when one is taken out.
    var indices: Range<Int> { first..<elements.count }
    subscript(place: Int) -> Element? { elements[place] }

    func firstIndex(where isWanted: (Element) -> Bool) -> Int? { indices.first { elements[$0].map(isWanted) ?? false } }

    mutating func remove(at place: Int) -> Element? {
        place == first ? popFirst() : elements.remove(at: place)
    }

    mutating func append(_ element: Element) { elements.append(element) }

    /// The heap keeps no reference to an element that was taken out: the caller releases it.
    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        // Only when most are gone: so each element is moved once, on average.
        if first == elements.count || first > 1_000 && first * 2 > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
