//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/localizederror
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

extension Error {
    public var localizedDescription: String { "" }
}

/// foundation/nserror: the compiler makes one of any error.
open class NSError: NSObject, Error, @unchecked Sendable {
    // Unchecked, as Apple's.
    public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil) {}
    open var domain: String { "" }
    open var code: Int { 0 }
    open var userInfo: [String: Any] { [:] }
}

/// What the compiler calls for `error as NSError`.
public func _convertErrorToNSError(_ error: any Error) -> NSError { NSError(domain: "", code: 0) }

public let NSLocalizedDescriptionKey = ""

/// foundation/cocoaerror
public struct CocoaError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let fileReadNoSuchFile = Code(rawValue: 260)
        public static func ~= (match: Code, error: any Error) -> Bool { (error as? CocoaError)?.code == match }
    }

    public let code: Code
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
    public static var fileReadNoSuchFile: Code { .fileReadNoSuchFile }
}

/// foundation/urlerror
public struct URLError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static var unknown: Code { Code(rawValue: -1) }
        public static var cancelled: Code { Code(rawValue: -999) }
        public static var badURL: Code { Code(rawValue: -1000) }
        public static var timedOut: Code { Code(rawValue: -1001) }
        public static var unsupportedURL: Code { Code(rawValue: -1002) }
        public static var cannotFindHost: Code { Code(rawValue: -1003) }
        public static var cannotConnectToHost: Code { Code(rawValue: -1004) }
        public static var networkConnectionLost: Code { Code(rawValue: -1005) }
        public static var dnsLookupFailed: Code { Code(rawValue: -1006) }
        public static var notConnectedToInternet: Code { Code(rawValue: -1009) }
        public static var badServerResponse: Code { Code(rawValue: -1011) }
        public static var cannotParseResponse: Code { Code(rawValue: -1017) }
        public static var internationalRoamingOff: Code { Code(rawValue: -1018) }
        public static var callIsActive: Code { Code(rawValue: -1019) }
        public static var dataNotAllowed: Code { Code(rawValue: -1020) }
        public static var secureConnectionFailed: Code { Code(rawValue: -1200) }
        public static var serverCertificateHasBadDate: Code { Code(rawValue: -1201) }
        public static var serverCertificateUntrusted: Code { Code(rawValue: -1202) }
        public static var serverCertificateHasUnknownRoot: Code { Code(rawValue: -1203) }
        public static var serverCertificateNotYetValid: Code { Code(rawValue: -1204) }
        public static var clientCertificateRejected: Code { Code(rawValue: -1205) }
        public static var clientCertificateRequired: Code { Code(rawValue: -1206) }
        public static func ~= (match: Code, error: any Error) -> Bool { (error as? URLError)?.code == match }
    }

    public let code: Code
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
}
