//  Stands in for the app: lines for screens, delays for servers, persons and speakers.

import Dispatch
import Sequencer

struct Configuration: Sendable, Equatable {
    let country: String
}

struct Session: Sendable, Equatable {
    let user: String
    let country: String
}

/// What all operations work with.
struct Phone: Sendable {
    var isOutdated = false
    var hasSpeaker = true
    /// False in tests, which do not wait.
    var isSlow = true
    /// Where screens appear.
    var show: @Sendable (String) -> Void = { print($0) }

    private static let queue = DispatchQueue(label: "phone")

    /// Calls back on another thread, as servers and persons do.
    func answer<Answer: Sendable>(_ answer: Answer, after milliseconds: Int, to callback: @escaping @Sendable (Answer) -> Void) {
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(isSlow ? milliseconds : 0)) { callback(answer) }
    }
}
