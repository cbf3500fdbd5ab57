/// Why a report or a graph could not be written in a format.
public struct ExportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of trouble.
    public struct Code: Sendable, Hashable {
        let name: String

        /// The format's readers do not accept that much.
        public static let tooLarge = Code(name: "tooLarge")
        /// The format needs the wall-clock time of the launch's begin, and nobody said it.
        public static let unknownStart = Code(name: "unknownStart")
        /// A point in time that the format cannot express.
        public static let timeOutOfRange = Code(name: "timeOutOfRange")
    }

    /// The kind of trouble.
    public let code: Code
    /// One sentence: what is wrong, and what to do instead.
    public let description: String
}
