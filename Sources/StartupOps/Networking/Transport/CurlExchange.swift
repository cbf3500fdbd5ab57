#if canImport(FoundationNetworking)
    import Foundation

    /// One transfer as libcurl does it. Everything here happens on the loop's thread.
    final class CurlExchange {
        let transfer: Transfer
        let handle: LibCurl.Handle
        private let curl: LibCurl
        private var fields: LibCurl.Handle?
        /// libcurl's own words about an error.
        private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 256)
        private var head = ResponseHead()
        /// Received bytes that were not handed on yet: a body may come in pieces of one byte.
        private var pending = Data()

        /// Nil when the transfer is over, or cannot be done, and is over therefore.
        static func make(_ transfer: Transfer, _ curl: LibCurl) -> CurlExchange? {
            if transfer.isOver { return nil }
            let exchange = curl.easyInit().flatMap { CurlExchange(transfer, curl, $0) }
            if exchange == nil { transfer.failForLackOfResources() }
            return exchange
        }

        /// Nil when the handle refuses something.
        private init?(_ transfer: Transfer, _ curl: LibCurl, _ handle: LibCurl.Handle) {
            (self.transfer, self.handle, self.curl) = (transfer, handle, curl)
            errorText.initialize(repeating: 0)
            let setup = CurlSetup(curl, handle)
            fields = setup.apply(transfer.request)
            setup.set(.errorBuffer, errorText.baseAddress)
            // Not retained: the loop keeps the exchange as long as the handle is in it.
            let context = Unmanaged.passUnretained(self).toOpaque()
            setup.set(.headerData, context)
            setup.set(.writeData, context)
            setup.set(.headerFunction, Self.headerCallback)
            setup.set(.writeFunction, Self.bodyCallback)
            // Told of the bytes as they arrive. With a function of one's own nothing is printed.
            setup.set(.debugData, context)
            setup.set(.debugFunction, unsafeBitCast(Self.arrivalCallback, to: UnsafeRawPointer.self))
            setup.set(.verbose, 1)
            if setup.hasFailed { return nil }
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
                transfer.handle { isRedirection ? $0.redirect(head: response) : $0.receive(head: response) }
            case .refuse(let reason):
                transfer.handle { $0.fail(NetworkError(.invalidResponse, request: transfer.request.description, reason)) }
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
    }
#endif
