// Generic: a test puts numbers in the place of launches and their records.
/// The scopes of one launch, as far as they have to be decided about: no lock, no thread, no clock.
///
/// A scope is reserved by name, attached once its launch is made, and ends once; one whose graph is refused is withdrawn. While any is reserved or runs, the
/// launch does not end. Once the launch was stopped, none is taken, and those that run are to be cancelled.
struct LaunchScopes<Launch: Sendable, Record: Sendable>: Sendable {
    /// The answer to who wants to add a scope.
    enum Answer: Equatable {
        /// The scope has this place.
        case reserved(Int)
        /// Another one has the name.
        case isDuplicate
        /// Nothing of the launch runs, or it was stopped.
        case isTooLate
    }

    /// A scope that has ended.
    struct Ended: Sendable {
        let name: String
        /// When it was added.
        let start: Nanoseconds
        let record: Record
    }

    private struct Scope: Sendable {
        let name: String
        let start: Nanoseconds
        var launch: Launch?
        var record: Record?
    }

    private var scopes: [Scope] = []
    private var names: Set<String> = []
    /// The number of those that are reserved or run.
    private var runningCount = 0
    private var isStopped = false
    /// Whether the launch has only waited for its scopes since.
    private var isEndDue = false

    /// Those that have ended, in the order they were added.
    var ended: [Ended] {
        scopes.compactMap { scope in scope.record.map { Ended(name: scope.name, start: scope.start, record: $0) } }
    }

    /// Those that run, in the order they were added.
    var running: [Launch] { scopes.compactMap(\.launch) }

    /// Somebody wants to add a scope.
    ///
    /// - Parameter launchRuns: whether operations of the launch itself run, and nothing has stopped it.
    mutating func reserve(_ name: String, at time: Nanoseconds, launchRuns: Bool) -> Answer {
        // While a scope runs, another one may join, though the operations have ended: the report is not fixed yet.
        guard !isStopped, launchRuns || runningCount > 0 else { return .isTooLate }
        // Names of scopes that have ended count, too: the report has each once.
        guard names.insert(name).inserted else { return .isDuplicate }
        runningCount += 1
        scopes.append(Scope(name: name, start: time))
        return .reserved(scopes.count - 1)
    }

    /// The launch of a scope has been made, and is about to begin.
    ///
    /// - Returns: whether the caller has to cancel it, because the whole launch was stopped meanwhile.
    mutating func attach(_ launch: Launch, at place: Int) -> Bool {
        // Once stopped it is not kept: `stop()` has given out its list, and the caller cancels this one itself.
        if !isStopped { scopes[place].launch = launch }
        return isStopped
    }

    /// The graph of a scope was refused. Its name is free again.
    ///
    /// - Returns: whether the caller has to end the whole launch.
    mutating func withdraw(_ place: Int) -> Bool {
        names.remove(scopes[place].name)
        return end(place, nil)
    }

    /// A scope has ended.
    ///
    /// - Returns: whether the caller has to end the whole launch.
    mutating func end(_ place: Int, _ record: Record?) -> Bool {
        scopes[place].launch = nil
        scopes[place].record = record
        runningCount -= 1
        return runningCount == 0 && isEndDue
    }

    /// The launch was stopped.
    ///
    /// - Returns: the scopes to be cancelled.
    mutating func stop() -> [Launch] {
        isStopped = true
        return running
    }

    /// The operations of the launch have ended.
    ///
    /// - Returns: whether the launch ends with them; otherwise it ends with its last scope.
    mutating func mayEnd() -> Bool {
        isEndDue = runningCount > 0
        return !isEndDue
    }
}
