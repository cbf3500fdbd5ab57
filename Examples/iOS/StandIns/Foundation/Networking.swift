//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/urlrequest
public struct URLRequest: Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy

    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) {}
    public var url: URL?
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpBodyStream: InputStream? {
        get { nil }
        set {}
    }
    public var httpShouldHandleCookies = true
    public var allHTTPHeaderFields: [String: String]?
    public func value(forHTTPHeaderField field: String) -> String? { nil }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

/// foundation/nsurlrequest
open class NSURLRequest: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy = 0, reloadIgnoringLocalCacheData = 1 }
}

/// foundation/urlresponse
open class URLResponse: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open var url: URL? { nil }
}

/// foundation/httpurlresponse
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    // Unchecked, as Apple's.
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {}
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}

/// foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?) {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}

    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
}

/// foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpMaximumConnectionsPerHost = 6
    open var httpShouldSetCookies = true
    open var protocolClasses: [AnyClass]?
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 60
    open var timeoutIntervalForResource: TimeInterval = 60
    open var urlCache: URLCache?
    open var urlCredentialStorage: URLCredentialStorage?
}

/// foundation/httpcookie
open class HTTPCookie: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}

/// foundation/httpcookiestorage
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/urlcache
open class URLCache: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public enum StoragePolicy: UInt, Sendable { case allowed, allowedInMemoryOnly, notAllowed }
}

/// foundation/urlcredentialstorage
open class URLCredentialStorage: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/urlcredential
open class URLCredential: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    open var response: URLResponse? { nil }
    open var state: State { .running }
    open var taskIdentifier: Int { 0 }
    open func cancel() {}
    open func resume() {}
    open func suspend() {}

    public enum State: Int, Sendable { case running, suspended, canceling, completed }
}

/// foundation/urlsessiondatatask
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/urlsessiondelegate: Sendable, as the protocols below. Their methods are optional; those that the package has are required here, so that a slip
/// in a name is found.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

/// foundation/urlsessiontaskdelegate
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

/// foundation/urlsessiondatadelegate
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

/// foundation/urlprotocol: not Sendable.
open class URLProtocol: NSObject {
    open class func canInit(with request: URLRequest) -> Bool { false }
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    open var client: (any URLProtocolClient)? { nil }
    open var request: URLRequest { URLRequest(url: URL(fileURLWithPath: "")) }
    open var task: URLSessionTask? { nil }
    open func startLoading() {}
    open func stopLoading() {}
}

/// foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
    func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
}
