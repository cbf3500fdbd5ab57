/// The grounds of a result: conditions that were the same, or as requested, and conditions that may differ in an app.
package struct Grounds: Sendable {
    package let controlled: [String]
    package let notControlled: [String]

    package init(controlled: [String], notControlled: [String]) {
        (self.controlled, self.notControlled) = (controlled, notControlled)
    }

    /// The grounds of every launch in virtual time.
    package static let virtualTime = Grounds(controlled: ["time"], notControlled: ["real work", "threads", "processors"])

    /// The grounds as a line.
    package var text: String { "controlled: \(controlled.joined(separator: ", ")); not: \(notControlled.joined(separator: ", "))" }

    package var json: JSONTree { ["controlled": .texts(controlled), "notControlled": .texts(notControlled)] }
}

extension LaunchReport {
    /// Nil for a launch in real time.
    package var grounds: Grounds? { isVirtual ? .virtualTime : nil }
}
