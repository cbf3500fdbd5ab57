import Dispatch
import Foundation
import Sequencer
import SequencerTesting
import Synchronization
import Testing

struct Trouble: Error {}

/// How long a test waits for what should come at once.
private let patience: Duration = .seconds(300)

extension LaunchOptions {
    /// In virtual time: waits take none of the machine's.
    static func virtual(lanes: Int? = nil) -> LaunchOptions { LaunchOptions(lanes: lanes, clock: VirtualClock(patience: patience)) }

    /// In real time, with a deadline that a busy machine keeps, too.
    static func real(lanes: Int? = nil, grace: Duration = .milliseconds(250)) -> LaunchOptions {
        LaunchOptions(lanes: lanes, deadline: .seconds(600), grace: grace)
    }
}

/// Lets a thread wait for another one, in an order that the test draws.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Blocks the thread until the gate is open.
    func block(sourceLocation: SourceLocation = #_sourceLocation) {
        if semaphore.wait(timeout: .now() + patience / .seconds(1)) == .timedOut {
            Issue.record("the gate was not opened", sourceLocation: sourceLocation)
        }
        semaphore.signal()
    }
}

/// What was noted, on whichever thread, in order.
final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock { $0 } }

    func add(_ note: String) { notes.withLock { $0.append(note) } }
}

/// Gives observers the launch that they watch.
final class Watched: Sendable {
    private let content = Mutex<RunningLaunch?>(nil)

    var launch: RunningLaunch? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

/// Waits until it is so.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + patience
    while !isSo() {
        try #require(ContinuousClock.now < end, "it was not so in time", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(1))
    }
}

private let mainQueue: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// Whether this runs on the main queue. In a test on Linux another thread than the process's first serves it.
func isOnMainThread() -> Bool { DispatchQueue.getSpecific(key: mainQueue) == true }
