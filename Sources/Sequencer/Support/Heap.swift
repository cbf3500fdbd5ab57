/// A priority queue: the smallest element first.
///
/// A binary heap, with the smallest element kept apart while it is known: in a chain, each element comes in and is the next to go out, and so never gets into the heap.
package struct Heap<Element: Comparable> {
    /// The smallest of all, if it is known: not smaller than any in `rest`.
    var front: Element?
    var rest: [Element] = []

    package init() {}

    package var isEmpty: Bool { front == nil && rest.isEmpty }
    package var count: Int { rest.count + (front == nil ? 0 : 1) }
    package var first: Element? { front ?? rest.first }

    @inline(__always)
    package mutating func push(_ element: Element) {
        if let known = front {
            guard element < known else { return pushIntoRest(element) }
            front = element
            pushIntoRest(known)
        } else if let smallest = rest.first, smallest < element {
            pushIntoRest(element)
        } else {
            front = element
        }
    }

    @inline(__always)
    package mutating func pop() -> Element? {
        if let known = front {
            front = nil
            return known
        }
        return rest.isEmpty ? nil : popFromRest()
    }

    package mutating func removeAll() {
        front = nil
        rest = []
    }

    mutating func pushIntoRest(_ element: Element) {
        rest.append(element)
        rest.withUnsafeMutableBufferPointer { Self.rise(element, from: $0.count - 1, $0) }
    }

    /// Fills the hole at the root from the smaller child down to a leaf, puts the last element there, and lets it rise: it came from a leaf, and seldom
    /// rises far (I. Wegener, "Bottom-up-heapsort", 1993), so that one comparison a level is saved.
    mutating func popFromRest() -> Element? {
        guard let last = rest.popLast() else { return nil }
        guard let first = rest.first else { return last }
        // A pointer: the array would be asked at each level whether it is shared.
        rest.withUnsafeMutableBufferPointer { elements in
            var hole = 0
            while 2 * hole + 2 < elements.count {
                let child = elements[2 * hole + 2] < elements[2 * hole + 1] ? 2 * hole + 2 : 2 * hole + 1
                elements[hole] = elements[child]
                hole = child
            }
            if 2 * hole + 1 < elements.count {
                elements[hole] = elements[2 * hole + 1]
                hole = 2 * hole + 1
            }
            Self.rise(last, from: hole, elements)
        }
        return first
    }

    /// Puts `element` at the hole `start`, or above it.
    @inline(__always)
    static func rise(_ element: Element, from start: Int, _ elements: UnsafeMutableBufferPointer<Element>) {
        var hole = start
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard element < elements[parent] else { break }
            elements[hole] = elements[parent]
            hole = parent
        }
        elements[hole] = element
    }
}

extension Heap: Sendable where Element: Sendable {}

/// A queue: taking the first element takes constant time, spread over all calls.
struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }
    var count: Int { elements.count - first }

    /// The element that comes out next.
    var next: Element? { isEmpty ? nil : elements[first] }

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

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements.filter { element in element.map { !isUnwanted($0) } ?? false }
        first = 0
    }
}
