//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/url
public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    public init?(string: String) {}
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public init?(string: String, encodingInvalidCharacters: Bool) {}
    public init?(string: String, relativeTo url: URL?) {}
    public init(fileURLWithPath path: String) {}
    public init(fileURLWithPath path: String, isDirectory: Bool) {}
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}
    public var absoluteString: String { "" }
    public var absoluteURL: URL { self }
    public var description: String { "" }
    public var fragment: String? { nil }
    public var host: String? { nil }
    public var isFileURL: Bool { false }
    public var lastPathComponent: String { "" }
    public var password: String? { nil }
    public var path: String { "" }
    public var pathComponents: [String] { [] }
    public var pathExtension: String { "" }
    public var port: Int? { nil }
    public var query: String? { nil }
    public var scheme: String? { nil }
    public var standardizedFileURL: URL { self }
    public var user: String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func fragment(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func host(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func password(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func path(percentEncoded: Bool = true) -> String { "" }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func query(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func user(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func appending<S: StringProtocol>(path: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func appending<S: StringProtocol>(component: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    public func appendingPathComponent(_ pathComponent: String) -> URL { self }
    public func appendingPathComponent(_ pathComponent: String, isDirectory: Bool) -> URL { self }
    public func appendingPathExtension(_ pathExtension: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
}

/// foundation/urlcomponents
public struct URLComponents: Hashable, Sendable {
    public init() {}
    public init?(string: String) {}
    public init?(url: URL, resolvingAgainstBaseURL resolve: Bool) {}
    public var host: String?
    public var path = ""
    public var percentEncodedPath = ""
    public var percentEncodedQuery: String?
    public var queryItems: [URLQueryItem]?
    public var scheme: String?
    public var url: URL? { nil }
}

/// foundation/urlqueryitem
public struct URLQueryItem: Hashable, Sendable {
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
    public var name: String
    public var value: String?
}

/// foundation/filemanager
open class FileManager: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open class var `default`: FileManager { FileManager() }
    open var temporaryDirectory: URL { URL(fileURLWithPath: "") }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
    open func copyItem(at srcURL: URL, to dstURL: URL) throws {}
    open func createDirectory(
        at url: URL,
        withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func destinationOfSymbolicLink(atPath path: String) throws -> String { "" }
    open func fileExists(atPath path: String) -> Bool { false }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    open func moveItem(at srcURL: URL, to dstURL: URL) throws {}
    open func removeItem(at URL: URL) throws {}
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { [] }

    public enum SearchPathDirectory: UInt, Sendable { case applicationSupportDirectory = 14 }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
    }
}

/// foundation/fileattributekey
public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let posixPermissions = FileAttributeKey(rawValue: "NSFilePosixPermissions")
}

/// foundation/filehandle
open class FileHandle: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public override init() {}
    public init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool) {}
    open class var standardError: FileHandle { FileHandle() }
    open class var standardOutput: FileHandle { FileHandle() }
    open var fileDescriptor: Int32 { 0 }
    open func readToEnd() throws -> Data? { nil }
    open func write<T: DataProtocol>(contentsOf data: T) throws {}
}

/// foundation/inputstream
open class InputStream: NSObject {
    open func open() {}
    open func close() {}
    open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { 0 }
}

/// foundation/bundle
open class Bundle: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open class var main: Bundle { Bundle() }
    open var bundleIdentifier: String? { nil }
    open var executableURL: URL? { nil }
    open func object(forInfoDictionaryKey key: String) -> Any? { nil }
}

/// foundation/process
@available(iOS, unavailable)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(visionOS, unavailable)
open class Process: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public enum TerminationReason: Int, Sendable {
        case exit = 1
        case uncaughtSignal = 2
    }

    open var executableURL: URL?
    open var arguments: [String]?
    open var terminationHandler: (@Sendable (Process) -> Void)?
    open var terminationReason: TerminationReason { .exit }
    open func run() throws {}
}

/// foundation/processinfo
open class ProcessInfo: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open class var processInfo: ProcessInfo { ProcessInfo() }
    open var activeProcessorCount: Int { 1 }
    open var arguments: [String] { [] }
    open var environment: [String: String] { [:] }
    open var operatingSystemVersionString: String { "" }
    open var processName: String { "" }
    open var systemUptime: TimeInterval { 0 }
}
