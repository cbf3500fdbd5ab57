import Sequencer

/// Why a link was refused. The description shows the link's scheme and host at most, and never its query.
public struct DeepLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// There is no text.
        public static let empty = Code(description: "empty")
        /// It is longer than a link may be.
        public static let tooLong = Code(description: "tooLong")
        /// It has a character that no link may have.
        public static let invalidCharacter = Code(description: "invalidCharacter")
        /// It does not begin with a scheme.
        public static let missingScheme = Code(description: "missingScheme")
        /// The app does not take links with this scheme.
        public static let schemeNotAllowed = Code(description: "schemeNotAllowed")
        /// There is no host.
        public static let missingHost = Code(description: "missingHost")
        /// There is a user name before the host.
        public static let userInformation = Code(description: "userInformation")
        /// The app does not take links to this host.
        public static let hostNotAllowed = Code(description: "hostNotAllowed")
        /// The app does not take links to this port.
        public static let portNotAllowed = Code(description: "portNotAllowed")
        /// The path is empty in the middle, climbs, or cannot be decoded.
        public static let invalidPath = Code(description: "invalidPath")
        /// No route has this path.
        public static let unknownPath = Code(description: "unknownPath")
        /// A parameter is there twice.
        public static let duplicateParameter = Code(description: "duplicateParameter")
        /// A parameter that the route requires is not there.
        public static let missingParameter = Code(description: "missingParameter")
        /// The route has no such parameter.
        public static let unknownParameter = Code(description: "unknownParameter")
        /// A parameter is not what the route wants it to be.
        public static let invalidParameter = Code(description: "invalidParameter")
    }

    /// What kind of error it is.
    public let code: Code
    /// The link as far as it can be shown: its scheme and host, or the name of the route; empty when not even these are known.
    public let link: String
    /// The parameter it is about.
    public let parameter: String?
    /// What happened and what was expected.
    public let reason: String

    init(_ code: Code, _ link: String, parameter: String? = nil, _ reason: String) {
        self.code = code
        self.link = printable(link, limit: 100)
        self.parameter = parameter
        self.reason = reason
    }

    /// One sentence.
    public var description: String { "link refused\(link.isEmpty ? "" : " (\(link))"): \(reason)" }
}
