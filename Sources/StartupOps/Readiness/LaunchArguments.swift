/// The arguments that tests launch an app with: `-startup-skip-tutorial`, say. Words without the prefix are not looked
/// at.
///
/// Without such arguments nothing changes. In release builds they are not even read, unless that is asked for: being
/// able to start an app with arguments must not allow changing its behaviour.
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
        given = Set(names.filter { read.contains(Self.prefix + $0) })
    }

    /// Whether `name` was given, with a value or without.
    public func contains(_ name: String) -> Bool { given.contains(name) }
}
