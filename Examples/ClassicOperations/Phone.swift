//  Stands in for the app: lines for screens, delays for servers, persons and speakers.

import Dispatch
import Sequencer

nonisolated struct Configuration: Sendable, Equatable {
    let country: String

    /// What the app was built with.
    static let bundled = Configuration(country: "US")
}

nonisolated struct Session: Sendable, Equatable {
    let user: String
    let country: String
}

/// What all operations work with.
nonisolated struct Phone: Sendable {
    var isOutdated = false
    var hasSpeaker = true
    /// What the server has; nil when it has none.
    var configuration: Configuration? = Configuration(country: "SE")
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
