#if canImport(FoundationNetworking)
    import Foundation

    /// A transfer as libcurl does it. Everything here happens on the loop's thread.
    final class CurlExchange {
        let transfer: Transfer
        let handle: LibCurl.Handle
        private let curl: LibCurl
        /// The list of the request's headers, which has to live as long as the handle.
        private var fields: LibCurl.Handle?
        /// Whether the handle refused something, so that it must not be used.
        private var isRefused = false
        /// libcurl's own words about an error.
        private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 256)
        private var head = ResponseHead()
        /// Received bytes that were not handed on yet: a body may come in pieces of one byte.
        private var pending = Data()

        /// Nil when the handle refuses something.
        init?(_ transfer: Transfer, _ curl: LibCurl, _ handle: LibCurl.Handle) {
            (self.transfer, self.handle, self.curl) = (transfer, handle, curl)
            errorText.initialize(repeating: 0)
            apply(transfer.request)
            set(.errorBuffer, errorText.baseAddress)
            // Not retained: the loop keeps the exchange as long as the handle is in it.
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(.headerData, context)
            set(.writeData, context)
            set(.headerFunction, Self.headerCallback)
            set(.writeFunction, Self.bodyCallback)
            // Told of the bytes as they arrive. With a function of one's own nothing is printed.
            set(.debugData, context)
            set(.debugFunction, unsafeBitCast(Self.arrivalCallback, to: UnsafeRawPointer.self))
            set(.verbose, 1)
            if isRefused { return nil }
        }

        deinit {
            curl.easyCleanup(handle)
            curl.listFree(fields)
            errorText.deallocate()
        }

        /// It ended, with a result as `CURLcode` numbers them.
        func end(_ result: CInt) {
            guard handOn() else { return }
            // Only with a result of 0 has the answer been received whole.
            if result == 0 { return transfer.handle { $0.complete(nil, head: nil) } }
            var systemError: CLong = 0
            // 0x200019 is CURLINFO_OS_ERRNO.
            _ = curl.getNumber(handle, 0x200019, &systemError)
            let text = errorText.baseAddress.map { String(cString: $0) } ?? ""
            let error = URLError(curl: result, systemError: CInt(truncatingIfNeeded: systemError), text: text)
            transfer.handle { $0.complete(error, head: nil) }
        }

        private static let headerCallback: LibCurl.Callback = { bytes, size, count, context in
            CurlExchange.take(bytes, size, count, context) { $0.takeHeader($1) }
        }

        private static let bodyCallback: LibCurl.Callback = { bytes, size, count, context in
            CurlExchange.take(bytes, size, count, context) { $0.takeBody($1) }
        }

        /// `curl_debug_callback`. It gets requests too, with their tokens: of them nothing is looked at.
        private typealias ArrivalCallback =
            @convention(c) (LibCurl.Handle?, CInt, UnsafeMutablePointer<CChar>?, Int, LibCurl.Handle?) -> CInt

        private static let arrivalCallback: ArrivalCallback = { _, kind, _, count, context in
            // 3 is CURLINFO_DATA_IN: of a body, as it comes. Other kinds come also when the handle is given up, and the
            // exchange is gone.
            guard kind == 3, let context else { return 0 }
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            exchange.transfer.handle { $0.arrive(count) }
            // It means nothing to libcurl. The loop removes transfers that are over.
            return 0
        }

        /// Hands on the bytes of a callback. Returning 0 for some bytes ends the transfer.
        private static func take(
            _ bytes: UnsafeMutablePointer<CChar>?,
            _ size: Int,
            _ count: Int,
            _ context: LibCurl.Handle?,
            _ body: (CurlExchange, UnsafeRawBufferPointer) -> Bool
        ) -> Int {
            guard let context else { return 0 }
            let (length, isTooMuch) = size.multipliedReportingOverflow(by: count)
            if isTooMuch { return 0 }
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            return body(exchange, UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
        }

        private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
            switch head.take(line) {
            case .goOn: break
            case .head(let response):
                // Redirections come without their bodies, as from `URLSession`.
                let isRedirection = [301, 302, 303, 307, 308].contains(response.status) && response.headers["Location"] != nil
                transfer.handle { isRedirection ? $0.end(with: response) : $0.receive(head: response) }
            case .refuse(let reason):
                transfer.handle { $0.fail(.invalidResponse, reason) }
            }
            return !transfer.isOver
        }

        private func takeBody(_ part: UnsafeRawBufferPointer) -> Bool {
            pending.append(contentsOf: part)
            // In pieces of 64 kB: a callback for each byte would take the transfer's lock each time (N44).
            return pending.count < 65_536 || handOn()
        }

        /// Whether more is wanted.
        private func handOn() -> Bool {
            if !pending.isEmpty {
                let part = pending
                pending = Data()
                transfer.handle { $0.receive(part) }
            }
            return !transfer.isOver
        }

        // MARK: - Setting up a handle

        // Everything else is off by default: cookies, credentials, `.netrc`, redirections, HSTS and alternative
        // services.

        /// The options, as libcurl numbers them.
        private enum Option: CInt {
            case fullURL = 10002, proxy = 10004, errorBuffer = 10010, fields = 10023, customMethod = 10036, certificates = 10065
            case encodings = 10102, copyBody = 10165
            case writeData = 10001, headerData = 10029, writeFunction = 20011, headerFunction = 20079
            case withoutBody = 44, post = 47, freshConnection = 74, verifyPeer = 64, verifyHost = 81, noSignal = 99, protocols = 181
            case verbose = 41, debugData = 10095, debugFunction = 20094
            case withoutProxyHeaders = 265, noUserInAddress = 278, allowsOldHTTP = 285, quickExit = 322, bodySize = 30120
        }

        private func set(_ option: Option, _ value: Int) { note(curl.setNumber(handle, option.rawValue, value)) }

        private func set(_ option: Option, _ pointer: UnsafeRawPointer?) { note(curl.setPointer(handle, option.rawValue, pointer)) }

        private func set(_ option: Option, _ callback: LibCurl.Callback) { set(option, unsafeBitCast(callback, to: UnsafeRawPointer.self)) }

        /// libcurl copies the text.
        private func set(_ option: Option, _ text: String) { text.withCString { set(option, UnsafeRawPointer($0)) } }

        private func note(_ result: CInt) { if result != 0 { isRefused = true } }

        /// Everything about a request.
        private func apply(_ request: HTTPRequest) {
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
            applyHeaders(request.headers)
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

        private func applyHeaders(_ headers: HTTPHeaders) {
            func append(_ line: String) {
                guard let longer = line.withCString({ curl.listAppend(fields, $0) }) else { return isRefused = true }
                fields = longer
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
            set(.fields, fields)
        }

        private static let userAgent = ProcessInfo.processInfo.processName.filter { $0.isASCII && $0.isLetter || $0 == "-" }
    }
#endif
