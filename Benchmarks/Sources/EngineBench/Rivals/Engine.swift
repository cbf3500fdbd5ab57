/// One way to run a graph: build what it needs from a shape, run it, and return when every node has ended.
struct Engine: Sendable {
    /// How an engine is called: from a thread that it may block, or from a task.
    enum Entry: Sendable {
        case blocking(@Sendable (Shape, Workload, BodyKind) -> Void)
        case suspending(@Sendable (Shape, Workload, BodyKind) async throws -> Void)
    }

    /// The name, on the command line and in tables.
    let name: String
    /// What it is, in a few words.
    let summary: String
    /// The kinds of body it is measured with.
    let kinds: [BodyKind]
    /// The largest graph it runs in a time that anyone would wait for: ordinarily, and when everything was asked for.
    let (largest, largestInFull): (Int, Int)
    let entry: Entry

    init(_ name: String, _ summary: String, kinds: [BodyKind], largest: Int = .max, largestInFull: Int = .max, entry: Entry) {
        (self.name, self.summary, self.kinds, self.entry) = (name, summary, kinds, entry)
        (self.largest, self.largestInFull) = (largest, largestInFull)
    }

    /// All of them, in the order of tables; the last is ours.
    static let all: [Engine] = [.operationQueue, .gcd, .task, .taskGroup, .sequencer]

    /// Whether it is measured with bodies of that kind.
    func runs(_ kind: BodyKind) -> Bool { kinds.contains(kind) }
}
