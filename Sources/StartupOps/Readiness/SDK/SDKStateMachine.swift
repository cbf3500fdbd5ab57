/// Decides what a call to an SDK's set-up leads to. Calls come one after the other; ends of restores come whenever they do.
struct SDKStateMachine {
    enum Phase: Equatable {
        case uninitialized, initializing, restoring, ready
    }

    enum Decision: Equatable {
        case begin(generation: Int)
        case alreadyDone
        /// It is initialised with a configuration that differs in these fields.
        case refuse(differences: [String])
    }

    private(set) var phase = Phase.uninitialized
    /// Counts initialisations and tear-downs: what belongs to an older one counts no more.
    private(set) var generation = 0
    private var configuration: SDKConfiguration?

    var isReady: Bool { phase == .ready }
    var isInitialized: Bool { phase == .restoring || phase == .ready }

    mutating func initialize(_ configuration: SDKConfiguration) -> Decision {
        if isInitialized, let current = self.configuration {
            let differences = current.differences(from: configuration)
            return differences.isEmpty ? .alreadyDone : .refuse(differences: differences)
        }
        generation += 1
        phase = .initializing
        return .begin(generation: generation)
    }

    mutating func didInitialize(_ configuration: SDKConfiguration, restores: Bool) {
        self.configuration = configuration
        phase = restores ? .restoring : .ready
    }

    mutating func didFail() {
        configuration = nil
        phase = .uninitialized
    }

    /// - Returns: whether it is ready by that; not when it was before, or when the restore is one of an older generation.
    mutating func restoreEnded(_ generation: Int) -> Bool {
        guard isRestoring(generation) else { return false }
        phase = .ready
        return true
    }

    func isRestoring(_ generation: Int) -> Bool { phase == .restoring && self.generation == generation }

    /// - Returns: whether there was anything to tear down.
    mutating func tearDown() -> Bool {
        defer { didFail() }
        if isInitialized { generation += 1 }
        return isInitialized
    }
}
