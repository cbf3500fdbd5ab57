#if canImport(FoundationNetworking)
    import Foundation

    /// The functions of libcurl that a transport needs, as they are in this process: Foundation's `URLSession` is
    /// linked against it.
    ///
    /// Nothing is loaded, so a program that is linked statically has none: a second C library would come with it. A
    /// handle belongs to one thread, but for `multiWakeup`.
    struct LibCurl: Sendable {
        typealias Handle = UnsafeMutableRawPointer
        /// Takes `size * count` bytes, and says how many it took; less than all ends the transfer.
        typealias Callback = @convention(c) (_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: Handle?) -> Int

        let easyInit: @convention(c) @Sendable () -> Handle?
        let easyCleanup: @convention(c) @Sendable (Handle) -> Void
        let setNumber: @convention(c) @Sendable (Handle, CInt, CLong) -> CInt
        let setPointer: @convention(c) @Sendable (Handle, CInt, UnsafeRawPointer?) -> CInt
        let getNumber: @convention(c) @Sendable (Handle, CInt, UnsafeMutablePointer<CLong>) -> CInt
        let listAppend: @convention(c) @Sendable (Handle?, UnsafePointer<CChar>) -> Handle?
        let listFree: @convention(c) @Sendable (Handle?) -> Void
        let multiInit: @convention(c) @Sendable () -> Handle?
        let multiCleanup: @convention(c) @Sendable (Handle) -> CInt
        let multiSetNumber: @convention(c) @Sendable (Handle, CInt, CLong) -> CInt
        let multiAdd: @convention(c) @Sendable (Handle, Handle) -> CInt
        let multiRemove: @convention(c) @Sendable (Handle, Handle) -> CInt
        let multiPerform: @convention(c) @Sendable (Handle, UnsafeMutablePointer<CInt>) -> CInt
        let multiPoll: @convention(c) @Sendable (Handle, Handle?, CUnsignedInt, CInt, UnsafeMutablePointer<CInt>?) -> CInt
        let multiWakeup: @convention(c) @Sendable (Handle) -> CInt
        let multiInfoRead: @convention(c) @Sendable (Handle, UnsafeMutablePointer<CInt>) -> UnsafeRawPointer?

        /// Nil without libcurl in this process, or with one from before 7.68 (2020), which cannot be woken.
        static let system = try? LibCurl()

        private struct Missing: Error {}

        private init() throws {
            // The functions that take a variable argument (setopt, getinfo) are called as if they did not. That is
            // right where both are passed in the same registers, as integers and pointers are under Linux on these
            // processors. Elsewhere libcurl is not used.
            #if os(Linux) && (arch(x86_64) || arch(arm64))
                let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD)
            #else
                let library: Handle? = nil
            #endif
            guard let library else { throw Missing() }
            /// The type is that of the property it is assigned to.
            func function<Function>(_ name: String) throws -> Function {
                guard let symbol = dlsym(library, name) else { throw Missing() }
                return unsafeBitCast(symbol, to: Function.self)
            }
            easyInit = try function("curl_easy_init")
            easyCleanup = try function("curl_easy_cleanup")
            setNumber = try function("curl_easy_setopt")
            setPointer = try function("curl_easy_setopt")
            getNumber = try function("curl_easy_getinfo")
            listAppend = try function("curl_slist_append")
            listFree = try function("curl_slist_free_all")
            multiInit = try function("curl_multi_init")
            multiCleanup = try function("curl_multi_cleanup")
            multiSetNumber = try function("curl_multi_setopt")
            multiAdd = try function("curl_multi_add_handle")
            multiRemove = try function("curl_multi_remove_handle")
            multiPerform = try function("curl_multi_perform")
            multiPoll = try function("curl_multi_poll")
            multiWakeup = try function("curl_multi_wakeup")
            multiInfoRead = try function("curl_multi_info_read")
            let globalInit: @convention(c) (CLong) -> CInt = try function("curl_global_init")
            // 3 is everything.
            guard globalInit(3) == 0 else { throw Missing() }
        }
    }

    /// Sets up a handle of libcurl. Everything else is off by default: cookies, credentials, `.netrc`, redirections,
    /// HSTS and alternative services.
    final class CurlSetup {
        /// The options, as libcurl numbers them.
        enum Option: CInt {
            case fullURL = 10002, proxy = 10004, errorBuffer = 10010, fields = 10023, customMethod = 10036, certificates = 10065
            case encodings = 10102, copyBody = 10165
            case writeData = 10001, headerData = 10029, writeFunction = 20011, headerFunction = 20079
            case withoutBody = 44, post = 47, freshConnection = 74, verifyPeer = 64, verifyHost = 81, noSignal = 99, protocols = 181
            case verbose = 41, debugData = 10095, debugFunction = 20094
            case withoutProxyHeaders = 265, noUserInAddress = 278, allowsOldHTTP = 285, quickExit = 322, bodySize = 30120
        }

        /// Whether the handle refused something, so that it must not be used.
        private(set) var hasFailed = false
        private let curl: LibCurl
        private let handle: LibCurl.Handle

        init(_ curl: LibCurl, _ handle: LibCurl.Handle) {
            (self.curl, self.handle) = (curl, handle)
        }

        func set(_ option: Option, _ value: Int) { note(curl.setNumber(handle, option.rawValue, value)) }

        func set(_ option: Option, _ pointer: UnsafeRawPointer?) { note(curl.setPointer(handle, option.rawValue, pointer)) }

        func set(_ option: Option, _ callback: LibCurl.Callback) { set(option, unsafeBitCast(callback, to: UnsafeRawPointer.self)) }

        /// libcurl copies the text.
        func set(_ option: Option, _ text: String) { text.withCString { set(option, UnsafeRawPointer($0)) } }

        private func note(_ result: CInt) { if result != 0 { hasFailed = true } }

        /// Everything about a request; returns the list of its headers, which has to live as long as the handle.
        func apply(_ request: HTTPRequest) -> LibCurl.Handle? {
            set(.noSignal, 1)
            set(.fullURL, request.url.absoluteString)
            // http and https.
            set(.protocols, 1 | 2)
            set(.noUserInAddress, 1)
            set(.allowsOldHTTP, 0)
            set(.withoutProxyHeaders, 1)
            set(.verifyPeer, 1)
            set(.verifyHost, 2)
            // Not all that it can unpack: a window of another kind may have 128 MB. See `ResponseHead`.
            set(.encodings, "gzip, deflate")
            // Removing a handle would otherwise wait for its name to be looked up, and all others with it. Unknown
            // before 7.87.
            _ = curl.setNumber(handle, Option.quickExit.rawValue, 1)
            // A proxy could read a plain request, so none is asked, in any environment.
            if request.url.scheme?.lowercased() == "http" { set(.proxy, "") }
            // Foundation's variable for certificates that the system does not know.
            if let path = ProcessInfo.processInfo.environment["URLSessionCertificateAuthorityInfoFile"] { set(.certificates, path) }
            applyMethod(request)
            return applyHeaders(request.headers)
        }

        private func applyMethod(_ request: HTTPRequest) {
            switch request.method {
            case .get: break
            case .head: set(.withoutBody, 1)
            case .post: set(.post, 1)
            default: set(.customMethod, request.method.rawValue)
            }
            // On a connection that was used before and turns out closed, libcurl sends a request again: never one that
            // must not be repeated.
            if !request.method.isIdempotent { set(.freshConnection, 1) }
            guard request.body?.isEmpty == false || [.post, .put, .patch].contains(request.method) else { return }
            let body = request.body ?? Data()
            set(.bodySize, body.count)
            // A copy of it lives as long as the handle, so that all of it can be sent, and sent again.
            body.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { set(.copyBody, start) } else { set(.copyBody, "") }
            }
        }

        private func applyHeaders(_ headers: HTTPHeaders) -> LibCurl.Handle? {
            var list: LibCurl.Handle?
            func append(_ line: String) {
                guard let longer = line.withCString({ curl.listAppend(list, $0) }) else { return hasFailed = true }
                list = longer
            }
            // Its length is known better here. An empty value is written with a semicolon; with a colon it removes the
            // field.
            for (name, value) in headers where name.lowercased() != "content-length" {
                append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
            }
            // Keep libcurl from adding these: it must not wait for permission to send a body, nor call a body a form.
            for name in ["Expect", "Content-Type"] where headers[name] == nil { append("\(name):") }
            // As `URLSession` does.
            if headers["Accept-Language"] == nil { append("Accept-Language: en") }
            if headers["User-Agent"] == nil { append("User-Agent: \(Self.userAgent)") }
            set(.fields, list)
            return list
        }

        private static let userAgent = ProcessInfo.processInfo.processName.filter { $0.isASCII && $0.isLetter || $0 == "-" }
    }
#endif
