/// Why a push payload was rejected as a whole. Nothing of it is shown.
public struct PushPayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// It is larger than a payload may be.
        public static let tooLarge = Code(description: "tooLarge")
        /// It is nested deeper than a payload may be.
        public static let tooDeep = Code(description: "tooDeep")
        /// It is no JSON object.
        public static let malformed = Code(description: "malformed")
        /// It has no dictionary named `aps`.
        public static let missingAPS = Code(description: "missingAPS")
    }

    /// What kind of error it is.
    public let code: Code
    /// What happened and what was expected.
    public let reason: String

    /// One sentence.
    public var description: String { "push rejected: \(reason)" }

    static let tooLarge = PushPayloadError(code: .tooLarge, reason: "it is larger than \(PushPayloadParser.maximumSize) bytes")
    static let tooDeep = PushPayloadError(code: .tooDeep, reason: "it is nested more than \(PushValue.maximumDepth) levels deep")
    static let malformed = PushPayloadError(code: .malformed, reason: "it is no JSON object in UTF-8")

    static func missingAPS(_ found: PushValue?) -> PushPayloadError {
        PushPayloadError(
            code: .missingAPS,
            reason: found.map { "aps is \($0.kind) where an object was expected" } ?? "it has no aps, which every push has"
        )
    }
}
