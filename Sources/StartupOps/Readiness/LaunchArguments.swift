import Foundation
import Sequencer

/// The arguments that tests launch an app with: `-startup-onboarding none -startup-skip-tutorial`.
///
/// Without such arguments nothing changes. In release builds they are not even read, unless that is asked for: nobody who can start an app
/// with arguments is to change how it behaves for people.
public struct LaunchArguments: Sendable, Hashable {
    /// The prefix of every argument of ours.
    static let prefix = "-startup-"
    /// Whether this is a debug build.
    package static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    private let values: [String: String]
    /// The arguments that could not be understood, each with the nearest name that can.
    let problems: [String]

    /// Reads `arguments`.
    ///
    /// - Parameters:
    ///   - names: the names that mean something, without the prefix.
    ///   - isEnabled: whether the arguments are read at all; nil: in debug builds.
    public init(
        _ arguments: [String] = CommandLine.arguments,
        names: [String],
        isEnabled: Bool? = nil
    ) {
        var values: [String: String] = [:]
        var problems: [String] = []
        var rest = isEnabled ?? Self.isDebugBuild ? arguments[...] : []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix(Self.prefix) else { continue }
            let name = String(argument.dropFirst(Self.prefix.count))
            var value = ""
            // A value never begins with a dash: that is the next argument.
            if let next = rest.first, !next.hasPrefix("-") {
                value = next
                rest.removeFirst()
            }
            if names.contains(name) {
                values[name] = value
            } else {
                let hint = nearestName(to: name, in: names).map { ", did you mean \(Self.prefix)\($0)?" } ?? ""
                // Cut, as anything may stand on a command line.
                problems.append("there is no launch argument \(Self.prefix)\(printable(name, limit: 80))\(hint)")
            }
        }
        self.values = values
        self.problems = problems
    }

    /// Whether nothing was asked for.
    var isEmpty: Bool { values.isEmpty }

    /// Whether `name` was given, with a value or without.
    public func contains(_ name: String) -> Bool { values[name] != nil }

    /// The text that followed `name`; nil when it was not given, or nothing followed.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
}
