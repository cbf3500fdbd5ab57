/// A history that cannot be read or written.
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable {
        let name: String

        /// The file cannot be read.
        public static let unreadable = Code(name: "unreadable")
        /// The file cannot be written, or a new version not be put in its place.
        public static let unwritable = Code(name: "unwritable")
        /// Another process kept the file locked.
        public static let locked = Code(name: "locked")
        /// The file was written by a version of this library that is not known here.
        public static let otherVersion = Code(name: "otherVersion")
    }

    /// What kind of failure this is.
    public let code: Code
    /// Where the file is.
    public let path: String
    /// What happened, and what to do.
    public let reason: String

    /// One sentence: the file, what happened, what to do.
    public var description: String { "the history in \(printable(path)): \(reason)" }
}
