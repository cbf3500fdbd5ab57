/// A priority queue: the smallest element first.
///
/// A binary heap, with the smallest element kept apart while it is known: what comes in and is the next to go out, as in a chain, never gets into the heap.
struct Heap<Element: Comparable> {
    /// The smallest of all, if it is known: not smaller than any in `rest`.
    private var front: Element?
    private var rest: [Element] = []

    var isEmpty: Bool { front == nil && rest.isEmpty }
    var count: Int { rest.count + (front == nil ? 0 : 1) }
    var first: Element? { front ?? rest.first }

    @inline(__always)
    mutating func push(_ element: Element) {
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
    mutating func pop() -> Element? {
        if let known = front {
            front = nil
            return known
        }
        return rest.isEmpty ? nil : popFromRest()
    }

    mutating func removeAll() {
        front = nil
        rest = []
    }

    private mutating func pushIntoRest(_ element: Element) {
        rest.append(element)
        rest.withUnsafeMutableBufferPointer { Self.rise(element, from: $0.count - 1, $0) }
    }

    /// Fills the hole at the root from the smaller child down to a leaf, puts the last element there, and lets it rise: it came from a leaf, and seldom
    /// rises far (I. Wegener, "Bottom-up-heapsort", 1993), so that one comparison a level is saved.
    private mutating func popFromRest() -> Element? {
        guard let last = rest.popLast() else { return nil }
        guard let first = rest.first else { return last }
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
    private static func rise(_ element: Element, from start: Int, _ elements: UnsafeMutableBufferPointer<Element>) {
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
