import TestSupport
import Testing

@testable import Sequencer

/// What the engine keeps its state in, each beside something plain that does the same.
@Suite("The engine's data structures", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EngineStructureTests {
    @Test("a heap gives the smallest element, however pushes and pops are mixed", arguments: 1...20)
    func heap(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var heap = Heap<Int>()
        var model: [Int] = []
        for _ in 0..<2_000 {
            // Now more come in than go out, now the other way round.
            if Int.random(in: 0..<10, using: &random) < (seed.isMultiple(of: 2) ? 6 : 4) {
                let element = Int.random(in: 0..<100, using: &random)
                heap.push(element)
                model.append(element)
            } else {
                let smallest = model.min()
                #expect(heap.pop() == smallest)
                if let place = smallest.flatMap({ model.firstIndex(of: $0) }) { model.remove(at: place) }
            }
            #expect(heap.count == model.count && heap.isEmpty == model.isEmpty && heap.first == model.min())
        }
        heap.removeAll()
        #expect(heap.isEmpty && heap.pop() == nil)
    }

    @Test("numbers are counted, and found by their place, however they come and go", arguments: UInt64(1)...20)
    func countedNumbers(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var numbers = CountedNumbers()
        var model: Set<Int> = []
        for _ in 0..<500 {
            let number = Int.random(in: 0..<(seed.isMultiple(of: 2) ? 70 : 500), using: &random)
            if Bool.random(using: &random) {
                numbers.insert(number)
                model.insert(number)
            } else {
                numbers.remove(number)
                model.remove(number)
            }
            let sorted = model.sorted()
            #expect(numbers.count == sorted.count && numbers.contains(number) == model.contains(number))
            #expect((0...sorted.count).map { numbers.number(at: $0) } == sorted.map(Optional.some) + [nil])
            #expect(numbers.count(below: number) == sorted.count { $0 < number } && numbers.count(below: 10_000) == sorted.count)
        }
    }

    @Test("the lowest free lane is taken, however many there are", arguments: [nil, 1, 64, 65, 130, 1024])
    func lanes(limit: Int?) {
        var random = SplitMix64(seed: 7)
        var lanes = LaneSet(limit: limit)
        var taken: Set<Int> = []
        var widest = 0
        for _ in 0..<5_000 {
            if Int.random(in: 0..<10, using: &random) < 6 {
                let lowest = (0...).first { !taken.contains($0) } ?? 0
                let expected = lowest < limit ?? .max ? lowest : nil
                #expect(lanes.take() == expected)
                if let expected { taken.insert(expected) }
            } else if let lane = taken.randomElement(using: &random) {
                lanes.giveBack(lane)
                taken.remove(lane)
            }
            widest = max(widest, taken.count)
            #expect(lanes.taken == taken.count && lanes.widest == widest)
            #expect(lanes.available == limit.map { $0 - taken.count } ?? .max)
        }
    }

    @Test(
        "identifiers are where they are, the first of each, whatever they are made of",
        arguments: [0, 1, 5, 6, 7, 8, 100, 1_023, 1_024, 5_000]
    )
    func identifiers(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        // Few different ones, so that some are there twice, and of all lengths around eight bytes.
        let alphabet = ["a", "b", "operation-", "é", "e\u{301}", "日本", "-", "7"]
        let ids = (0..<count).map { _ in
            (0...Int.random(in: 0..<6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
        }
        var first: [String: Int] = [:]
        var repeated: [[Int]] = []
        for (position, id) in ids.enumerated() {
            if let known = first[id] { repeated.append([known, position]) } else { first[id] = position }
        }
        var graph = OperationGraph("identifiers")
        for id in ids { graph.join(id) }
        #expect(graph.positions == first)
        do {
            _ = try graph.validated()
            #expect(repeated.isEmpty)
        } catch {
            #expect(error.problems.allSatisfy { $0.code == .duplicateIdentifier })
            #expect(Set(error.problems.map(\.positions)) == Set(repeated))
        }
    }

    @Test("a copy of a state machine goes its own way")
    func copies() throws {
        var graph = OperationGraph("copy")
        graph.add("first") {}
        graph.add("second", after: "first") {}
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: LaunchStateMachine.Configuration())
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        var copy = machine
        let first = try #require(machine.take(.worker, at: 1, &actions))
        #expect(machine.attemptEnded(first, .succeeded, thenTakeFor: .worker, at: 2, &actions).next?.node == 1)
        #expect(copy.nodes.map(\.state) == [.ready, .waiting])
        copy.cancelLaunch(at: 3, &actions)
        #expect(copy.nodes.map(\.outcome) == [.cancelled, .cancelled])
        #expect(machine.nodes.map(\.state) == [.ended, .running])
    }
}
