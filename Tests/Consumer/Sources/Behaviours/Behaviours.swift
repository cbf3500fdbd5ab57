import Foundation

/// What a program has shown: a line for each behaviour, and a status in the end.
package final class Behaviours {
    private var count = 0
    private var failures = 0

    /// Nothing yet.
    package init() {}

    /// Says whether a behaviour was seen; where it was not, also what was seen instead.
    package func show(_ behaviour: String, _ isShown: Bool, _ seen: @autoclosure () -> Any? = nil) {
        count += 1
        if isShown {
            print("ok    \(behaviour)")
        } else {
            failures += 1
            print("FAIL  \(behaviour)\(seen().map { ": \($0)" } ?? "")")
        }
    }

    /// Ends the program: with 1 when something was not shown, or nothing at all was.
    package func end() -> Never {
        print("\(count) behaviours, \(failures) not shown")
        exit(failures == 0 && count > 0 ? 0 : 1)
    }
}
