/// What a result rests on: what was the same, or as it was asked for, and what may be otherwise in an app.
package struct Grounds: Sendable {
    package let controlled: [String]
    package let notControlled: [String]

    package init(controlled: [String], notControlled: [String]) {
        (self.controlled, self.notControlled) = (controlled, notControlled)
    }

    /// Those of every launch in virtual time.
    package static let virtualTime = Grounds(controlled: ["time"], notControlled: ["real work", "threads", "processors"])

    /// One line.
    package var text: String { "controlled: \(controlled.joined(separator: ", ")); not: \(notControlled.joined(separator: ", "))" }

    package var json: JSONTree { ["controlled": .texts(controlled), "notControlled": .texts(notControlled)] }
}

extension LaunchReport {
    /// Nil for a launch in real time.
    package var grounds: Grounds? { isVirtual ? .virtualTime : nil }
}
