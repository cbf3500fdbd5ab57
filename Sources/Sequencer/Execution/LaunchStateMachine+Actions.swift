extension LaunchStateMachine {
    /// The actions that the caller must take, once it has released its lock.
    struct Actions: Equatable {
        /// Workers to add: each takes operations with ``LaunchStateMachine/take(_:after:at:_:)`` until none is left.
        var workers = 0
        /// Turns to ask of the main thread: each takes one operation.
        var mainTurns = 0
        /// Turns to ask of the app's queue: each takes one operation.
        var queueTurns = 0
        /// Lanes whose operations have ended, in the app's queue too.
        var freedLanes: [Int] = []
        /// Running operations to be told to cancel.
        var cancel: [Int] = []
        /// Operations that ended with their fallback's value.
        var useFallbackValue: [Int] = []
        /// Operations that wait for an event from now on, and others that have ended and settle one.
        var events: [Int] = []
        /// Fallbacks to be computed, each on a thread of its own.
        var fallbacks: [Assignment] = []
        /// Nothing has ended for too long: say so.
        var reportsStall = false
        /// See ``LaunchStateMachine/takeScreenChanges()``.
        var changesScreens = false
        /// The launch has failed: show that.
        var showsFailure = false
        /// The launch was stopped: cancel its scopes.
        var cancelsScopes = false
        /// Something waits for a worker: look at the threads of those that run, see ``LaunchStateMachine/measured(_:_:)``.
        var looksAtWorkers = false
        /// The milestone has ended.
        var isMilestoneOver = false
        /// The launch is over: nothing will happen any more.
        var isOver = false

        var isEmpty: Bool { self == Actions() }
    }
}
