/// What kind of build an app is: what gates the parts of its launch that belong to some builds only.
///
/// These are the app's own compilation conditions, which a library cannot see: the app says which it was built with.
public struct BuildFlags: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// The flags as bits.
    public let rawValue: Int

    /// Flags from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A build for developers.
    public static let debug = BuildFlags(rawValue: 1)
    /// A build for testers, on the staging service.
    public static let staging = BuildFlags(rawValue: 2)
    /// A build that writes logs.
    public static let logs = BuildFlags(rawValue: 4)

    /// The flags' names, or "production" where there are none.
    public var description: String {
        let names: [(BuildFlags, String)] = [(.debug, "debug"), (.staging, "staging"), (.logs, "logs")]
        let present = names.filter { contains($0.0) }.map(\.1)
        return present.isEmpty ? "production" : present.joined(separator: " and ")
    }
}
