/// The parts of a measurement.
enum Section: String, Sendable, CaseIterable {
    case contest, graphs, bodies, latency, launches, blocking, work, cancellation, memory, idle
    case commandLine = "command-line"

    /// What is measured, in a few words.
    var summary: String {
        switch self {
        case .contest: "launches whose steps take time, all rivals, cold and warm"
        case .graphs: "empty closures in every shape and size, all engines"
        case .bodies: "async closures and ConcurrentOperation steps, against a Task a node"
        case .latency: "run() to the first instruction, the last end to the return; building a graph"
        case .launches: "built-in scenarios with simulated work, against what the graph allows"
        case .blocking: "64 steps that block, on 64 lanes"
        case .work: "bodies that keep two processors busy, against the lower bound"
        case .cancellation: "cancelling 10,000 pending operations, an abort reaching running ones"
        case .memory: "bytes an operation, a million operations cancelled half-way"
        case .idle: "processor time while everything waits"
        case .commandLine: "sequencer-cli --version, against an empty program (with --cli)"
        }
    }
}
