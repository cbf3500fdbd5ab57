#if canImport(FoundationNetworking)
    import Foundation
    import Sequencer

    /// The thread of libcurl for all transfers of one transport: it begins with the first, sleeps until there is
    /// something to do, and ends with the transport.
    final class CurlLoop: TransferEngine {
        private struct Multi: @unchecked Sendable {
            // @unchecked: all of libcurl is called on the loop's thread, but for `multiWakeup`, which may be called on
            // any while the handle lives.
            let handle: LibCurl.Handle
        }

        private struct State {
            var arriving: [Transfer] = []
            var hasThread = false
            var isClosed = false
            /// The handle that wakes the thread; nil before the thread runs, and as soon as it ends.
            var multi: Multi?
        }

        private let curl: LibCurl
        private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Int32
        private let state = Locked(State())

        /// - Parameter startThread: runs the loop's thread; gives another number than 0 where the system has none.
        init(
            _ curl: LibCurl,
            startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32 = { SystemThread.start(stackSize: 1 << 20, $0) }
        ) {
            self.curl = curl
            self.startThread = startThread
        }

        func perform(_ transfer: Transfer) {
            // It releases ended transfers each time it wakes.
            if transfer.attach(stop: { [self] in wake() }) { add(transfer) }
        }

        /// Does the transfer, unless it is over by then.
        func add(_ transfer: Transfer) {
            // Two at once must not start two threads: libcurl's handles belong to one.
            let needsThread = state.withLock { state in
                state.arriving.append(transfer)
                return !exchange(&state.hasThread, with: true)
            }
            if !needsThread {
                wake()
            } else if startThread({ self.run() }) != 0 {
                giveUp()
            }
        }

        /// Has the thread look for changes.
        func wake() {
            // Under the lock, so that the handle is not gone meanwhile. It writes one byte, and never waits.
            state.withLock { state in
                if let multi = state.multi { _ = curl.multiWakeup(multi.handle) }
            }
        }

        /// The thread ends when nothing is left to do.
        func close() {
            state.withLock { $0.isClosed = true }
            wake()
        }

        private func run() {
            Thread.current.name = "StartupOps.CurlLoop"
            // libcurl is told to leave signals alone, and a TLS library may write to a connection that has gone.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)

            guard let multi = makeMulti() else { return giveUp() }
            var exchanges: [LibCurl.Handle: CurlExchange] = [:]
            func removeOver() {
                for (handle, exchange) in exchanges where exchange.transfer.isOver {
                    // Removed first: a handle must not be freed while it is in the loop.
                    _ = curl.multiRemove(multi, handle)
                    exchanges[handle] = nil
                }
            }
            state.withLock { $0.multi = Multi(handle: multi) }
            while true {
                let arriving = state.withLock { exchange(&$0.arriving, with: []) }
                // The new transfers took the places of these: libcurl never has more than its limit at a time.
                removeOver()
                for transfer in arriving where !transfer.isOver {
                    guard let exchange = curl.easyInit().flatMap({ CurlExchange(transfer, curl, $0) }) else {
                        transfer.failForLackOfResources()
                        continue
                    }
                    exchanges[exchange.handle] = exchange
                    // The transfer is over then, and is taken out below.
                    if curl.multiAdd(multi, exchange.handle) != 0 { transfer.failForLackOfResources() }
                }
                // It reads and writes, as far as that can be done without waiting.
                var running: CInt = 0
                _ = curl.multiPerform(multi, &running)
                for (handle, result) in ended(multi) { exchanges[handle]?.end(result) }
                removeOver()
                if exchanges.isEmpty, mayEnd { break }
                // An hour, as it wants a number: the thread is woken for new work.
                if curl.multiPoll(multi, nil, 0, 3_600_000, nil) != 0 { Thread.sleep(forTimeInterval: 0.05) }
            }
            _ = curl.multiCleanup(multi)
        }

        /// Nil where the system has no descriptors left, without which it could not be woken.
        private func makeMulti() -> LibCurl.Handle? {
            guard let multi = curl.multiInit() else { return nil }
            // Without a limit of connections: libcurl's own line may forget a transfer, see `HostLine`.
            if curl.multiWakeup(multi) == 0 { return multi }
            _ = curl.multiCleanup(multi)
            return nil
        }

        /// The handles that are through, and their results.
        private func ended(_ multi: LibCurl.Handle) -> [(LibCurl.Handle, CInt)] {
            var results: [(LibCurl.Handle, CInt)] = []
            var left: CInt = 0
            // A `CURLMsg`: its kind (1 is "done", the only one there is), the handle, the result.
            while let message = curl.multiInfoRead(multi, &left) {
                guard message.load(as: CInt.self) == 1 else { continue }
                results.append((message.load(fromByteOffset: 8, as: LibCurl.Handle.self), message.load(fromByteOffset: 16, as: CInt.self)))
            }
            return results
        }

        /// Whether the thread may end; it may not while it has transfers.
        private var mayEnd: Bool {
            // Under the lock that `add` takes: after this no transfer finds a thread that is about to end.
            state.withLock { state in
                guard state.isClosed, state.arriving.isEmpty else { return false }
                state.multi = nil
                state.hasThread = false
                return true
            }
        }

        /// Fails the waiting transfers; the next request tries again.
        private func giveUp() {
            let transfers = state.withLock { state in
                // Cleared together: a request that comes now starts another thread.
                defer { (state.arriving, state.hasThread) = ([], false) }
                return state.arriving
            }
            for transfer in transfers { transfer.failForLackOfResources() }
        }
    }

    extension Transfer {
        /// The system has no memory, no descriptors or no thread for it.
        func failForLackOfResources() {
            handle { $0.fail(.unreachable, "the system has no memory, no descriptors or no thread for a connection") }
        }
    }
#endif
