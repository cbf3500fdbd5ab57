import Foundation
import Sequencer

/// The arguments that tests launch an app with: `-startup-skip-tutorial`, say. Words without the prefix are not looked at.
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

    private let given: Set<String>
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
        let read = isEnabled ?? Self.isDebugBuild ? arguments : []
        let all = Set(read.filter { $0.hasPrefix(Self.prefix) }.map { String($0.dropFirst(Self.prefix.count)) })
        given = all.intersection(names)
        problems = all.subtracting(names).sorted().map { name in
            let hint = nearestName(to: name, in: names).map { ", did you mean \(Self.prefix)\($0)?" } ?? ""
            // Cut, as anything may stand on a command line.
            return "there is no launch argument \(Self.prefix)\(printable(name, limit: 80))\(hint)"
        }
    }

    /// Whether `name` was given, with a value or without.
    public func contains(_ name: String) -> Bool { given.contains(name) }
}
