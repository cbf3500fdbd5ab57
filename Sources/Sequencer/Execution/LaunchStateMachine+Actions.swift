extension LaunchStateMachine {
    /// The actions that the caller must take, once it has let go of its lock.
    struct Actions {
        /// Workers to add: each takes operations with ``LaunchStateMachine/takeForWorker(after:at:_:)`` until none is left.
        var workers = 0
        /// Turns to ask of the main thread: each takes one operation with ``LaunchStateMachine/takeForMain(at:_:)``.
        var mainTurns = 0
        /// Turns to ask of the app's queue: each takes one operation with ``LaunchStateMachine/takeForQueue(at:_:)``.
        var queueTurns = 0
        /// Lanes whose operations have ended, in the app's queue too.
        var freedLanes: [Int] = []
        /// Running operations to be told to cancel.
        var cancel: [Int] = []
        /// Operations that ended with their fallback's value.
        var useFallbackValue: [Int] = []
        /// Operations that wait for an event from now on, and others that have ended and settle one.
        var events: [Int] = []
        /// Fallbacks to be computed, each on a thread of its own. Not asked by ``isEmpty``: ``Rare/computesFallbacks`` says so.
        private(set) var fallbacks: [Assignment] = []
        /// Consequences that few inputs have.
        var rare: Rare = []
        /// The milestone has ended.
        var isMilestoneOver = false
        /// The launch is over: nothing will happen any more.
        var isOver = false

        mutating func compute(_ fallback: Assignment) {
            fallbacks.append(fallback)
            rare.insert(.computesFallbacks)
        }

        // Inlined, for every input asks: "running, instructions" in `Benchmarks/instructions.json`.
        @inline(__always)
        var isEmpty: Bool {
            workers == 0 && mainTurns == 0 && !isOver && !isMilestoneOver && rare.isEmpty && cancel.isEmpty && useFallbackValue.isEmpty
                && queueTurns == 0 && freedLanes.isEmpty && events.isEmpty
        }
    }

    /// Consequences that few inputs have, in one byte that every input looks at.
    struct Rare: OptionSet {
        let rawValue: UInt8
        /// Nothing has ended for too long: say so.
        static let reportsStall = Rare(rawValue: 1)
        /// See ``LaunchStateMachine/takeScreenChanges()``.
        static let changesScreens = Rare(rawValue: 2)
        /// The launch has failed: show that.
        static let showsFailure = Rare(rawValue: 4)
        /// The launch was stopped: cancel its scopes.
        static let cancelsScopes = Rare(rawValue: 8)
        /// See ``Actions/fallbacks``.
        static let computesFallbacks = Rare(rawValue: 16)
        /// Something waits for a worker: look at the threads of those that run, see ``LaunchStateMachine/measured(_:_:)``.
        static let looksAtWorkers = Rare(rawValue: 32)
    }
}
